/// Which of the two devices a peer speaks for.
public enum DeviceRole: UInt8, Sendable, CaseIterable {
    /// The phone, which holds the data a watch is sent.
    case phone = 0
    /// The watch.
    case watch = 1

    /// The other device of the pairing.
    public var counterpart: DeviceRole { self == .phone ? .watch : .phone }
}

/// One pairing of a phone with a watch; a phone with three watches has three.
public struct PairingID: Hashable, Sendable {
    /// The 128 bits that name the pairing on both devices.
    public var rawValue: UInt128
    /// Names a pairing by its 128 bits.
    public init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// The name of one opening of a journal. Never zero.
///
/// A record's identity is (epoch, lane, number). Openings do not share an epoch, so no number is
/// used twice, not after a crash and not after a restored backup. The upper 38 bits are a
/// hybrid of clock and count: the wall clock in 64ths of a second since 1970, or one more than the
/// newest opening its side knew of, whichever is more. So the later of two openings has the higher
/// stamp, also where a restored backup knows nothing of the other one, unless a clock was set back.
/// The next bit says that the clock was behind that count by more than a second. The lower 25 are
/// random: by them alone differ openings from one backup while their clock is behind.
public struct EpochID: Hashable, Sendable, CustomStringConvertible {
    static let stampBits = 38
    static let randomBits = 25
    /// The largest stamp, of the year 2106; all later openings share it.
    static let largestStamp: UInt64 = 1 << stampBits - 1
    /// Stamps of one second.
    static let stampsPerSecond: UInt64 = 64

    /// The 64 bits of the name.
    public var rawValue: UInt64
    /// Names an epoch by its 64 bits; the caller sees to it that they are not zero.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// When it was opened, as far as its side's clock told, and in which order.
    var stamp: UInt64 { rawValue >> (64 - Self.stampBits) }

    /// Its side's clock was behind what its stamp says, as one that was set back is.
    var wasClockBehind: Bool { rawValue >> Self.randomBits & 1 == 1 }

    /// The name of an opening with this stamp, and these random bits.
    func stamped(_ stamp: UInt64, wasClockBehind: Bool = false) -> EpochID {
        let random = rawValue & (1 << Self.randomBits - 1)
        let stamp = min(stamp, Self.largestStamp) << (64 - Self.stampBits)
        // Of a name that is not zero the random bits alone may be.
        return EpochID(
            rawValue: stamp | (wasClockBehind ? 1 << Self.randomBits : 0) | max(random, 1))
    }

    /// The stamp of a clock.
    static func stamp(of time: WallTime) -> UInt64 {
        let milliseconds = UInt64(clamping: time.milliseconds)
        return milliseconds / 1000 * stampsPerSecond + milliseconds % 1000 * stampsPerSecond / 1000
    }
    /// The name in lowercase hexadecimal, without leading zeros.
    public var description: String { String(rawValue, radix: 16) }
}

/// The place of a record in its lane and epoch; the first is 1 and numbers only ascend.
public struct RecordNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The largest number a record can have. What follows it must be a number, too, and so must
    /// sums of such numbers: floors and ranges are made of them.
    public static let largest: UInt64 = (1 << 62) - 1

    /// The number itself, from 1.
    public var rawValue: UInt64
    /// Makes the number `rawValue`; whoever numbers records starts at 1.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
    /// Whether the left number was given out earlier within its epoch and lane.
    public static func < (left: RecordNumber, right: RecordNumber) -> Bool {
        left.rawValue < right.rawValue
    }
    /// The number in decimal.
    public var description: String { String(rawValue) }
}

/// The identity of a record for life.
public struct RecordID: Hashable, Sendable, CustomStringConvertible {
    /// The sender's epoch in which the record was accepted.
    public var epoch: EpochID
    /// The lane it travels in.
    public var lane: Lane
    /// Its number within that epoch and lane.
    public var number: RecordNumber

    /// Names record `number` of `lane` in `epoch`.
    public init(epoch: EpochID, lane: Lane, number: RecordNumber) {
        self.epoch = epoch
        self.lane = lane
        self.number = number
    }

    /// Two words instead of three parts: identities are looked up several times per record.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(epoch.rawValue)
        hasher.combine(number.rawValue &* 8 | UInt64(lane.rawValue))
    }

    /// As logs show it: `background 17 @9f3c…`.
    public var description: String { "\(lane) \(number) @\(epoch)" }
}

/// What a record in a newest-per-key lane is the newest value *of*: a medication, a complication.
public struct RecordKey: Hashable, Comparable, Sendable {
    /// The 128 bits of the key, as the application chose them.
    public var rawValue: UInt128
    /// Makes a key of 128 bits that the application chose.
    public init(rawValue: UInt128) { self.rawValue = rawValue }
    /// Orders keys by their bits, for listings only; the order says nothing of age.
    public static func < (left: RecordKey, right: RecordKey) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The code of what the payload of a record is. The core knows of a kind what ``RecordKinds`` says.
public struct ContentKind: RawRepresentable, Hashable, Sendable {
    /// The code on the wire; codes that no table knows are carried all the same.
    public var rawValue: UInt8
    /// Makes the kind of a code on the wire.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bytes only the two applications understand.
    public static let opaque = ContentKind(rawValue: 0)

    /// The one kind that removes its key. The journal and the digest of a set know it by its code,
    /// without a table.
    static let removal = ContentKind(rawValue: 3)
    /// Whether a record of this kind says that its key has no value any more.
    var removesKey: Bool { self == .removal }

    /// What `Peer.sendComplication` sends.
    static let face = ContentKind(rawValue: 5)

    /// A kind no value has: which one the counterpart holds is not known.
    static let notKnown = ContentKind(rawValue: .max)
}
