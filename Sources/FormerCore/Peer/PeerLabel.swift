/// Whom a peer expected or met, fit for logs: the device, and a tag that tells pairings apart
/// without naming them.
public struct PeerLabel: Hashable, Sendable, CustomStringConvertible {
    /// Which of the two devices it speaks for.
    public var role: DeviceRole
    /// The upper half of the pairing's fingerprint: equal for equal pairings, different for all
    /// but one in four billion others, and no way back to the pairing's identity.
    public var pairingTag: UInt32

    /// The label of the device `role` in `pairing`.
    public init(role: DeviceRole, pairing: PairingID) {
        self.role = role
        let low = ContentHash.continued(
            ContentHash.start, with: UInt64(truncatingIfNeeded: pairing.rawValue))
        let whole = ContentHash.continued(
            low, with: UInt64(truncatingIfNeeded: pairing.rawValue >> 64))
        pairingTag = UInt32(truncatingIfNeeded: whole >> 32)
    }

    /// For instance "watch of pairing 0c3a91f7".
    public var description: String {
        let digits = String(pairingTag, radix: 16)
        return "\(role) of pairing \(String(repeating: "0", count: 8 - digits.count))\(digits)"
    }
}
