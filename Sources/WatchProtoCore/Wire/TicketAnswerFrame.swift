/// The initiator's answer to the tickets that the responder presented in message 2; only the
/// initiator can give it. Where the responder cannot judge without it, the initiator's packets
/// carry it until one of them is acknowledged.
///
/// ```text
/// 0x0A · answer: 0 not held, 1 held, 2 abandoned, 3 empty history, 4 held and behind,
///        5 pending held, 6 both held, 7 both held and behind
/// ```
public struct TicketAnswerFrame: Hashable, Sendable {
    /// The answer.
    public var answer: TicketAnswer

    /// Makes the frame.
    public init(_ answer: TicketAnswer) { self.answer = answer }

    /// Reads the frame behind its type byte. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> TicketAnswerFrame {
        let start = reader.offset
        let code = try reader.byte("ticket answer")
        guard let answer = TicketAnswer(rawValue: code) else {
            throw WireError(
                .unknownCode, at: start, expected: "ticket answer 0 to 7", found: UInt64(code))
        }
        return TicketAnswerFrame(answer)
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.ticketAnswer.rawValue)
        writer.byte(answer.rawValue)
    }
}
