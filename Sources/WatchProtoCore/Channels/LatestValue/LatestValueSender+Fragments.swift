/// Values that do not fit into one packet leave in fragments.
extension LatestValueSender {
    mutating func begin(
        fragments frame: ValueFrame, _ record: OutboundRecord, _ name: ValueName
    ) {
        var head = WireWriter()
        frame.writeHead(to: &head)
        head.varint(UInt64(frame.body.count))
        fragmented[Int(name.channel.rawValue)].append(
            FragmentedValue(
                name: name, record: record, body: frame.body, address: address(record.id),
                head: head.bytes))
    }

    /// The value whose next fragment leaves. Values that are not the newest any more give up their
    /// place.
    mutating func nextFragment(_ index: Int) -> Int? {
        fragmented[index].removeAll { fragments in
            guard let value = values[fragments.name] else { return true }
            return value.newest.id != fragments.record.id
        }
        return fragmented[index].firstIndex { $0.hasMore }
    }

    mutating func writeFragment(
        _ index: Int, _ slot: Int, to writer: inout WireWriter, room: Int,
        allowsFurther: Bool
    ) -> Offer {
        let fragments = fragmented[index][slot]
        let total = fragments.totalBytes
        let start = fragments.lost.first?.lowerBound ?? fragments.sentThrough
        let end = fragments.lost.first?.upperBound ?? total
        var told: Int? = total
        let short = FragmentFrame.overhead(
            fragments.address, totalBytes: nil, offset: start, room: room)
        // The short form fills its packet.
        if allowsFurther, start > 0, room - short > 0, end - start >= room - short,
            start + room - short < total
        {
            told = nil
        }
        let overhead = FragmentFrame.overhead(
            fragments.address, totalBytes: told, offset: start, room: room)
        guard room > overhead + 32 || room >= overhead + (end - start) else { return .noRoom }
        let length = min(end - start, room - overhead)
        FragmentFrame(
            channel: fragments.name.channel, address: fragments.address, totalBytes: told,
            offset: start, bytes: fragments.bytes(start..<start + length)
        ).write(to: &writer)
        if fragments.lost.isEmpty {
            fragmented[index][slot].sentThrough = start + length
        } else {
            fragmented[index][slot].lost[0] = (start + length)..<end
            if start + length == end { fragmented[index][slot].lost.removeFirst() }
        }
        if session?.isLossless == true, !fragmented[index][slot].hasMore {
            fragmented[index].remove(at: slot)
        }
        return .written(
            .fragment(
                fragments.name, version: fragments.address.number, offset: start, count: length))
    }
}
