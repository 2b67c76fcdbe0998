/// Which of the two devices a peer speaks for.
public enum DeviceRole: UInt8, Sendable, CaseIterable {
    /// The phone, which holds the data a watch is sent.
    case phone = 0
    /// The watch.
    case watch = 1

    /// The other device of the pairing.
    package var counterpart: DeviceRole { self == .phone ? .watch : .phone }
}

/// One pairing of a phone with a watch; a phone with three watches has three.
public struct PairingID: Hashable, Sendable {
    /// The 128 bits that name the pairing on both devices.
    public var rawValue: UInt128
    /// Names a pairing by its 128 bits.
    public init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// The name of one opening of a journal: 64 random bits, never zero, compared for equality only
/// (Models/IDENTITY.md, section 2).
///
/// A record's identity is (epoch, channel, number). Openings do not share an epoch, so no number is
/// used twice, not after a crash and not after a restored backup.
package struct EpochID: Hashable, Sendable {
    /// The 64 bits of the name.
    package var rawValue: UInt64
    /// Names an epoch by its 64 bits; the caller ensures that they are not zero.
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The name of what both journals hold of a handshake: 64 bits of its hash, compared for equality
/// only (Models/IDENTITY.md, section 4).
package struct Ticket: Hashable, Sendable {
    /// The 64 bits of the name.
    package var rawValue: UInt64
    /// Names a ticket by its 64 bits.
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The place of a record in its channel and epoch; the first is 1 and numbers only ascend.
package struct RecordNumber: Hashable, Comparable, Sendable {
    /// The largest number a record can have. Its successor and sums of such numbers must be
    /// representable, too, because watermarks and ranges are made of them.
    package static let largest: UInt64 = (1 << 62) - 1

    /// The number itself, from 1.
    package var rawValue: UInt64
    /// Makes the number `rawValue`; a sender of records starts at 1.
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    /// Whether the left number was given out earlier within its epoch and channel.
    package static func < (left: RecordNumber, right: RecordNumber) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The identity of a record for life. `String(describing:)` writes it and `RecordID(_:)` reads it,
/// for an application that asks for its outcome after a restart.
public struct RecordID: Hashable, Sendable {
    /// The sender's epoch in which the record was accepted.
    package var epoch: EpochID
    /// The channel it travels in.
    package var channel: Channel
    /// Its number within that epoch and channel.
    package var number: RecordNumber

    /// Names record `number` of `channel` in `epoch`.
    package init(epoch: EpochID, channel: Channel, number: RecordNumber) {
        self.epoch = epoch
        self.channel = channel
        self.number = number
    }

    /// Two words instead of three parts: identities are looked up several times per record.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(epoch.rawValue)
        hasher.combine(number.rawValue &* 8 | UInt64(channel.rawValue))
    }
}

/// The key of a latest-value channel. It names the object whose newest value a record carries: a
/// medication, a complication.
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

/// The code of what a payload is. The core knows of a kind what ``RecordKinds`` says.
public struct ContentKind: RawRepresentable, Hashable, Sendable {
    /// The code on the wire; codes that the table does not know are carried all the same.
    public var rawValue: UInt8
    /// Makes the kind of a code on the wire.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bytes that only the two applications understand.
    package static let opaque = ContentKind(rawValue: 0)
}
