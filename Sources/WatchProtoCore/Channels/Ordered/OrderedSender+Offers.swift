/// The sending of records, whole or in fragments, as credit and bounds allow.
extension OrderedSender {
    /// The result of an attempt to write a record.
    enum Offer: Sendable {
        /// Written; this stands for it while the packet is in flight.
        case written(Reference)
        /// It needs more room than the packet has left.
        case noRoom
        /// Nothing may leave in this channel now.
        case nothing
    }

    /// The packet that offers are written into.
    package struct Packet: Sendable {
        /// Bytes left in it.
        package var room: Int
        /// Bytes that an empty packet of the carrier has for frames.
        package var freshRoom: Int
        /// It is early data: only whole records leave.
        package var isEarly: Bool
        /// A fragment may leave out the length of the whole (carriers that can lose).
        package var allowsFurther: Bool

        /// Describes a packet.
        package init(
            room: Int, freshRoom: Int, isEarly: Bool = false, allowsFurther: Bool = false
        ) {
            self.room = room
            self.freshRoom = freshRoom
            self.isEarly = isEarly
            self.allowsFurther = allowsFurther
        }
    }

    /// Whether a record, or a fragment of one, may leave now.
    package mutating func hasOffer(isEarly: Bool = false) -> Bool {
        (!isEarly || traits.travelsEarly) && nextOffer() != nil
    }

    private mutating func nextOffer() -> RecordPlace? {
        guard queuedRecords > 0, session != nil else { return nil }
        guard let place = nextLostFragment() ?? nextPlace(),
            let item = epochs[place.epoch].items[place.number], let session
        else { return nil }
        let bytesLeft = session.credit.bytesLeft
        if item.isOffered { return bytesLeft > 0 ? place : nil }
        guard session.credit.hasRecord, !session.credit.isPaused(place),
            bytesLeft > 0 || item.record.payload.isEmpty, isWithinBounds(place)
        else { return nil }
        return place
    }

    /// The record whose lost fragments leave first: they may be what makes room at the receiver.
    private func nextLostFragment() -> RecordPlace? {
        session?.resend.first { place in
            guard let item = epochs[place.epoch].items[place.number], item.isOffered,
                item.cancelRequest == nil, let fragments = item.fragments
            else { return false }
            return !fragments.lost.isEmpty
        }
    }

    /// The next record to offer: lost ones first, lowest first; then new ones, in order.
    private mutating func nextPlace() -> RecordPlace? {
        if let place = session?.inFragments {
            let item = epochs[place.epoch].items[place.number]
            if let item, item.isOffered, item.isLive, item.cancelRequest == nil,
                item.stage < .received, item.fragments?.hasPiece == true
            {
                return place
            }
            session?.inFragments = nil
        }
        while let place = session?.resend.first {
            let item = epochs[place.epoch].items[place.number]
            if let item, item.waits, !item.holdsBack { return place }
            session?.resend.removeFirst()
        }
        return advanceCursor()
    }

    private mutating func advanceCursor() -> RecordPlace? {
        guard var cursor = session?.cursor else { return nil }
        defer { session?.cursor = cursor }
        while true {
            // A record of an epoch that found no room in the hello waits, and so do those behind
            // it.
            guard isListed(cursor.epoch) || epochs[cursor.epoch].items.isEmpty else { return nil }
            let next = epochs[cursor.epoch].items.first(from: cursor.number) {
                $0.waits || $0.holdsBack
            }
            if let number = next {
                cursor.number = number
                let holdsBack = epochs[cursor.epoch].items[number]?.holdsBack ?? false
                return holdsBack ? nil : cursor
            }
            guard cursor.epoch < epochs.count - 1 else {
                cursor.number = epochs[cursor.epoch].last + 1
                return nil
            }
            cursor = RecordPlace(epoch: cursor.epoch + 1, number: 0)
        }
    }

    /// Whether the receiver can keep what it must remember when this record has left.
    private mutating func isWithinBounds(_ place: RecordPlace) -> Bool {
        let epoch = epochs[place.epoch]
        let exceptions = epoch.exceptions.ranges.partitioningIndex {
            $0.lowerBound >= place.number
        }
        guard exceptions + pendingThere < limits.exceptionRanges / 2 else { return false }
        let epochs = epochs
        guard traits.isDurable, let oldest = waiting.oldest({ Self.waits($0, epochs) }),
            oldest.id.epoch == epoch.id
        else { return true }
        let number = oldest.id.number.rawValue
        return place.number < number || place.number - number < limits.numberSpan
    }

