/// New values that leave in one coding (L-45).
extension LatestValueSender {
    /// Writes the values of `channel` that leave next as one frame.
    ///
    /// - Parameter room: the bytes left in the packet.
    /// - Returns: nil if nothing was written: fewer than two new values of a kind are due, they
    ///   have no coding together, or two of them do not fit.
    mutating func writeBatch(
        _ channel: Channel, to writer: inout WireWriter, room: Int
    ) -> Reference? {
        let index = Int(channel.rawValue)
        guard !channel.traits.isPaced, let reference = session?.coding,
            session?.handles.count ?? 0 < ValueFrame.handles, let first = queues[index].first,
            let kind = values[first]?.newest.kind, kinds.hasDeltas(kind),
            let coding = kinds[kind]?.coding, let batch = coding.batch
        else { return nil }
        var records = newValues(index, kind, atMost: min(ValuesFrame.largestCount, room / 24))
        var count = min(records.count, max(2, room / Self.usualBytes))
        while count >= 2, let handle = session?.handles.count {
            records.removeLast(records.count - count)
            let keys = records.compactMap { $0.key }
            guard handle + count <= ValueFrame.handles else { return nil }
            guard let body = batch.encode(records.map { $0.payload }, keys, reference) else {
                count /= 2
                continue
            }
            let frame = ValuesFrame(records, address(records[0].id), coding.kind, handle, body)
            let start = writer.count
            frame.write(to: &writer)
            let size = writer.count - start
            if size <= room { return left(records, handle) }
            writer.bytes.removeLast(size)
            count = min(count - 1, count * room / size)
        }
        return nil
    }

    /// Bytes that a value mostly takes in a frame with others.
    private static var usualBytes: Int { 40 }

    private mutating func left(_ records: [OutboundRecord], _ firstHandle: Int) -> Reference {
        var references: [Reference] = []
        for (place, record) in records.enumerated() {
            guard let key = record.key else { continue }
            let name = ValueName(channel: record.id.channel, key: key)
            var frame = wholeFrame(record)
            (frame.handle, frame.marksBase) = (UInt64(firstHandle + place), true)
            noteLeft(name, record, frame: frame)
            references.append(
                .value(name, version: record.id.number.rawValue, definesHandle: true))
        }
        return .batch(references)
    }
}

extension ValuesFrame {
    fileprivate init(
        _ records: [OutboundRecord], _ first: RecordAddress, _ kind: ContentKind, _ handle: Int,
        _ body: [UInt8]
    ) {
        channel = records[0].id.channel
        self.first = first
        self.kind = kind
        firstHandle = UInt64(handle)
        firstKey = records[0].key ?? RecordKey()
        further = zip(records, records.dropFirst()).map { former, next in
            Further(
                step: next.id.number.rawValue - former.id.number.rawValue - 1,
                key: next.key ?? RecordKey())
        }
        self.body = body
    }
}
