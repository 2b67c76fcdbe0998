/// What became of the early data that came with a first flight.
public enum EarlyVerdict: Hashable, Sendable {
    /// It was taken.
    case accepted
    /// The flight's counter was not above `highest`: it may be a replay. Send what it held again;
    /// the session stands all the same.
    case stale(highest: UInt64)
    /// There was none to judge, or none was wanted.
    case none
}
