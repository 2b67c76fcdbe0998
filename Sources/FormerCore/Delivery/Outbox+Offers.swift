/// What leaves: records whole, as deltas or in parts, as credit allows.
extension Outbox {
    /// What became of an attempt to write a record.
    enum Offer: Sendable {
        /// Written; this stands for it while the packet is in flight.
        case written(FrameReference)
        /// It needs more room than is left; try with an empty packet.
        case noRoom
        /// Nothing may leave in this lane now.
        case nothing
    }

    /// Whether a record of `lane` may leave now.
    mutating func hasOffer(_ lane: Lane) -> Bool {
        nextOffer(Int(lane.rawValue)) != nil
    }

    private mutating func nextOffer(_ index: Int) -> RecordAddress? {
        guard lanes[index].queuedRecords > 0 else { return nil }
        // Lost parts were paid for when they first left, and may be what frees room for others.
        if let address = lanes[index].nextLostPart() { return address }
        guard let address = lanes[index].nextAddress(),
            let isOffered = lanes[index].segments[address.epochIndex].isOffered(address.number),
            isOffered || !lanes[index].isPaused(address)
        else { return nil }
        if !isOffered {
            // A crash would make a record live again whose settlement is not durable; those behind
            // it would have passed it then.
            guard !isUnheard(index, before: address) else { return nil }
            guard lanes[index].offered < lanes[index].creditOffers,
                lanes[index].isWithin(limits.numberSpan, address)
            else { return nil }
        }
        // A record in parts spends its bytes piece by piece.
        guard
            lanes[index].offeredBytes < lanes[index].creditBytes
                || !lanes[index].segments[address.epochIndex].hasPayload(address.number)
        else { return nil }
        return address
    }

    /// Writes the next record of `lane`, or its next part, into at most `room` bytes.
    ///
    /// - Parameter freshRoom: what an empty packet of this carrier can hold.
    mutating func writeOffer(
        _ lane: Lane, to writer: inout WireWriter, room: Int, freshRoom: Int
    ) -> Offer {
        let index = Int(lane.rawValue)
        guard let address = nextOffer(index),
            let item = lanes[index].segments[address.epochIndex][address.number]
        else { return .nothing }
        if item.isOffered || item.parts != nil {
            if isEarly { return .nothing }
            return writePart(index, address, to: &writer, room: room)
        }
        var (head, body) = frame(index, address, item)
        let bodyCount = body?.count ?? item.record.payload.count
        let start = writer.count
        writer.byte(FrameType.record.rawValue)
        head.write(to: &writer)
        writer.varint(UInt64(bodyCount))
        let size = writer.count - start + bodyCount
        let charge = item.record.payload.count
        if size > room {
            writer.bytes.removeLast(writer.count - start)
            guard size > freshRoom else { return .noRoom }
            if isEarly { return .nothing }
            // Too long for any packet: whole, in parts. The head stays as it is cut here, however
            // often it leaves: it counts neither on a base nor on a handle the receiver may lack.
            head.form = .whole
            head.key = item.record.key
            var headWriter = WireWriter()
            head.write(to: &headWriter)
            headWriter.varint(UInt64(item.record.payload.count))
            let fixedHead = headWriter.bytes
            lanes[index].segments[address.epochIndex].modify(address.number) { item in
                item.parts = PartsUnderWay(head: fixedHead)
            }
            return writePart(index, address, to: &writer, room: room)
        }
        guard lanes[index].offeredBytes + UInt64(charge) <= lanes[index].creditBytes else {
            writer.bytes.removeLast(writer.count - start)
            return .nothing
        }
        writer.append(body ?? item.record.payload)
        deltasSent += body == nil ? 0 : 1
        offered(index, address, head, charge: charge)
        return .written(.record(lane, address))
    }

