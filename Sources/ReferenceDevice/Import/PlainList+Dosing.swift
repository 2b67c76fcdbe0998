import ControlProtocol
import WatchProto

extension PlainList {
    /// The units our own format knows, by the names it writes.
    static let unitNames: [(name: String, unit: DoseUnit)] = (1...UInt8.max).compactMap { code in
        let unit = DoseUnit(rawValue: code)
        return unit.symbol.isEmpty ? nil : (unit.symbol, unit)
    }

    /// `{"amount": 2, "unit": "tablet"}`, `{"low": 1, "high": 2, "unit": "tablet"}` or
    /// `{"text": "…"}`.
    static func dose(_ node: JSONNode?, _ reader: inout NodeReader) -> DosePerTime {
        guard let object = reader.object(node, "a dose") else { return .unstated }
        reader.refuseUnknown(in: object, known: ["amount", "low", "high", "unit", "text"])
        if let text = object["text"] {
            for member in object.members ?? [] where member.name != "text" {
                reader.fault(member.value, expected: "no other member beside 'text'")
            }
            return reader.string(text, "a dose in words").map(DosePerTime.text) ?? .unstated
        }
        let unit = reader.named(object["unit"], "a unit", unitNames.map(\.name)) { text in
            unitNames.first { $0.name == text }?.unit
        }
        if object["unit"] == nil { reader.missing("unit", in: object) }
        if let node = object["amount"] {
            for name in ["low", "high"] {
                if let other = object[name] {
                    reader.fault(other, expected: "no '\(name)' beside 'amount'")
                }
            }
            return amount(node, unit, &reader).map(DosePerTime.exact) ?? .unstated
        }
        guard let lowNode = object["low"], let highNode = object["high"] else {
            reader.fault(object, expected: "'amount', 'low' with 'high', or 'text'", found: "none")
            return .unstated
        }
        guard let low = amount(lowNode, unit, &reader), let high = amount(highNode, unit, &reader)
        else { return .unstated }
        guard (lowNode.number ?? 0) < (highNode.number ?? 0) else {
            reader.fault(highNode, expected: "more than 'low'")
            return .unstated
        }
        return .range(low, high)
    }

    private static func amount(
        _ node: JSONNode, _ unit: DoseUnit?, _ reader: inout NodeReader
    ) -> Amount? {
        if let number = node.number, number > 0,
            let amount = Amount(number: number, unit: unit ?? .unspecified)
        {
            return amount
        }
        reader.fault(node, expected: "a number above 0 with at most nine digits")
        return nil
    }

    /// `{"times": ["08:00"], "weekdays": ["mon"], "zone": "floating", "start": "2026-01-01", …}`.
    static func schedule(_ node: JSONNode?, _ reader: inout NodeReader) -> MedicationSchedule {
        guard let object = reader.object(node, "a schedule") else { return MedicationSchedule() }
        reader.refuseUnknown(
            in: object,
            known: ["times", "weekdays", "zone", "start", "end", "everyDays", "isAssumed"])
        var schedule = MedicationSchedule()
        var minutes: Set<Int> = []
        for time in reader.array(object["times"], "times of the day") {
            let expected = "a time of the day such as '08:00'"
            if let minute = reader.parsed(time, expected, MinuteOfDay.parse) {
                minutes.insert(minute)
            }
        }
        schedule.minutes = minutes.sorted()
        if let days = object["weekdays"] { schedule.weekdays = weekdays(days, &reader) }
        let zoneForms = "'floating', 'absolute' or an offset such as '+02:00'"
        schedule.zone = reader.parsed(object["zone"], zoneForms, zone) ?? .floating
        schedule.start = reader.parsed(object["start"], "a date such as '2026-02-14'") {
            LocalDate($0)
        }
        schedule.end = reader.parsed(object["end"], "a date such as '2026-02-14'") {
            LocalDate($0, atEnd: true)
        }
        if let start = schedule.start, let end = schedule.end, end < start, let node = object["end"]
        {
            reader.fault(node, expected: "a date not before the start")
        }
        let largest = Int64(MedicationSchedule.largestInterval)
        schedule.everyDays = reader.integer(object["everyDays"], "everyDays", in: 1...largest) ?? 1
        schedule.isAssumed = reader.bool(object["isAssumed"], "isAssumed") ?? false
        return schedule
    }

    /// `{"minimumInterval": 240, "maximumPerDay": 4}`, the interval in minutes.
    static func limits(_ node: JSONNode?, _ reader: inout NodeReader) -> AsNeededLimits {
        guard let object = reader.object(node, "limits") else { return AsNeededLimits() }
        reader.refuseUnknown(in: object, known: ["minimumInterval", "maximumPerDay"])
        return AsNeededLimits(
            minimumInterval: reader.integer(
                object["minimumInterval"], "minimumInterval", in: AsNeededLimits.intervals),
            maximumPerDay: reader.integer(
                object["maximumPerDay"], "maximumPerDay", in: AsNeededLimits.maxima))
    }

    /// The names of the days, Monday first, as FHIR writes them.
    static let weekdayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    private static func weekdays(_ node: JSONNode, _ reader: inout NodeReader) -> Weekdays {
        var set: Weekdays = []
        for day in reader.array(node, "weekdays") {
            let index = reader.named(day, "a weekday", weekdayNames) {
                weekdayNames.firstIndex(of: $0)
            }
            if let index { set.insert(Weekdays(rawValue: 1 << UInt8(index))) }
        }
        if node.array?.isEmpty == true { reader.fault(node, expected: "at least one weekday") }
        return set
    }

    private static func zone(_ text: String) -> ZoneRule? {
        switch text {
        case "floating": return .floating
        case "absolute": return .absolute
        default:
            guard let sign = text.first, sign == "+" || sign == "-",
                let minutes = MinuteOfDay.parse(String(text.dropFirst())),
                let offset = ZoneOffset(minutes: sign == "-" ? -minutes : minutes)
            else { return nil }
            return .fixed(offset)
        }
    }
}
