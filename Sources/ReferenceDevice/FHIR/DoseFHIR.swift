import WatchProto

/// The names that dose events have in FHIR R4 beyond its own elements.
package enum DoseFHIR {
    /// The beginning of every name. It identifies the names; nothing is fetched from it.
    package static let base = "https://watchproto.example/fhir/"
    /// The system of identifiers of dose events.
    static let eventSystem = base + "dose-event"
    /// The system of identifiers of medications.
    static let medicationSystem = base + "medication"
    /// The system of codes of units.
    static let unitSystem = "http://unitsofmeasure.org"

    /// An extension of a resource, or of its dose.
    package enum Name: String, CaseIterable, Sendable {
        /// `record`, `correct`, `withdraw` or `resolve`.
        case action = "dose-action"
        /// `taken`, `skipped` or `snoozed`; absent for a withdrawal.
        case status = "dose-status"
        /// The slot: `entry`, `date` and `time`.
        case planned = "planned-dose"
        /// One replaced event; repeated.
        case replaces = "replaces"
        /// The end of a snooze.
        case snoozedUntil = "snoozed-until"
        /// The time of taking, if it was stated.
        case takenAt = "taken-at"
        /// The wall clock of the device when the event was entered.
        case entered = "entered"
        /// The offset of local time from UTC in minutes, where FHIR has no form of it.
        case zoneOffset = "zone-offset"
        /// The number of the device.
        case device = "device"
        /// The monotonic clock: `boot` and `milliseconds`.
        case uptime = "uptime"
        /// The phone's clock minus the device's, in milliseconds.
        case phoneOffset = "phone-offset"
        /// The fields of a newer version, in the form of the encoding.
        case newerFields = "newer-fields"
        /// The code of a unit that has no name in UCUM.
        case unitCode = "unit-code"

        /// The URL of the extension.
        package var url: String { base + rawValue }
    }

    static let actions: [(name: String, action: DoseAction)] = [
        ("record", .record), ("correct", .correct), ("withdraw", .withdraw), ("resolve", .resolve),
    ]

    /// The names of the statuses, with the status of the resource.
    static let statuses: [(name: String, code: String)] = [
        ("taken", "completed"), ("skipped", "not-done"), ("snoozed", "on-hold"),
    ]

    /// The place of a status in ``statuses``.
    static func place(of status: DoseStatus) -> Int {
        status.isTaken ? 0 : status.isSkipped ? 1 : 2
    }

    /// The status of the resource of an event; `isReplaced` says that another event replaces it.
    static func code(of event: DoseEvent, isReplaced: Bool) -> String {
        guard let status = event.status, !isReplaced else { return "entered-in-error" }
        return statuses[place(of: status)].code
    }

    /// The UCUM code of a unit; nil for one without a name.
    static func unitCode(_ unit: DoseUnit) -> String? {
        let place = Int(unit.rawValue) - 1
        return ucum.indices.contains(place) ? ucum[place] : nil
    }

    /// The UCUM codes of the units, by their codes from 1 on.
    private static let ucum = [
        "{tbl}", "{capsule}", "mg", "ug", "g", "mL", "[drp]", "{puff}", "[iU]", "{unit}",
        "{patch}", "{application}", "{spray}", "{suppository}", "{injection}", "{sachet}", "meq",
        "[tsp_us]", "mmol",
    ]
}

/// The events of a ledger or of a file that others of it replace.
struct ReplacedDoses {
    private struct Subject: Hashable {
        var medication: MedicationID
        var slot: DoseSlot?

        init(_ event: DoseEvent) { (medication, slot) = (event.medication, event.slot) }
    }

    private let ids: [Subject: Set<DoseEventID>]

    /// Makes the set of all events, or of those alone that replace others.
    init(_ events: some Sequence<DoseEvent>) {
        let replacing = events.lazy.filter { !$0.replaces.isEmpty }
        let bySubject = Dictionary(grouping: replacing) { Subject($0) }
        ids = bySubject.mapValues { DoseHeads.replaced(by: $0) }
    }

    /// Whether another event replaces this one.
    func contains(_ event: DoseEvent) -> Bool { ids[Subject(event)]?.contains(event.id) ?? false }
}
