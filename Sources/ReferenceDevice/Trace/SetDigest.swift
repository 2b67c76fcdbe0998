package import WatchProto

/// A 64-bit fingerprint of the set that a device holds, whatever the order of its values: two
/// devices with the same set show the same. Finds accidents, not attackers.
package struct SetDigest: Hashable, Sendable {
    /// The 64 bits; 0 of the empty set.
    package private(set) var rawValue: UInt64 = 0

    /// Makes the fingerprint of the empty set.
    package init() {}

    /// Adds a value.
    package mutating func insert(_ key: RecordKey, _ kind: ContentKind, _ payload: [UInt8]) {
        rawValue &+= Self.hash(key, kind, payload)
    }

    /// Takes out a value that was added.
    package mutating func remove(_ key: RecordKey, _ kind: ContentKind, _ payload: [UInt8]) {
        rawValue &-= Self.hash(key, kind, payload)
    }

    private static func hash(_ key: RecordKey, _ kind: ContentKind, _ payload: [UInt8]) -> UInt64 {
        var hash = VersionDigest.fingerprint(kind, payload)
        hash = ContentHash.continued(hash, with: UInt64(truncatingIfNeeded: key.rawValue))
        hash = ContentHash.continued(hash, with: UInt64(truncatingIfNeeded: key.rawValue >> 64))
        // FNV alone is linear enough that sums of it may meet; mixed by SplitMix64's finish.
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }
}
