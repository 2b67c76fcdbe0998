/// The name of a value of one direction: its latest-value channel and its key.
public struct ValueName: Hashable, Sendable {
    /// The latest-value channel.
    public var channel: Channel
    /// The key within it.
    public var key: RecordKey

    /// Names the value of `key` in `channel`.
    public init(channel: Channel, key: RecordKey) {
        self.channel = channel
        self.key = key
    }

    /// Two words instead of three parts: names are looked up several times per value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(UInt64(truncatingIfNeeded: key.rawValue))
        hasher.combine(
            UInt64(truncatingIfNeeded: key.rawValue >> 64) ^ UInt64(channel.rawValue) << 61)
    }
}

/// A version with the epoch that gave it out.
public struct VersionMark: Hashable, Sendable {
    /// The epoch, of the sender of the values.
    public var epoch: EpochID
    /// The version.
    public var version: UInt64

    /// Names `version` of `epoch`.
    public init(epoch: EpochID, version: UInt64) {
        self.epoch = epoch
        self.version = version
    }
}

/// A 64-bit digest of a set of (channel, key, version), whatever the order they are added in.
/// Finds accidents, not attackers: it travels inside the seal. The digest of nothing is 0.
public struct VersionDigest: Hashable, Sendable {
    /// The 64 bits.
    public private(set) var rawValue: UInt64 = 0

    /// Makes the digest of nothing.
    public init() {}

    /// Adds the value of `name` with `version`.
    public mutating func add(_ name: ValueName, version: UInt64) {
        var hash = ContentHash.continued(
            ContentHash.start, with: UInt64(truncatingIfNeeded: name.key.rawValue))
        hash = ContentHash.continued(
            hash, with: UInt64(truncatingIfNeeded: name.key.rawValue >> 64))
        hash = ContentHash.continued(hash, with: version << 2 | UInt64(name.channel.rawValue >> 1))
        // FNV alone is linear enough that sums of it may meet; mixed by SplitMix64's finish.
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        rawValue &+= hash ^ (hash >> 31)
    }

    /// The fingerprint of a value: its payload and its kind.
    public static func fingerprint(_ kind: ContentKind, _ payload: [UInt8]) -> UInt64 {
        ContentHash.continued(ContentHash.of(payload), with: UInt64(kind.rawValue))
    }
}
