public import WatchProtoCore
public import WatchProtoRecords

/// A value that the other device is to have.
///
/// Its ``delivery`` says what is promised: that every value arrives, in order, or that the newest
/// value of each key does. Medications and complication states are such values; an application adds
/// its own. (Dose events have a ledger: ``CompanionSession/doses``.)
public protocol CompanionRecord: Sendable {
    /// The kind of the bytes. Kinds of an application begin at 64.
    static var kind: ContentKind { get }
    /// Whether every value counts, or only the newest one of its ``valueKey``.
    static var delivery: RecordDelivery { get }
    /// The key whose newest value this is; nil where every value counts. Types of different kinds
    /// may use the same keys: their values do not meet.
    var valueKey: RecordKey? { get }
    /// The canonical bytes: equal values have equal bytes. Throws for a value that has none; who
    /// made it is at fault.
    func encoded() throws(EncodingRefusal) -> [UInt8]
    /// Makes the value of its bytes and its ``valueKey``. Throws for other bytes; their author is
    /// at fault.
    init(decoding bytes: [UInt8], key: RecordKey?) throws(WireError)
}

/// The delivery guarantee of a kind of records.
public enum RecordDelivery: Hashable, Sendable {
    /// Every value arrives, in the order of sending.
    case inOrder
    /// The newest value of each key arrives; older ones may be passed over.
    case latestValue
}

/// The newest state of a medication on the watch.
extension LightweightMedication: CompanionRecord {
    /// `ContentKind.medication`.
    public static var kind: ContentKind { .medication }
    /// The newest state of each medication.
    public static var delivery: RecordDelivery { .latestValue }
    /// The medication's identity.
    public var valueKey: RecordKey? { id.recordKey }
    /// Makes the medication of its canonical bytes.
    ///
    /// - Throws: `WireError` for other bytes, and for those of another medication; their author is
    ///   at fault.
    public init(decoding bytes: [UInt8], key: RecordKey?) throws(WireError) {
        try self.init(decoding: bytes)
        guard key == id.recordKey else {
            throw WireError(.outOfRange, at: 0, expected: "the medication of the key", found: 0)
        }
    }
}

/// A medication that is gone: sent by `synchronize(_:)` for each that is not in the set.
public struct MedicationRemoval: CompanionRecord, Hashable {
    /// The medication.
    public var id: MedicationID

    /// Says that the medication is gone.
    public init(_ id: MedicationID) { self.id = id }
    /// Takes the medication's identity from the key; the bytes are empty.
    ///
    /// - Throws: `WireError` where there is no key; the author of the record is at fault.
    public init(decoding bytes: [UInt8], key: RecordKey?) throws(WireError) {
        guard let key else {
            throw WireError(.outOfRange, at: 0, expected: "the key of a medication", found: 0)
        }
        id = MedicationID(rawValue: key.rawValue)
    }
    /// No bytes.
    public func encoded() -> [UInt8] { [] }
    /// `ContentKind.medicationRemoval`.
    public static var kind: ContentKind { .medicationRemoval }
    /// The newest state of each medication.
    public static var delivery: RecordDelivery { .latestValue }
    /// The medication's identity.
    public var valueKey: RecordKey? { id.recordKey }
}

/// The state that a place of the watch's face displays. Sent by
/// ``ComplicationCenter/update(_:for:cause:change:threshold:)``, as its key is the place.
public struct ShownState: CompanionRecord, Hashable {
    /// The place.
    public var place: ComplicationID
    /// The state that the place displays.
    public var state: ComplicationState

    /// Shows the state at the place.
    public init(_ state: ComplicationState, at place: ComplicationID = .main) {
        self.state = state
        self.place = place
    }
    /// Makes the state of its canonical bytes, and the place of the key.
    ///
    /// - Throws: `WireError` for other bytes; their author is at fault.
    public init(decoding bytes: [UInt8], key: RecordKey?) throws(WireError) {
        guard let key, let place = UInt32(exactly: key.rawValue) else {
            throw WireError(.outOfRange, at: 0, expected: "the key of a place", found: 0)
        }
        self.init(
            try ComplicationState(decoding: bytes), at: ComplicationID(rawValue: place))
    }
    /// The state's canonical bytes.
    ///
    /// - Throws: `EncodingRefusal` for texts that are too long; the state's author is at fault.
    public func encoded() throws(EncodingRefusal) -> [UInt8] { try state.encoded() }
    /// `ContentKind.complication`.
    public static var kind: ContentKind { .complication }
    /// The newest state of each place.
    public static var delivery: RecordDelivery { .latestValue }
    /// The place.
    public var valueKey: RecordKey? { place.recordKey }
}

