import WatchProto

extension PacketContents {
    /// Reads the frames at `start` and behind it.
    init(frames packet: [UInt8], from start: Int) {
        let limits = Limits()
        var reader = WireReader(packet.span.extracting(start..<packet.count))
        var begin = reader.offset
        while reader.peek != nil, let frame = try? Frame.read(&reader, limits: limits) {
            let bytes = reader.offset - begin
            begin = reader.offset
            switch frame {
            case .record(let record):
                pieces.append(
                    Piece(
                        channel: record.head.lane, epochIndex: record.head.address.epochIndex,
                        number: record.head.address.number, offset: 0, frameBytes: bytes))
            case .part(let part):
                pieces.append(
                    Piece(
                        channel: part.lane, epochIndex: part.address.epochIndex,
                        number: part.address.number, offset: part.offset,
                        partBytes: part.bytes.count, frameBytes: bytes))
            default: break
            }
        }
    }
}
