public import DeviceStore
public import WatchProto
public import WatchProtoRecords

/// The phone's full record of a medication, about 2 KB as JSON. The watch gets the projection that
/// ``MedicationProjection`` makes of it.
public struct Medication: Hashable, Sendable {
    /// The same on both devices and for life.
    public var id: MedicationID
    /// What the wearer calls it; without the strength where the source let the two be told apart.
    public var name: String
    /// The name of the substance, where it differs.
    public var genericName: String = ""
    /// What it consists of.
    public var ingredients: [Ingredient] = []
    /// How strong it is, as its source wrote it. Never cut.
    public var strength: String = ""
    /// What it is given as.
    public var form: DoseForm = .unknown
    /// How it is given: `oral`, `subcutaneous`.
    public var route: String = ""
    /// What is taken at a time.
    public var dose: DosePerTime = .unstated
    /// How to take it, in words for the wearer.
    public var instructions: String = ""
    /// What the pharmacist needs to know about giving it.
    public var pharmacistInstructions: String = ""
    /// When it is due.
    public var schedule: MedicationSchedule = MedicationSchedule()
    /// Whether it is taken as needed, not by the clock.
    public var isAsNeeded: Bool = false
    /// Whether it is being taken at all.
    public var isActive: Bool = true
    /// Whether a mix-up may harm, so that a face marks it.
    public var isHighAlert: Bool = false
    /// Who ordered it.
    public var prescriber: Contact?
    /// Who hands it out.
    public var pharmacy: Contact?
    /// What it is taken for.
    public var indication: String = ""
    /// Anything else.
    public var notes: String = ""
    /// What is left of it.
    public var stock: Stock?
    /// What registers call it.
    public var codes: [Code] = []
    /// Red, green, blue and alpha, red in the highest byte.
    public var color: UInt32 = 0x8080_80FF
    /// Counts the edits, from 1; the higher one is newer.
    public var revision: UInt32 = 1
    /// When it was first known.
    public var createdAt: WallTime
    /// When it was last edited.
    public var updatedAt: WallTime
    /// What became of its doses, in short.
    public var history: DoseHistory = DoseHistory()

    /// Makes a medication of which no more is known than its name.
    public init(id: MedicationID, name: String, createdAt: WallTime) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        updatedAt = createdAt
    }
}
