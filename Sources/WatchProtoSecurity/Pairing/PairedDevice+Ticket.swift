package import WatchProtoCore

extension PairedDevice {
    /// The ticket with which both journals begin (I-40).
    package var ticket: Ticket {
        Ticket(rawValue: max(1, UInt64(truncatingIfNeeded: pairing.rawValue)))
    }
}