    /// The nearest unsettled record before a place, in its epoch or an earlier one.
    func livePredecessor(of place: RecordPlace) -> RecordPlace? {
        if let number = epochs[place.epoch].items.last(below: place.number, where: { $0.isLive }) {
            return RecordPlace(epoch: place.epoch, number: number)
        }
        if mutants.contains(.noOrderAcross) { return nil }
        for epoch in epochs[..<place.epoch].indices.reversed() {
            if let number = epochs[epoch].items.last(below: .max, where: { $0.isLive }) {
                return RecordPlace(epoch: epoch, number: number)
            }
        }
        return nil
    }

    // MARK: Writing

    /// Writes the next record, or its next fragment.
    mutating func writeOffer(to writer: inout WireWriter, _ packet: Packet) -> Offer {
        guard !packet.isEarly || traits.travelsEarly, let place = nextOffer(),
            let item = epochs[place.epoch].items[place.number], let address = address(of: place),
            let session
        else { return .nothing }
        if item.fragments != nil {
            return packet.isEarly ? .nothing : writeFragment(place, address, &writer, packet)
        }
        let predecessor = livePredecessor(of: place).flatMap { self.address(of: $0) }
        let payload = item.record.payload
        let frame = RecordFrame(
            item.record, address: address, predecessor: predecessor, payload: payload)
        var head = WireWriter()
        frame.writeHead(to: &head, payloadBytes: payload.count)
        let size = 1 + head.count + payload.count
        if size > packet.room {
            if size <= packet.freshRoom { return .noRoom }
            if packet.isEarly { return .nothing }
            // Too long for any packet. The head stays as it is now, however often it leaves.
            let cursor = FragmentCursor(head: head.bytes, payloadBytes: payload.count)
            epochs[place.epoch].items.modify(place.number) { $0.fragments = cursor }
            return writeFragment(place, address, &writer, packet)
        }
        guard payload.count <= session.credit.bytesLeft else { return .nothing }
        writer.byte(FrameType.record.rawValue)
        writer.append(head.bytes)
        writer.append(payload)
        offered(place, records: 1, bytes: payload.count)
        return .written(.record(address, bytes: payload.count))
    }

    private mutating func writeFragment(
        _ place: RecordPlace, _ address: RecordAddress, _ writer: inout WireWriter,
        _ packet: Packet
    ) -> Offer {
        guard let item = epochs[place.epoch].items[place.number],
            let fragments = item.fragments, let credit = session?.credit
        else { return .nothing }
        let room = FragmentCursor.Room(
            bytes: packet.room, credit: credit.bytesLeft, allowsFurther: packet.allowsFurther)
        guard let piece = fragments.next(address, in: room) else {
            return fragments.needsRoom(address, in: room) ? .noRoom : .nothing
        }
        FragmentFrame(
            channel: channel, address: address,
            totalBytes: piece.tellsTotal ? fragments.totalBytes : nil, offset: piece.offset,
            bytes: fragments.bytes(of: piece, payload: item.record.payload)
        ).write(to: &writer)
        epochs[place.epoch].items.modify(place.number) { $0.fragments?.sent(piece) }
        offered(place, records: piece.offset == 0 ? 1 : 0, bytes: piece.length)
        let left = epochs[place.epoch].items[place.number]?.fragments
        // A lost fragment of another record interrupts the one whose fragments are leaving.
        if left?.hasLeft == false {
            session?.inFragments = place
        } else if session?.inFragments == place {
            session?.inFragments = nil
        }
        return .written(
            .fragment(
                address, round: fragments.round, offset: piece.offset, length: piece.length))
    }

    private mutating func offered(_ place: RecordPlace, records: UInt64, bytes: Int) {
        session?.credit.charge(records: records, bytes: bytes)
        let departs = epochs[place.epoch].items.modify(place.number) { item in
            defer { item.wasTransmitted = true }
            item.isOffered = true
            item.stage = max(item.stage, .sent)
            return !item.isDurable && !item.wasTransmitted
        }
        if departs == true { events.append(.departed(id(of: place))) }
        report(place)
    }
}
