/// The state of a record that was not applied, at or below *through* and above the watermark.
package enum RecordException: Hashable, Sendable {
    /// The application has it and decides later.
    case pending
    /// The application refused it, or a bound of the receiver did.
    case rejected(code: UInt16)
    /// The sender cancelled it before its turn.
    case cancelled
    /// Its time ran out before its turn.
    case expired
    /// The sender had settled it before it sent a later one.
    case skipped
}
