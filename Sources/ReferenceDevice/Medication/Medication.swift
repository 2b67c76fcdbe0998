package import WatchProto

/// The phone's full record of a medication, about 2 KB as JSON. The watch gets the projection that
/// ``MedicationProjection`` makes of it.
package struct Medication: Hashable, Sendable {
    /// The same on both devices and for life.
    package var id: MedicationID
    /// The wearer's name for it; without the strength where the source let the two be told apart.
    package var name: String
    /// The name of the substance, where it differs.
    package var genericName: String = ""
    /// Its ingredients.
    package var ingredients: [Ingredient] = []
    /// How strong it is, as its source wrote it. Never cut.
    package var strength: String = ""
    /// The form in which it is given.
    package var form: DoseForm = .unknown
    /// How it is given: `oral`, `subcutaneous`.
    package var route: String = ""
    /// The amount that is taken at a time.
    package var dose: DosePerTime = .unstated
    /// How to take it, in words for the wearer.
    package var instructions: String = ""
    /// Notes for the pharmacist about giving it.
    package var pharmacistInstructions: String = ""
    /// When it is due.
    package var schedule: MedicationSchedule = MedicationSchedule()
    /// Whether it is taken as needed, not by the clock.
    package var isAsNeeded: Bool = false
    /// The least time between its doses, and the most of them in a day: they warn.
    package var limits: AsNeededLimits = AsNeededLimits()
    /// Whether it is being taken at all.
    package var isActive: Bool = true
    /// Whether a mix-up may harm, so that a face marks it.
    package var isHighAlert: Bool = false
    /// The prescriber.
    package var prescriber: Contact?
    /// The pharmacy that hands it out.
    package var pharmacy: Contact?
    /// The condition it is taken for.
    package var indication: String = ""
    /// Anything else.
    package var notes: String = ""
    /// The remaining doses and refills.
    package var stock: Stock?
    /// Its codes in registers.
    package var codes: [Code] = []
    /// Red, green, blue and alpha, red in the highest byte.
    package var color: UInt32 = 0x8080_80FF
    /// Counts the edits, from 1; the higher one is newer.
    package var revision: UInt32 = 1
    /// When it was first known.
    package var createdAt: WallTime
    /// When it was last edited.
    package var updatedAt: WallTime
    /// The summary of its doses: taken and skipped.
    package var history: DoseHistory = DoseHistory()

    /// The entries of its schedule, each with the minute at which it was added.
    package var entries: ScheduleEntries { schedule.entries.known(since: WallMinute(createdAt)) }

    /// Makes a medication of which no more is known than its name.
    package init(id: MedicationID, name: String, createdAt: WallTime) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        updatedAt = createdAt
    }
}
