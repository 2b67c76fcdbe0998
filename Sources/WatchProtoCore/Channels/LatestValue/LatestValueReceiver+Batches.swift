/// Values that arrive in one coding.
extension LatestValueReceiver {
    /// Takes values of one frame. Values that cannot be decoded are asked for one by one. The
    /// packet's author is at fault for every error.
    mutating func receive(
        _ frame: ValuesFrame, known: inout some KnownEpochs, clock: WallTime
    ) throws(WireError) {
        guard let session else { return }
        guard let reference = session.coding, let row = kinds.coded(as: frame.kind),
            let batch = row.coding?.batch
        else {
            throw WireError(
                .unknownCode, at: 0, expected: "kind that both sides can code together",
                found: UInt64(frame.kind.rawValue))
        }
        let (keys, versions) = (frame.keys, frame.versions)
        // A coding is shorter than what it stands for.
        let isShort = frame.body.count / keys.count <= row.byteLimit
        let payloads = isShort ? batch.decode(frame.body, keys, reference) ?? [] : []
        for place in keys.indices {
            var value = ValueFrame(
                channel: frame.channel,
                address: RecordAddress(
                    epochIndex: frame.first.epochIndex, number: versions[place]),
                kind: row.kind, key: keys[place])
            (value.handle, value.marksBase) = (frame.firstHandle + UInt64(place), true)
            if payloads.count == keys.count {
                value.body = payloads[place]
                try receive(value, known: &known, clock: clock)
            } else if let name = try resolve(value) {
                try needBase(.key(name), for: versions[place])
            }
        }
    }
}
