/// The sending of values: whole, as deltas or in fragments.
extension LatestValueSender {
    /// A token that stands for a frame while its packet is in flight.
    enum Reference: Hashable, Sendable {
        /// A value; whether its frame says which key its handle stands for.
        case value(ValueName, version: UInt64, definesHandle: Bool)
        /// Values of one frame.
        case batch([Reference])
        /// A fragment of a value.
        case fragment(ValueName, version: UInt64, offset: Int, count: Int)
        case verdict
        case heldQuery(HeldQueryFrame)
        case valueQuery(ValueQueryFrame)
        case watermark(UInt64)
    }

    /// The result of an attempt to write a value.
    enum Offer: Hashable, Sendable {
        /// Written; this stands for it while the packet is in flight.
        case written(Reference)
        /// It needs more room than is left; try with an empty packet.
        case noRoom
        /// Nothing may leave in this channel now.
        case nothing
    }

    /// Whether a value of `channel` may leave now.
    package mutating func hasOffer(_ channel: Channel) -> Bool {
        let index = Int(channel.rawValue)
        guard mayLeave(channel) else { return false }
        return nextFragment(index) != nil || nextDue(index) != nil
    }

    private func mayLeave(_ channel: Channel) -> Bool {
        guard let session else { return false }
        switch session.verdict {
        case .early: return channel.traits.travelsEarly && !resumesComparison
        case .lost: return false
        default: return true
        }
    }

    /// The key at the front whose newest value may leave. A key whose value may not leave yet is
    /// put back when the journal holds what the value waits for.
    private mutating func nextDue(_ index: Int) -> ValueName? {
        while let name = queues[index].first {
            if let value = values[name], let transmission = transmissions[name], transmission.isDue,
                canLeave(value, transmission), session?.comparison?.awaits(name) != true
            {
                return name
            }
            queues[index].removeFirst()
            transmissions.modify(name) { $0.isQueued = false }
        }
        return nil
    }

    private func canLeave(_ value: OwnValue, _ transmission: Transmission) -> Bool {
        if value.isEnded { return false }
        guard transmission.isDurable || !transmission.waitsForCommit else { return false }
        if session?.waitsForListing == true, session?.epochs.contains(value.newest.id.epoch) != true
        {
            return false
        }
        return value.version <= durableReservationEnd || mutants.contains(.noReservation)
    }

    /// The newest values of keys that have no handle and no base yet, those at the front of the
    /// queue, by their versions.
    func newValues(_ index: Int, _ kind: ContentKind, atMost most: Int) -> [OutboundRecord] {
        var records: [OutboundRecord] = []
        for name in queues[index].waiting {
            guard records.count < most, let value = values[name],
                let transmission = transmissions[name],
                transmission.isDue, transmission.isNew, transmission.leftVersion == 0,
                canLeave(value, transmission),
                session?.comparison?.awaits(name) != true, value.newest.kind == kind,
                value.newest.expiresAt == nil,
                records.isEmpty || records[0].id.epoch == value.newest.id.epoch
            else { break }
            records.append(value.newest)
        }
        records.sort { $0.id.number < $1.id.number }
        return records
    }

    /// Writes the next value of `channel`, or its next fragment, into at most `room` bytes.
    ///
    /// - Parameters:
    ///   - freshRoom: the room in an empty packet of this carrier.
    ///   - allowsFurther: a fragment may leave out the length of the whole (lossy carriers):
    ///     nothing follows it in its packet.
    mutating func writeOffer(
        _ channel: Channel, to writer: inout WireWriter, room: Int, freshRoom: Int,
        allowsFurther: Bool = false
    ) -> Offer {
        let index = Int(channel.rawValue)
        guard mayLeave(channel), let session else { return .nothing }
        if let slot = nextFragment(index) {
            return writeFragment(
                index, slot, to: &writer, room: room, allowsFurther: allowsFurther)
        }
        guard let name = nextDue(index), let record = values[name]?.newest else { return .nothing }
        let isEarly = session.verdict == .early
        if !isEarly, let batch = writeBatch(channel, to: &writer, room: room) {
            return .written(batch)
        }
        let frame = isEarly ? wholeFrame(record) : frame(name, record)
        let start = writer.count
        frame.write(to: &writer)
        guard writer.count - start <= room else {
            let size = writer.count - start
            writer.bytes.removeLast(size)
            guard size > freshRoom else { return .noRoom }
            let isFree =
                session.isLossless
                ? fragmented[index].isEmpty
                : fragmented[index].count < limits.assemblies
            guard !isEarly, isFree else { return .nothing }
            var whole = wholeFrame(record)
            // A link that loses packets could mix fragments of the coding and of the plain value.
            if session.isLossless, transmissions[name]?.needsWhole != true {
                shorten(&whole, record, from: nil)
            }
            begin(fragments: whole, record, name)
            noteLeft(name, record, frame: nil)
            return writeFragment(
                index, fragmented[index].count - 1, to: &writer, room: room,
                allowsFurther: allowsFurther)
        }
        noteLeft(name, record, frame: frame)
        if frame.isDelta { deltasSent += 1 }
        let defines = frame.key != nil && frame.handle != nil
        return .written(
            .value(name, version: record.id.number.rawValue, definesHandle: defines))
    }