    /// The head of a record, and its delta where one is shorter than the payload.
    private mutating func frame(
        _ index: Int, _ address: RecordAddress, _ item: OutboundItem
    ) -> (RecordHead, [UInt8]?) {
        let record = item.record
        var head = RecordHead(lane: record.id.lane, address: address, kind: record.kind)
        head.expectsReply = record.expectsReply
        head.inReplyTo = record.inReplyTo
        head.expiresAt = record.expiresAt
        head.idempotencyKey = record.idempotencyKey
        if lanes[index].traits.order == .ordered {
            head.predecessor = lanes[index].livePredecessor(of: address)
        }
        if isEarly {
            head.key = record.key
            return (head, nil)
        }
        guard let key = record.key, var state = lanes[index].keys[key] else { return (head, nil) }
        if state.marked == nil || state.marked == address {
            state.marked = address
            head.marksBase = true
        }
        if state.handle == nil, lanes[index].nextHandle < UInt64(limits.handles) {
            state.handle = lanes[index].nextHandle
            lanes[index].nextHandle += 1
        }
        head.handle = state.handle
        if !state.isHandleKnown || item.needsWhole { head.key = key }
        lanes[index].keys[key] = state
        guard !item.needsWhole, let base = state.base,
            let delta = kinds.makeDelta(
                record.kind, from: base.payload.span, to: record.payload.span),
            delta.count + 3 < record.payload.count
        else { return (head, nil) }
        head.form = .delta(
            baseNumberLow: base.numberLow, baseFingerprintLow: base.fingerprintLow)
        return (head, delta)
    }

    private mutating func offered(
        _ index: Int, _ address: RecordAddress, _ head: RecordHead, charge: Int
    ) {
        lanes[index].offered += 1
        lanes[index].offeredBytes += UInt64(charge)
        lanes[index].inFlight += 1
        let credit = lanes[index].creditOffers
        var isAhead = false
        lanes[index].segments[address.epochIndex].modify(address.number) { item in
            item.isOffered = true
            item.offeredAtCredit = credit
            item.wasTransmitted = true
            item.chargedBytes += charge
            item.stage = max(item.stage, .sent)
            item.definedHandle = head.key != nil && head.handle != nil
            isAhead = !item.isDurableHere
        }
        if isAhead {
            departures.append(
                RecordID(
                    epoch: epochs[address.epochIndex].id, lane: lanes[index].lane,
                    number: RecordNumber(address.number)))
        }
        if isLossless, let key = head.key, head.handle != nil {
            lanes[index].keys.modify(key) { state in state.isHandleKnown = true }
        }
        report(lanes[index].lane, address)
    }

    private mutating func writePart(
        _ index: Int, _ address: RecordAddress, to writer: inout WireWriter, room: Int
    ) -> Offer {
        guard let item = lanes[index].segments[address.epochIndex][address.number],
            let parts = item.parts
        else { return .nothing }
        let total = parts.head.count + item.record.payload.count
        let start = parts.lost.first?.lowerBound ?? parts.sentThrough
        let end = parts.lost.first?.upperBound ?? total
        let credit =
            lanes[index].creditBytes - min(lanes[index].creditBytes, lanes[index].offeredBytes)
        let isRepeated = !parts.lost.isEmpty
        var told: Int? = total
        let short = PartFrame.overhead(address, totalBytes: nil, offset: start, room: room)
        // On streams packets are long, and stay as they were.
        if knowsFurtherParts, !isLossless, start > 0, room - short > 0,
            end - start >= room - short, start + room - short < total,
            isRepeated || credit >= UInt64(room - short)
        {
            told = nil
        }
        let overhead = PartFrame.overhead(address, totalBytes: told, offset: start, room: room)
        var length = min(end - start, room - overhead)
        if !isRepeated { length = min(length, Int(min(credit, UInt64(Int.max)))) }
        guard room > overhead + 32 || room > overhead + (end - start) else { return .noRoom }
        guard length > 0 else { return .nothing }
        let headCount = parts.head.count
        var bytes: [UInt8] = []
        if start < headCount { bytes += parts.head[start..<min(headCount, start + length)] }
        if start + length > headCount {
            bytes += item.record.payload[max(0, start - headCount)..<(start + length - headCount)]
        }
        PartFrame(
            lane: lanes[index].lane, address: address, totalBytes: told, offset: start,
            bytes: bytes
        ).write(to: &writer)
        let isFirst = !item.isOffered
        if isFirst {
            let head = RecordHead(
                lane: lanes[index].lane, address: address, kind: item.record.kind)
            offered(index, address, head, charge: 0)
        }
        if !isRepeated { lanes[index].offeredBytes += UInt64(length) }
        lanes[index].segments[address.epochIndex].modify(address.number) { item in
            if isRepeated {
                item.parts?.lost[0] = (start + length)..<end
                if start + length == end { item.parts?.lost.removeFirst() }
            } else {
                item.parts?.sentThrough = start + length
                item.chargedBytes += length
            }
        }
        if !isRepeated { lanes[index].inParts = start + length < total ? address : nil }
        return .written(
            .part(lanes[index].lane, address, cut: parts.cut, offset: start, length: length))
    }
}
