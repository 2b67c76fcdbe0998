/// The verdict on the early data of the counterpart's first flight, in the first packet of a
/// session and whenever that was lost: with it the acknowledgement of early packets, in their own
/// number space.
public struct EarlyFrame: Hashable, Sendable {
    /// The session id that the judged flight named its sender by; 0 if there was none.
    public var session: UInt32
    /// What became of it; where nothing was taken, accepted says no more than none.
    public var verdict: EarlyVerdict
    /// The numbers of the early packets that were taken.
    public var taken: NumberRanges

    static func read(_ reader: inout WireReader, limits: Limits) throws(WireError) -> EarlyFrame {
        let session = UInt32(try reader.fixed(4, "session of early data"))
        let start = reader.offset
        let code = try reader.byte("verdict on early data")
        var frame = EarlyFrame(session: session, verdict: .none, taken: NumberRanges())
        switch code {
        case 0: break
        case 1:
            frame.verdict = .accepted
            frame.taken = try .readDescending(&reader, atMost: limits.ackRanges)
            guard let last = frame.taken.last, last < UInt64(limits.earlyPackets) else {
                throw WireError(
                    .outOfRange, at: start, expected: "numbers of early packets",
                    found: frame.taken.last ?? 0)
            }
        case 2: frame.verdict = .stale(highest: try reader.uint64("highest counter"))
        default:
            throw WireError(
                .unknownCode, at: start, expected: "verdict on early data", found: UInt64(code))
        }
        return frame
    }

    func write(to writer: inout WireWriter, limits: Limits) {
        writer.byte(FrameType.early.rawValue)
        writer.fixed(UInt64(session), count: 4)
        switch verdict {
        case .accepted where !taken.isEmpty:
            writer.byte(1)
            taken.writeDescending(to: &writer, atMost: limits.ackRanges)
        case .none, .accepted: writer.byte(0)
        case .stale(let highest):
            writer.byte(2)
            writer.uint64(highest)
        }
    }
}
