/// What became of one update of a complication.
public enum ComplicationUpdate: Hashable, Sendable {
    /// It is on its way, under this identity.
    case queued(RecordID)
    /// It waits to be joined with later ones; the last of them gets an identity when it leaves.
    case gathered
    /// The face shows it already, or is about to: nothing is sent.
    case equal
}
