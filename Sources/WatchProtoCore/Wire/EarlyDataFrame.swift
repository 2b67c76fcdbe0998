/// Whether early data was accepted, and which early packets were taken: the acknowledgement of the
/// number space of early packets. A hint; the sender repeats the frame while early packets arrive.
///
/// ```text
/// 0x05 · handshake counter · 0                                     accepted, no packet taken yet
/// 0x05 · handshake counter · 1 · largest packet · ranges as in ack  accepted, these taken
/// 0x05 · handshake counter · 2                                     rejected
/// ```
public struct EarlyDataFrame: Hashable, Sendable {
    /// The answer to early data.
    public enum Answer: Hashable, Sendable {
        /// The early packets of these numbers were taken; those missing may still arrive.
        case accepted(NumberRanges)
        /// None was taken and none will be: its sender sends all of it again.
        case rejected
    }

    /// The handshake counter of the message 1 that the early data came with.
    public var counter: UInt64
    /// The answer to the early data.
    public var answer: Answer

    /// Makes the answer to what came with the message 1 of `counter`. Ranges of accepted packets
    /// beyond the newest `Limits.ackRanges` are for the maker to leave out.
    public init(counter: UInt64, answer: Answer) {
        self.counter = counter
        self.answer = answer
    }

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> EarlyDataFrame {
        let counter = try reader.varint("handshake counter of early data")
        let start = reader.offset
        let code = try reader.byte("answer to early data")
        switch code {
        case 0: return EarlyDataFrame(counter: counter, answer: .accepted(NumberRanges()))
        case 1:
            let taken = try NumberRanges.readDescending(&reader, atMost: limits.ackRanges)
            guard let last = taken.last, last < UInt64(limits.earlyPackets) else {
                throw WireError(
                    .outOfRange, at: start, expected: "numbers of early packets",
                    found: taken.last ?? 0)
            }
            return EarlyDataFrame(counter: counter, answer: .accepted(taken))
        case 2: return EarlyDataFrame(counter: counter, answer: .rejected)
        default:
            throw WireError(
                .unknownCode, at: start, expected: "answer to early data", found: UInt64(code))
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.earlyData.rawValue)
        writer.varint(counter)
        switch answer {
        case .accepted(let taken) where taken.isEmpty: writer.byte(0)
        case .accepted(let taken):
            writer.byte(1)
            taken.writeDescending(to: &writer, atMost: taken.ranges.count)
        case .rejected: writer.byte(2)
        }
    }
}
