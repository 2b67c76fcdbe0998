/// What a packet in flight carried, by reference: enough to send the *current* state of it again.
/// Frames are repaired, packets never.
public enum FrameReference: Hashable, Sendable {
    case record(Lane, RecordAddress)
    /// `cut` counts how often the record's parts were begun anew.
    case part(Lane, RecordAddress, cut: Int, offset: Int, length: Int)
    /// Receipts of one of the counterpart's epochs.
    case receipt(Lane, epochIndex: Int)
    case outcome(Lane, RecordAddress)
    case floor(Lane)
    case credit(Lane)
    case withdraw(Lane, RecordAddress)
    case needBase(Lane, RecordAddress)
    case tryLater(Lane, RecordAddress, offers: UInt64)
    case heldQuery(Lane)
    case held(Lane)
    case ping
}
