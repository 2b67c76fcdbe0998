/// What delivery tells the peer about records of this side, for the application and for the rooms
/// above.
public enum DeliveryChange: Hashable, Sendable {
    /// A record came this far.
    case progress(RecordID, Stage)
    /// A record is over.
    case settled(RecordID, Outcome)
    /// The counterpart holds this value of a key, or will never take it (`counts` false).
    case confirmed(Lane, RecordKey, payload: [UInt8], counts: Bool)
}
