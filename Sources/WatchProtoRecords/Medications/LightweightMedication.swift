public import WatchProtoCore

/// The watch's projection of a medication: the data for a face, a reminder and a list, in a budget
/// of 200 bytes.
public struct LightweightMedication: Hashable, Sendable {
    // In this order the parts fill 128 bytes without a gap: two cache lines.
    /// The identity of the medication.
    public var id: MedicationID
    /// The name; shortened if ``MedicationFlags/nameShortened`` is set.
    public var name: String
    /// The instructions; shortened if ``MedicationFlags/instructionsShortened`` is set.
    public var instructions: String
    /// The time of the last edit.
    public var updatedAt: WallTime
    /// The fields that a newer version added.
    public var extensions: ExtensionFields
    /// The strength, the form, and the amount to take.
    public var dosage: Dosage
    /// Boolean facts about it.
    public var flags: MedicationFlags
    /// Red, green, blue and alpha, red in the highest byte.
    public var color: UInt32
    /// When its doses are due.
    public var schedule: DoseSchedule
    /// When the next dose is due, if one is planned.
    public var nextDose: WallMinute?
    /// The number of the medication's edits; the higher one is newer.
    public var revision: UInt32

    /// The most bytes of an encoding.
    public static let byteBudget = 200

    /// Makes a medication of these parts.
    public init(
        id: MedicationID, name: String, dosage: Dosage,
        schedule: DoseSchedule = DoseSchedule(), nextDose: WallMinute? = nil,
        color: UInt32 = 0x8080_80FF, flags: MedicationFlags = .isActive,
        instructions: String = "", revision: UInt32 = 1, updatedAt: WallTime,
        extensions: ExtensionFields = ExtensionFields()
    ) {
        self.id = id
        self.name = name
        self.dosage = dosage
        self.schedule = schedule
        self.nextDose = nextDose
        self.color = color
        self.flags = flags
        self.instructions = instructions
        self.revision = revision
        self.updatedAt = updatedAt
        self.extensions = extensions
    }

    /// The key of its records: each record is the newest value of this key.
    package var recordKey: RecordKey { id.recordKey }
}

/// Boolean facts about a medication. Unknown bits are kept unchanged.
public struct MedicationFlags: OptionSet, Hashable, Sendable {
    /// The facts as bits, as in the encoding.
    public let rawValue: UInt8
    /// Makes the facts of these bits, known or not.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It is being taken.
    public static let isActive = MedicationFlags(rawValue: 1)
    /// A dose was due and neither taken nor skipped.
    public static let isOverdue = MedicationFlags(rawValue: 2)
    /// It is taken as needed, not by the clock.
    public static let asNeeded = MedicationFlags(rawValue: 4)
    /// The name is shorter than the phone's.
    public static let nameShortened = MedicationFlags(rawValue: 8)
    /// The instructions are shorter than the phone's.
    public static let instructionsShortened = MedicationFlags(rawValue: 16)
    /// It may harm if it is confused with another; a face marks it.
    public static let isHighAlert = MedicationFlags(rawValue: 32)
    /// Fewer doses are left than the wearer wants to have in stock.
    public static let needsRefill = MedicationFlags(rawValue: 64)
}
