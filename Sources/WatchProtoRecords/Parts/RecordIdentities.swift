public import WatchProtoCore

/// A medication's permanent identity, the same on both devices: the 128 bits of its UUID.
public struct MedicationID: Hashable, Comparable, Sendable {
    /// The UUID as a number, its first byte the highest.
    public var rawValue: UInt128

    /// Makes the identity of the UUID `rawValue`.
    @inlinable
    public init(rawValue: UInt128) { self.rawValue = rawValue }

    /// Whether `left` has the lower number; the order carries no meaning.
    @inlinable
    public static func < (left: MedicationID, right: MedicationID) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The key of a medication's records: each record is the newest value of this key.
    @inlinable
    package var recordKey: RecordKey { RecordKey(rawValue: rawValue) }

    /// The medication of a record's key.
    init(recordKey key: RecordKey) { self.init(rawValue: key.rawValue) }
}

/// A dose event's permanent identity: 128 random bits, drawn by the device on which it happened.
public struct DoseEventID: Hashable, Comparable, Sendable {
    /// The UUID as a number, its first byte the highest.
    public var rawValue: UInt128

    /// Makes the identity of the UUID `rawValue`.
    @inlinable
    public init(rawValue: UInt128) { self.rawValue = rawValue }

    /// Whether `left` has the lower number; the order carries no meaning.
    @inlinable
    public static func < (left: DoseEventID, right: DoseEventID) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The event as a key, for hosts that keep records by key. Dose events are sent in an ordered
    /// channel, which has no keys.
    @inlinable
    package var recordKey: RecordKey { RecordKey(rawValue: rawValue) }
}

/// One place on a watch face that shows a ``ComplicationState``.
public struct ComplicationID: Hashable, Comparable, Sendable {
    /// The application's own number for the place; 0 is the main one.
    public var rawValue: UInt32

    /// Makes the identity of the place `rawValue`.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The place that every face has.
    public static let main = ComplicationID(rawValue: 0)

    /// Whether `left` has the lower number; the order carries no meaning.
    @inlinable
    public static func < (left: ComplicationID, right: ComplicationID) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The key of the complication's records: each record is the newest value of this key.
    @inlinable
    package var recordKey: RecordKey { RecordKey(rawValue: UInt128(rawValue)) }
}
