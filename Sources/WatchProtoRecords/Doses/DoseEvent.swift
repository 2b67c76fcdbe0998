public import WatchProtoCore

/// An event about one dose. Events are never edited: a correction is an event of its own, and
/// two events for one slot both stay, so that a conflict between two devices is visible.
public struct DoseEvent: Hashable, Sendable {
    /// The event's identity, the same on both devices.
    public var id: DoseEventID
    /// The medication it is about.
    public var medication: MedicationID
    /// The dose it is about.
    public var slot: DoseSlotID
    /// The action that was recorded.
    public var action: DoseAction
    /// When it happened.
    public var at: WallTime
    /// Local time where it happened.
    public var zoneOffset: ZoneOffset
    /// The amount that was taken, where that is known.
    public var amount: Amount?
    /// The event that this one replaces, for a correction.
    public var corrects: DoseEventID?
    /// After how many minutes a snoozed dose comes back; 0 where that is not stated.
    public var snoozeMinutes: UInt16
    /// The fields that a newer version added.
    public var extensions: ExtensionFields

    /// The most bytes an encoding may take.
    public static let byteBudget = 200

    /// Makes an event of these parts.
    public init(
        id: DoseEventID, medication: MedicationID, slot: DoseSlotID, action: DoseAction,
        at: WallTime, zoneOffset: ZoneOffset = .utc, amount: Amount? = nil,
        corrects: DoseEventID? = nil, snoozeMinutes: UInt16 = 0,
        extensions: ExtensionFields = ExtensionFields()
    ) {
        self.id = id
        self.medication = medication
        self.slot = slot
        self.action = action
        self.at = at
        self.zoneOffset = zoneOffset
        self.amount = amount
        self.corrects = corrects
        self.snoozeMinutes = snoozeMinutes
        self.extensions = extensions
    }

    /// Whether the event replaces an earlier one.
    public var isCorrection: Bool { corrects != nil }

    /// Events with equal keys are about the same dose and merge visibly.
    public var doseKey: DoseKey { DoseKey(medication: medication, slot: slot) }
}

/// Which dose of a medication an event is about.
public enum DoseSlotID: Hashable, Sendable {
    /// A dose planned for a minute of a local date.
    case planned(PlannedDose)
    /// A dose taken as needed, planned for no moment.
    case asNeeded
}

/// A dose planned for a minute of a local date. The minute, not the slot's place in a list, so that
/// an edit of the schedule leaves old events with the dose they were about.
public struct PlannedDose: Hashable, Comparable, Sendable {
    /// Days since 2020-01-01 in local dates.
    public let day: UInt16
    /// Minutes of the day, 0 to 1,439.
    public let minute: UInt16

    /// Makes the dose of `minute` on `day`; nil when the minute is not one of a day.
    public init?(day: UInt16, minute: Int) {
        guard (0..<DoseSlots.minutesPerDay).contains(minute) else { return nil }
        self.day = day
        self.minute = UInt16(minute)
    }

    /// Whether `left` is planned for the earlier local minute.
    public static func < (left: PlannedDose, right: PlannedDose) -> Bool {
        (left.day, left.minute) < (right.day, right.minute)
    }
}

/// One dose of one medication.
public struct DoseKey: Hashable, Sendable {
    /// The medication.
    public var medication: MedicationID
    /// Which of its doses.
    public var slot: DoseSlotID

    /// Makes the key of one dose of `medication`.
    public init(medication: MedicationID, slot: DoseSlotID) {
        self.medication = medication
        self.slot = slot
    }
}

/// The action on a dose. A code this version does not know is kept as it is.
public struct DoseAction: RawRepresentable, Hashable, Sendable {
    /// The code in the encoding.
    public var rawValue: UInt8
    /// Makes the action of this code, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The dose was taken.
    public static let taken = DoseAction(rawValue: 0)
    /// The dose was left out on purpose.
    public static let skipped = DoseAction(rawValue: 1)
    /// The reminder was put off; see ``DoseEvent/snoozeMinutes``.
    public static let snoozed = DoseAction(rawValue: 2)
    /// A correction that puts nothing in the place of what it corrects: that did not happen.
    public static let withdrawn = DoseAction(rawValue: 3)
}
