public import WatchProtoCore

/// An event about one dose. Events are never edited: a later event replaces the events it names.
///
/// The set of a dose's events determines its state; see ``DoseSlotState``.
public struct DoseEvent: Hashable, Sendable {
    /// The event's identity, drawn at random before the event is stored, the same on every device.
    public let id: DoseEventID
    /// The medication it is about.
    public let medication: MedicationID
    /// The scheduled dose that it is about; nil for a dose taken as needed.
    public let planned: PlannedDose?
    /// Whether the event records a dose or replaces other events.
    public let action: DoseAction
    /// The status that the dose gets; nil for a withdrawal.
    public let status: DoseStatus?
    /// The events that this one replaces, ascending; empty for a record.
    public let replaces: [DoseEventID]
    /// The time at which the event was entered.
    public let time: DoseTime
    /// The fields that a newer version added.
    public var extensions = ExtensionFields()

    /// The most bytes of an encoding.
    public static let byteBudget = 200
}

extension DoseEvent {
    /// Makes the record of a dose: taken, skipped or snoozed.
    public init(
        id: DoseEventID, medication: MedicationID, planned: PlannedDose?, status: DoseStatus,
        time: DoseTime
    ) {
        self.init(
            id: id, medication: medication, planned: planned, action: .record, status: status,
            replaces: [], time: time)
    }

    /// Makes an event that replaces `events`; nil if the parts do not fit together.
    ///
    /// `events` are one to eight of one dose. The status is taken or skipped for a correction or
    /// a resolution, and nil for a withdrawal. To undo or resolve a dose, name all its heads.
    public init?(
        id: DoseEventID, _ action: DoseAction, _ events: some Collection<DoseEvent>,
        status: DoseStatus?, time: DoseTime
    ) {
        guard let first = events.first,
            events.allSatisfy({ $0.medication == first.medication && $0.slot == first.slot })
        else { return nil }
        self.init(
            id: id, medication: first.medication, planned: first.planned, action,
            status: status, replaces: Set(events.map(\.id)).sorted(), time: time)
    }

    /// Makes an event of these parts; nil if they do not fit together.
    package init?(
        id: DoseEventID, medication: MedicationID, planned: PlannedDose?, _ action: DoseAction,
        status: DoseStatus?, replaces: [DoseEventID], time: DoseTime
    ) {
        guard action.allows(status), action.allows(replaced: replaces.count),
            zip(replaces, replaces.dropFirst()).allSatisfy({ $0 < $1 }), !replaces.contains(id)
        else { return nil }
        self.init(
            id: id, medication: medication, planned: planned, action: action, status: status,
            replaces: replaces, time: time)
    }

    /// The slot that the event is about; nil for a dose taken as needed.
    public var slot: DoseSlot? {
        planned.map { DoseSlot(medication: medication, entry: $0.entry, day: $0.day) }
    }

    /// The code of the status in the encoding and in tables; 3 for a withdrawal.
    package var statusCode: UInt8 { status?.code ?? Self.noStatus }

    /// The moment of the dose: when it was taken if that is stated, or else when it was entered,
    /// by the phone's clock if that was measured.
    public var moment: WallTime { status?.takenAt?.wallTime ?? time.onPhone }
}

/// The effect of an event: it records a dose, or it replaces the events that it names.
public struct DoseAction: Hashable, Sendable {
    /// The code in the encoding.
    package let code: UInt8

    /// A dose was taken, skipped or snoozed.
    public static let record = DoseAction(code: 0)
    /// The dose was entered wrongly, and has another status.
    public static let correct = DoseAction(code: 1)
    /// The replaced events did not happen (undo).
    public static let withdraw = DoseAction(code: 2)
    /// A person decided which of several statuses is the true one.
    public static let resolve = DoseAction(code: 3)

    /// Whether an event with this action may have `status`. Only a withdrawal has none, and only a
    /// record snoozes: a correction to *snoozed* would reopen a dose that was closed.
    package func allows(_ status: DoseStatus?) -> Bool {
        guard let status else { return self == .withdraw }
        return self == .record || self != .withdraw && !status.isSnoozed
    }

    /// Whether an event with this action may replace `count` others.
    func allows(replaced count: Int) -> Bool {
        self == .record ? count == 0 : (1...Self.mostReplaced).contains(count)
    }

    /// The most events that one event replaces.
    package static var mostReplaced: Int { 8 }
}

/// The status of a dose, with its details.
public struct DoseStatus: Hashable, Sendable {
    /// The code in the encoding.
    package let code: UInt8
    /// The amount taken, if it is known.
    public let amount: Amount?
    /// The end of a snooze, or the time of taking if it is not that of the entry.
    let minute: WallMinute?

    package init(code: UInt8, amount: Amount? = nil, minute: WallMinute? = nil) {
        self.code = code
        self.amount = amount
        self.minute = minute
    }

    /// The dose was taken when it was entered.
    public static let taken = DoseStatus(code: 0)
    /// The dose was skipped on purpose.
    public static let skipped = DoseStatus(code: 1)

    /// The dose was taken: this amount, at this time if it was not that of the entry.
    public static func taken(_ amount: Amount?, at time: WallMinute? = nil) -> DoseStatus {
        DoseStatus(code: taken.code, amount: amount, minute: time)
    }

    /// The reminder was postponed until `end`.
    public static func snoozed(until end: WallMinute) -> DoseStatus {
        DoseStatus(code: 2, minute: end)
    }

    /// Whether the dose was taken.
    public var isTaken: Bool { code == 0 }
    /// Whether the dose was skipped.
    public var isSkipped: Bool { code == 1 }
    /// Whether the reminder was postponed.
    package var isSnoozed: Bool { code == 2 }
    /// The end of a snooze; nil for the other statuses.
    public var snoozedUntil: WallMinute? { isSnoozed ? minute : nil }
    /// The time of taking, if it is not that of the entry.
    public var takenAt: WallMinute? { isTaken ? minute : nil }
}
