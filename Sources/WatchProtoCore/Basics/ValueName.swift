/// The name of a value of one direction: its latest-value channel and its key.
package struct ValueName: Hashable, Sendable {
    /// The latest-value channel.
    package var channel: Channel
    /// The key within it.
    package var key: RecordKey

    /// Names the value of `key` in `channel`.
    package init(channel: Channel, key: RecordKey) {
        self.channel = channel
        self.key = key
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(UInt64(truncatingIfNeeded: key.rawValue))
        hasher.combine(
            UInt64(truncatingIfNeeded: key.rawValue >> 64) ^ UInt64(channel.rawValue) << 61)
    }
}

/// A version with the epoch that gave it out.
package struct VersionMark: Hashable, Sendable {
    /// The epoch, of the sender of the values.
    package var epoch: EpochID
    /// The version.
    package var version: UInt64

    /// Names `version` of `epoch`.
    package init(epoch: EpochID, version: UInt64) {
        self.epoch = epoch
        self.version = version
    }
}

/// A 64-bit digest of a set of (channel, key, version), whatever the order they are added in.
/// Finds accidents, not attackers: it travels inside the seal. The digest of nothing is 0.
package struct VersionDigest: Hashable, Sendable {
    /// The 64 bits.
    package private(set) var rawValue: UInt64 = 0

    package init() {}

    /// Adds the value of `name` with `version`.
    package mutating func add(_ name: ValueName, version: UInt64) {
        rawValue &+= Self.term(name, version)
    }

    /// The term that stands for a value in the sum.
    private static func term(_ name: ValueName, _ version: UInt64) -> UInt64 {
        var hash = ContentHash.continued(
            ContentHash.start, with: UInt64(truncatingIfNeeded: name.key.rawValue))
        hash = ContentHash.continued(
            hash, with: UInt64(truncatingIfNeeded: name.key.rawValue >> 64))
        hash = ContentHash.continued(hash, with: version << 2 | UInt64(name.channel.rawValue >> 1))
        // FNV alone is linear enough that sums of it may meet.
        return mixed(hash)
    }

    /// SplitMix64's finish.
    private static func mixed(_ number: UInt64) -> UInt64 {
        var hash = number
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }

    /// The place of a name among all names: its term with version 0, which no value has.
    static func place(of name: ValueName) -> UInt64 { term(name, 0) }

    /// The short form of a digest. Two digests that have the same one by chance seldom have it in
    /// another listing as well.
    static func short(_ digest: UInt64, in listing: UInt64) -> UInt16 {
        UInt16(truncatingIfNeeded: mixed(digest &+ listing))
    }

    /// The fingerprint of a value: its payload and its kind.
    package static func fingerprint(_ kind: ContentKind, _ payload: [UInt8]) -> UInt64 {
        ContentHash.continued(ContentHash.of(payload), with: UInt64(kind.rawValue))
    }
}