    /// The address of a value in this session's frames. The counterpart knows an epoch that is not
    /// listed; its values leave as the present one's.
    func address(_ id: RecordID) -> RecordAddress {
        let index = session?.epochs.firstIndex(of: id.epoch) ?? 0
        return RecordAddress(epochIndex: index, number: id.number.rawValue)
    }

    func wholeFrame(_ record: OutboundRecord) -> ValueFrame {
        var frame = ValueFrame(
            channel: record.id.channel, address: address(record.id), kind: record.kind,
            key: record.key, body: record.payload)
        frame.expiresAt = record.expiresAt
        return frame
    }

    /// The frame of a value: under its handle, and as a delta where that is shorter.
    private func frame(_ name: ValueName, _ record: OutboundRecord) -> ValueFrame {
        var frame = wholeFrame(record)
        let transmission = transmissions[name] ?? Transmission(values[name])
        frame.handle = transmission.handle
        if frame.handle == nil, let count = session?.handles.count, count < ValueFrame.handles {
            frame.handle = UInt64(count)
        }
        if transmission.isHandleKnown, !transmission.needsWhole { frame.key = nil }
        if kinds.hasDeltas(record.kind) {
            if transmission.marked == nil { frame.marksBase = true }
            if !transmission.needsWhole, let base = transmission.base, base.kind == record.kind {
                shorten(&frame, record, from: base)
                if frame.isDelta || frame.marksBase {
                    frame.base = ValueFrame.Base(
                        version: base.id.number.rawValue, payload: base.payload)
                }
            }
        }
        // A receiver that asks for the value gets it as it is.
        if !frame.isDelta, !transmission.needsWhole { shorten(&frame, record, from: nil) }
        return frame
    }

    /// Puts the coding of a value, or its delta, in the place of the payload, if that is shorter.
    private func shorten(
        _ frame: inout ValueFrame, _ record: OutboundRecord, from base: OutboundRecord?
    ) {
        guard let row = kinds[record.kind] else { return }
        let spent = base == nil ? 0 : 3
        if let coding = row.coding, let reference = session?.coding, let key = record.key,
            let coded = coding.encode(record.payload, key, base?.payload, reference),
            coded.count + spent < record.payload.count
        {
            (frame.kind, frame.body, frame.isDelta) = (coding.kind, coded, base != nil)
        } else if let base {
            let (from, next) = (base.payload, record.payload)
            guard let delta = row.makeDelta?(from.span, next.span),
                delta.count + spent < next.count
            else { return }
            (frame.body, frame.isDelta) = (delta, true)
        }
    }

    /// Notes that a value has left in `frame`, or begins to leave in fragments. A new handle of the
    /// frame stands for the key from now on.
    mutating func noteLeft(
        _ name: ValueName, _ record: OutboundRecord, frame: ValueFrame?
    ) {
        let isLossless = session?.isLossless ?? false
        let version = record.id.number.rawValue
        var departs = false
        if let handle = frame?.handle, handle == session?.handles.count ?? 0 {
            session?.handles.append(name)
        }
        change(name) { transmission in
            transmission.handle = frame?.handle ?? transmission.handle
            departs = !transmission.isDurable && transmission.reached < .sent
            transmission.isDue = false
            transmission.leftVersion = max(transmission.leftVersion, version)
            transmission.reached = max(transmission.reached, .sent)
            transmission.needsWhole = false
            if frame?.marksBase == true { transmission.marked = record }
            if frame?.marksBase == true, frame?.base == nil { transmission.base = nil }
            if isLossless, frame?.key != nil, frame?.handle != nil {
                transmission.isHandleKnown = true
            }
        }
        if frame?.marksBase == true { markedNames[version] = name }
        if departs { events.append(.departed(record.id)) }
        report(name)
    }
}