/// Bytes of the application that arrive once, in order (WatchConnectivity's `transferUserInfo`).
public struct UserInfo: CompanionRecord, Hashable {
    /// At most 65,536 bytes, of the application's own meaning; at ``TransferPriority/low`` at most
    /// 4,194,304.
    public var bytes: [UInt8]

    /// Makes the record of these bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
    /// Takes the bytes as they are.
    public init(decoding bytes: [UInt8], key: RecordKey?) { self.bytes = bytes }
    /// The bytes as they are.
    public func encoded() -> [UInt8] { bytes }
    /// `ContentKind.userInfo`.
    public static var kind: ContentKind { .userInfo }
    /// Every one, in order.
    public static var delivery: RecordDelivery { .inOrder }
    /// Nil: every one counts.
    public var valueKey: RecordKey? { nil }
}

/// The application's state as a whole, of which the newest counts (WatchConnectivity's
/// `updateApplicationContext`).
///
/// More than 1 KB may be compressed (F-28), and the length of compressed bytes tells somebody on
/// the line about their content. Never put a secret beside a text that others choose: with many
/// texts they find out the secret.
public struct ApplicationContext: CompanionRecord, Hashable {
    /// At most 262,144 bytes, of the application's own meaning.
    public var bytes: [UInt8]

    /// Makes the record of these bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
    /// Takes the bytes as they are.
    public init(decoding bytes: [UInt8], key: RecordKey?) { self.bytes = bytes }
    /// The bytes as they are.
    public func encoded() -> [UInt8] { bytes }
    /// `ContentKind.applicationContext`.
    public static var kind: ContentKind { .applicationContext }
    /// The newest one.
    public static var delivery: RecordDelivery { .latestValue }
    /// One key: there is one context.
    public var valueKey: RecordKey? { .context }
}

extension RecordKey {
    /// The key of the application's context.
    static let context = RecordKey(rawValue: 0)

    /// The key that a record of this kind leaves with; of such a key, the application's own.
    func mixed(with kind: ContentKind) -> RecordKey { RecordKey(rawValue: kind.mixed(rawValue)) }
}

extension ContentKind {
    /// Adds a number of this kind to a key, or takes it from such a key.
    ///
    /// A channel knows keys and no kinds: without that number, records of two types with equal keys
    /// would take each other's place. Medications, places and files have keys of their own.
    func mixed(_ key: UInt128) -> UInt128 {
        switch self {
        case .medication, .medicationRemoval, .complication, .file: key
        default: key ^ (UInt128(rawValue) + 1) &* Self.distance
        }
    }

    /// 2¹²⁸ divided by the golden ratio, odd: its multiples are far apart.
    private static let distance: UInt128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835
}

extension TransferPriority {
    /// The channel of records of which every one counts.
    package var orderedChannel: Channel {
        switch self {
        case .high, .normal: .background
        case .low: .bulk
        }
    }
}

extension CompanionRecord {
    /// The channel that values of this type go in.
    static func channel(_ priority: TransferPriority) -> Channel {
        switch delivery {
        case .latestValue: kind == .complication ? .complication : .context
        case .inOrder: kind == .file ? .bulk : priority.orderedChannel
        }
    }

    /// The value as the peer takes it. Throws where it has no bytes.
    func draft(_ options: SendOptions) throws(Refusal) -> RecordDraft {
        let payload: [UInt8]
        do throws(EncodingRefusal) {
            payload = try encoded()
        } catch {
            throw .notEncodable(error)
        }
        return RecordDraft(
            channel: Self.channel(options.priority), kind: Self.kind,
            key: valueKey?.mixed(with: Self.kind), payload: payload,
            expiresAt: options.expiresAt,
            idempotencyKey: options.idempotencyKey.map(Self.kind.mixed),
            isUrgent: options.priority == .high)
    }
}
