public import WatchProtoCore

/// An event about one dose. Events are never edited: a correction is another event. Two events for
/// one slot both stay, so a conflict between two devices is visible.
public struct DoseEvent: Hashable, Sendable {
    /// The event's identity, the same on both devices.
    public var id: DoseEventID
    /// The medication it is about.
    public var medication: MedicationID
    /// The dose it is about.
    public var slot: DoseSlotID
    /// The action that was recorded.
    public var action: DoseAction
    /// The time of the act.
    public var at: WallTime
    /// The local time zone at the place of the act.
    public var zoneOffset: ZoneOffset
    /// The amount taken, if it is known.
    public var amount: Amount?
    /// The event that this correction replaces.
    public var corrects: DoseEventID?
    /// The minutes after which a snoozed dose is due again; 0 if not stated.
    public var snoozeMinutes: UInt16
    /// The fields that a newer version added.
    public var extensions: ExtensionFields

    /// The most bytes of an encoding.
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

/// The dose of a medication that an event is about.
public enum DoseSlotID: Hashable, Sendable {
    /// A dose planned for a minute of a local date.
    case planned(PlannedDose)
    /// A dose taken as needed, without a planned time.
    case asNeeded
}

/// A dose planned for a minute of a local date. It has the minute, not the slot's place in a list.
/// After an edit of the schedule, old events therefore keep their dose.
public struct PlannedDose: Hashable, Comparable, Sendable {
    /// Days since 2020-01-01 in local dates.
    public let day: UInt16
    /// Minutes of the day, 0 to 1,439.
    public let minute: UInt16

    /// Makes the dose of `minute` on `day`; nil if the minute is not one of a day.
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
    /// The dose of the medication.
    public var slot: DoseSlotID

    /// Makes the key of one dose of `medication`.
    public init(medication: MedicationID, slot: DoseSlotID) {
        self.medication = medication
        self.slot = slot
    }
}

/// The action on a dose. An unknown code is kept unchanged.
public struct DoseAction: RawRepresentable, Hashable, Sendable {
    /// The code in the encoding.
    public var rawValue: UInt8
    /// Makes the action of this code, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The dose was taken.
    public static let taken = DoseAction(rawValue: 0)
    /// The dose was skipped on purpose.
    public static let skipped = DoseAction(rawValue: 1)
    /// The reminder was postponed; see ``DoseEvent/snoozeMinutes``.
    public static let snoozed = DoseAction(rawValue: 2)
    /// A correction without a replacement: the corrected event did not happen.
    public static let withdrawn = DoseAction(rawValue: 3)
}
