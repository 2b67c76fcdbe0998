/// The initiator's answer to the tickets that the responder presented in message 2, and the summary
/// of the responder's values that it holds. Only the initiator can give the answer. Where the
/// responder cannot judge without it, or the session does not keep its ticket and values were ever
/// taken, the initiator's packets carry the frame until one of them is acknowledged.
///
/// ```text
/// 0x0A · answer: 0 not held, 1 held, 2 abandoned, 3 empty history, 4 held and behind,
///        5 pending held, 6 both held, 7 both held and behind; and 8 with a summary · [summary]
/// ```
public struct TicketAnswerFrame: Hashable, Sendable {
    /// The answer.
    public var answer: TicketAnswer
    /// The summary of the values held; nil where none was ever taken.
    public var held: HeldPresentation?

    /// Makes the frame.
    public init(_ answer: TicketAnswer, held: HeldPresentation? = nil) {
        self.answer = answer
        self.held = held
    }

    private static let hasHeld: UInt8 = 8

    /// Reads the frame behind its type byte. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> TicketAnswerFrame {
        let start = reader.offset
        let code = try reader.byte("ticket answer")
        guard let answer = TicketAnswer(rawValue: code & ~hasHeld) else {
            throw WireError(
                .unknownCode, at: start, expected: "ticket answer 0 to 15", found: UInt64(code))
        }
        return TicketAnswerFrame(answer, held: code & hasHeld == 0 ? nil : try .read(&reader))
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.ticketAnswer.rawValue)
        writer.byte(answer.rawValue | (held == nil ? 0 : Self.hasHeld))
        held?.write(to: &writer)
    }
}
