public import WatchProto

extension PairedDevice {
    /// The ticket with which both journals begin: 64 bits of the hash of the pairing's handshake,
    /// never zero.
    public var ticket: Ticket {
        Ticket(rawValue: max(1, UInt64(truncatingIfNeeded: pairing.rawValue)))
    }
}
