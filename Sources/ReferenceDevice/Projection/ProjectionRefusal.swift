internal import ControlProtocol
package import WatchProto

/// Why a medication cannot go to the watch. Its record is at fault, nothing was changed; cutting
/// further would hide a strength, an amount or what the medicine is.
package struct ProjectionRefusal: Error, Hashable, Sendable {
    /// The part of the record that does not fit.
    package enum Field: String, Hashable, Sendable, CaseIterable {
        /// The name, where cutting it further would hide what the medicine is.
        case name
        /// The strength, which is never cut.
        case strength
        /// The amount to take, where only words can state it.
        case amount
        /// The instructions, where no amount is stated: their beginning may say it.
        case instructions
        /// More times a day than a watch's schedule holds.
        case schedule
    }

    /// The medication's identity.
    package var id: MedicationID
    /// The medication's name as the phone has it.
    package var name: String
    /// The part of the record that does not fit.
    package var field: Field
    /// Bytes the whole record would need at the least; for ``Field/schedule``, times a day.
    package var needed: Int
    /// Bytes a record may take; for ``Field/schedule``, times a day a record may hold.
    package var budget: Int

    /// Makes the refusal.
    package init(id: MedicationID, name: String, field: Field, needed: Int, budget: Int) {
        self.id = id
        self.name = name
        self.field = field
        self.needed = needed
        self.budget = budget
    }
}

extension ProjectionRefusal: CustomStringConvertible {
    /// The refusal in a sentence: the medication, what does not fit, the need and the budget. A
    /// long name is cut.
    package var description: String {
        let name = Excerpt.of(name)
        switch field {
        case .schedule:
            return "'\(name)' is due \(needed) times a day, a watch holds \(budget)"
        default:
            return "'\(name)' does not fit a watch: its \(field) cannot be shortened further, "
                + "\(needed) bytes needed, \(budget) allowed"
        }
    }
}
