internal import ControlProtocol
internal import WatchProto

/// The fields of a command about a dose: what was done, how much, when, and of which planned dose.
struct DoseEntry: Sendable {
    /// The planned dose; nil for the one that is due.
    private var planned: PlannedDose?
    /// The slot of a face's entry that was tapped.
    private var tapped: (day: UInt16, entry: UInt16)?
    private var action = Action.taken
    private var amount: (digits: String, unit: DoseUnit?)?
    private var minute: WallMinute?

    private enum Action: String { case taken, skipped, snoozed }

    /// A dose taken now.
    init() {}

    /// - Parameter isNew: whether it is a record; only that may snooze or name a planned dose.
    init(_ request: ControlRequest, isNew: Bool = true) throws(ControlError) {
        let expected = isNew ? "taken, skipped or snoozed" : "taken or skipped"
        if let text = try request.optionalString("action", expected: expected) {
            guard let action = Action(rawValue: text), isNew || action != .snoozed else {
                throw .badField("action", expected: expected, found: "another word")
            }
            self.action = action
        }
        let minutes = Int64(Int32.min)...Int64(Int32.max)
        let until = try request.optionalInteger("until_minute", in: minutes)
        let taken = try request.optionalInteger("taken_minute", in: minutes)
        try Self.require(
            (until != nil) == (action == .snoozed), "until_minute",
            "minutes since 2020-01-01 in UTC for 'snoozed', nothing for other actions")
        try Self.require(
            taken == nil || action == .taken, "taken_minute",
            "minutes since 2020-01-01 in UTC for 'taken', nothing for other actions")
        minute = (until ?? taken).map { WallMinute(minutes: Int32($0)) }
        try readAmount(request)
        guard isNew else { return }
        let numbers = 0...Int64(UInt16.max)
        let day = try request.optionalInteger("day", in: numbers)
        let planned = try request.optionalInteger("minute", in: 0...1439)
        let tapped = try request.optionalInteger("entry", in: numbers)
        try Self.require(
            (day == nil) == (planned == nil && tapped == nil), "minute",
            "'day' with 'minute' or 'entry'")
        try Self.require(planned == nil || tapped == nil, "entry", "'entry' without 'minute'")
        guard let day else { return }
        self.planned = planned.flatMap { PlannedDose(day: UInt16(day), minute: Int($0)) }
        self.tapped = tapped.map { (UInt16(day), UInt16($0)) }
    }

    /// When the dose was taken, if that was not now.
    var takenMinute: WallMinute? { action == .taken ? minute : nil }

    /// Whether an entry of a face was tapped: two taps count once.
    var isTap: Bool { tapped != nil }

    /// The planned dose that the event is about; nil where no times are planned.
    func planned(of target: DoseTarget) -> PlannedDose? {
        guard let tapped else {
            guard let planned else { return target.planned }
            // An entry keeps its number if its time is moved.
            let entry = target.entries.list.first { $0.minute == planned.minute }
            return entry.flatMap {
                PlannedDose(day: planned.day, minute: $0.minute, entry: $0.number)
            } ?? planned
        }
        // An entry that went from the schedule had this number as its first time.
        let minute = target.entries.list.first { $0.number == tapped.entry }?.minute
        return PlannedDose(
            day: tapped.day, minute: minute ?? Int(tapped.entry) % 1440, entry: tapped.entry)
    }

    private mutating func readAmount(_ request: ControlRequest) throws(ControlError) {
        let expected = "digits such as '1.5' for 'taken', nothing for other actions"
        let digits = try request.optionalString("amount", expected: expected)
        let symbol = try request.optionalString("unit", expected: "the symbol of a unit")
        guard let digits else {
            return try Self.require(symbol == nil, "unit", "a unit beside 'amount'")
        }
        try Self.require(
            action == .taken && Amount(digits: digits, unit: .unspecified) != nil, "amount",
            expected)
        let unit = PlainList.unitNames.first { $0.name == symbol }?.unit
        try Self.require(
            symbol == nil || unit != nil, "unit",
            PlainList.unitNames.map { "'\($0.name)'" }.joined(separator: ", "))
        amount = (digits, unit)
    }

    /// The status that the event gets.
    ///
    /// - Parameter planned: the amount that the medication states.
    func status(_ planned: Amount?) -> DoseStatus {
        switch action {
        case .skipped: .skipped
        case .snoozed: .snoozed(until: minute ?? WallMinute(minutes: 0))
        case .taken:
            .taken(
                amount.map { amount in
                    Amount(
                        digits: amount.digits, unit: amount.unit ?? planned?.unit ?? .unspecified)
                } ?? planned, at: minute)
        }
    }

    private static func require(
        _ holds: Bool, _ field: String, _ expected: String
    ) throws(ControlError) {
        if !holds { throw .badField(field, expected: expected, found: "another value") }
    }
}

extension Simulator {
    static let identityText = "32 hexadecimal digits"

    /// The place of the medication that a dose is of.
    func doseIndex(_ request: ControlRequest) throws(ControlError) -> Int {
        guard let key = try medicationID(request) else {
            return Int(try request.integer("index", in: 0...Int64(Int32.max)))
        }
        guard let place = try place(of: key) else {
            throw ControlError("no_medication", ["expected": "a medication of the store"])
        }
        return place
    }

    /// The identity that the caller wants for the first dose; the others count on from it.
    func doseIdentity(
        _ request: ControlRequest, _ field: String = "dose"
    ) throws(ControlError) -> UInt128? {
        let expected = Self.identityText
        guard let text = try request.optionalString(field, expected: expected) else { return nil }
        guard text.utf8.count == 32, let value = UInt128(text, radix: 16) else {
            throw .badField(field, expected: expected, found: "another text")
        }
        return value
    }
}
