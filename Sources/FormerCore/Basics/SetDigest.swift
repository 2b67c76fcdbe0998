/// A fingerprint of a set of keyed values, removals left out, that does not depend on their order,
/// so that two sides can see at a glance that they hold the same.
public struct SetDigest: Hashable, Sendable {
    /// The sum of the values' fingerprints, modulo 2⁶⁴; 0 for the empty set.
    public private(set) var rawValue: UInt64 = 0

    /// Makes the digest of the empty set.
    public init() {}
    /// Takes up a digest that was made, or received, earlier.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Adds a value that was not in the set.
    public mutating func insert(_ key: RecordKey, _ kind: ContentKind, _ payload: [UInt8]) {
        guard !kind.removesKey else { return }
        rawValue &+= Self.fingerprint(key, kind, payload)
    }

    /// Takes a value out that was in the set.
    public mutating func remove(_ key: RecordKey, _ kind: ContentKind, _ payload: [UInt8]) {
        guard !kind.removesKey else { return }
        rawValue &-= Self.fingerprint(key, kind, payload)
    }

    /// The fingerprint of one value.
    static func fingerprint(
        _ key: RecordKey, _ kind: ContentKind, _ payload: [UInt8]
    ) -> UInt64 {
        var hash = ContentHash.of(payload)
        hash = ContentHash.continued(hash, with: UInt64(truncatingIfNeeded: key.rawValue >> 64))
        hash = ContentHash.continued(hash, with: UInt64(truncatingIfNeeded: key.rawValue))
        hash = ContentHash.continued(hash, with: UInt64(kind.rawValue))
        // FNV's last steps are so nearly linear that two keys with their values exchanged would
        // often give the same sum.
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }
}
