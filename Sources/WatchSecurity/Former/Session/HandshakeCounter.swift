public import WatchProto

/// The numbers of this device's reconnections within a pairing: each is used for one first message,
/// and never again, not after a crash either. So a counterpart that remembers the highest one needs
/// nothing else to tell a replayed first message.
///
/// Numbers are reserved in blocks: what is durable is the end of the block, so that most handshakes
/// wait for no disk. After a crash the rest of a block is skipped.
public struct HandshakeCounter: Hashable, Sendable {
    /// How many numbers are reserved at once.
    public static let blockSize: UInt64 = 64

    /// The next number, if it is below ``reserved``.
    private var nextNumber: UInt64
    /// The end of what may be used: durable on this device.
    public private(set) var reserved: UInt64

    /// Goes on after a start: everything below the `reserved` that was last committed may have been
    /// used. 0 for a new pairing.
    public init(reserved: UInt64 = 0) {
        nextNumber = max(reserved, 1)
        self.reserved = reserved
    }

    /// What to make durable before more numbers can be used: the end of the next block. Hand it to
    /// ``committed(_:)`` afterwards. Nil while half a block is left.
    public var wanted: UInt64? {
        let left = reserved > nextNumber ? reserved - nextNumber : 0
        guard left < Self.blockSize / 2 else { return nil }
        let (end, overflow) = nextNumber.addingReportingOverflow(Self.blockSize)
        return overflow ? nil : end
    }

    /// `end` is durable now.
    public mutating func committed(_ end: UInt64) { reserved = max(reserved, end) }

    /// The number of one first message; nil until more are reserved: reconnect without early data
    /// then, with number 0.
    public mutating func next() -> UInt64? {
        guard nextNumber < reserved else { return nil }
        defer { nextNumber += 1 }
        return nextNumber
    }

    /// The counterpart says that it has seen `highest`: this device was restored from a backup.
    /// Numbers go on above it. Only from a packet that has authenticated.
    public mutating func learn(_ highest: UInt64) {
        guard highest < HandshakeGate.limit - Self.blockSize else { return }
        nextNumber = max(nextNumber, highest + 1)
    }
}

/// The highest number of the counterpart's reconnections that was taken. Durable: to be committed
/// with the records that came early under it, or before they are given to anybody.
public struct HandshakeGate: Hashable, Sendable {
    /// The highest number taken; 0 before the first.
    public private(set) var highest: UInt64

    /// Goes on from what was last committed.
    public init(highest: UInt64 = 0) { self.highest = highest }

    /// Numbers end below it, for either side.
    public static let limit: UInt64 = 1 << 62

    /// Judges the number of a first message that has authenticated, and remembers it.
    public mutating func judge(_ number: UInt64) -> EarlyVerdict {
        // One that no honest counterpart comes to would make all later ones stale.
        guard number != 0, number < Self.limit else { return .none }
        guard number > highest else { return .stale(highest: highest) }
        highest = number
        return .accepted
    }
}
