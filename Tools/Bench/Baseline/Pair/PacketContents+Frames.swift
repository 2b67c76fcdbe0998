import WatchProtoCore

extension PacketContents {
    /// Reads the frames from `start` to the end of the packet.
    init(frames packet: [UInt8], from start: Int) {
        var reader = WireReader(packet.span.extracting(start..<packet.count))
        var begin = reader.offset
        while reader.peek != nil, let (_, frame) = try? Frame.read(&reader) {
            let bytes = reader.offset - begin
            begin = reader.offset
            switch frame {
            case .record(let record): add(record.channel, record.address, frameBytes: bytes)
            case .value(let value): add(value.channel, value.address, frameBytes: bytes)
            case .values(let values):
                // The values share one coding: each counts as an equal part of it.
                let versions = values.versions
                var address = values.first
                for (place, version) in versions.enumerated() {
                    let parts = [place, place + 1].map { bytes * $0 / versions.count }
                    address.number = version
                    add(values.channel, address, frameBytes: parts[1] - parts[0])
                }
            case .fragment(let fragment):
                add(
                    fragment.channel, fragment.address, offset: fragment.offset,
                    partBytes: fragment.bytes.count, frameBytes: bytes)
            default: break
            }
        }
    }

    private mutating func add(
        _ channel: Channel, _ address: RecordAddress, offset: Int = 0, partBytes: Int? = nil,
        frameBytes: Int
    ) {
        pieces.append(
            Piece(
                channel: channel, epochIndex: address.epochIndex, number: address.number,
                offset: offset, partBytes: partBytes, frameBytes: frameBytes))
    }
}
