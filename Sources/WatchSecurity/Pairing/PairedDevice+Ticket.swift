public import WatchProto

extension PairedDevice {
    /// The ticket with which both journals begin (I-40).
    public var ticket: Ticket {
        Ticket(rawValue: max(1, UInt64(truncatingIfNeeded: pairing.rawValue)))
    }
}
