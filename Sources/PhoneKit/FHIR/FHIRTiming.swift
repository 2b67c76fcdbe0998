import ControlKit
import WatchProto

/// Turns a FHIR `Timing` into times of the day. The tables of usual times are in the article
/// "Importing medications"; where they are used the schedule says that its times are assumed.
struct FHIRTiming {
    var schedule = MedicationSchedule()
    var warnings: [String] = []
    private let ordered: LocalDate

    /// Makes the timing of an order made on the day `ordered`.
    init(ordered: LocalDate) { self.ordered = ordered }

    mutating func read(_ timing: JSONNode, reader: inout NodeReader) {
        if timing["event"] != nil { warnings.append("fixed moments are left to the instructions") }
        guard let repeated = reader.object(timing["repeat"], "a repetition") else {
            readCode(timing["code"], &reader)
            return
        }
        readBounds(repeated, &reader)
        readDays(repeated, &reader)
        if reader.integer(repeated["count"], "a count", in: 1...100_000) == 1 {
            warnings.append("a single dose; no times are planned")
            return
        }
        var minutes: Set<Int> = []
        for time in reader.array(repeated["timeOfDay"], "times of the day") {
            let expected = "a time such as '08:00:00'"
            if let minute = reader.parsed(time, expected, MinuteOfDay.parse) {
                minutes.insert(minute)
            }
        }
        let offset = reader.integer(repeated["offset"], "an offset", in: 0...1440) ?? 0
        for when in reader.array(repeated["when"], "parts of the day") {
            let expected = "a code of HL7's event timings"
            let known = reader.parsed(when, expected) { code in
                UsualTimes.byEvent[code].map { (code, $0) }
            }
            guard let (code, usual) = known else { continue }
            schedule.isAssumed = true
            let shift = code.hasPrefix("AC") ? -offset : offset
            for minute in usual {
                minutes.insert(((minute + shift) % 1440 + 1440) % 1440)
            }
        }
        schedule.minutes = minutes.sorted()
        if minutes.isEmpty { readFrequency(repeated, timing["code"], &reader) }
    }

    private mutating func readDays(_ repeated: JSONNode, _ reader: inout NodeReader) {
        var days: Weekdays = []
        let names = PlainList.weekdayNames.joined(separator: ", ")
        for node in reader.array(repeated["dayOfWeek"], "days of the week") {
            let index = reader.parsed(node, "one of \(names)") {
                PlainList.weekdayNames.firstIndex(of: $0)
            }
            if let index { days.insert(Weekdays(rawValue: 1 << UInt8(index))) }
        }
        if !days.isEmpty { schedule.weekdays = days }
    }

    private mutating func readBounds(_ repeated: JSONNode, _ reader: inout NodeReader) {
        if let period = reader.object(repeated["boundsPeriod"], "a period") {
            schedule.start = date(period["start"], atEnd: false, &reader)
            schedule.end = date(period["end"], atEnd: true, &reader)
        }
        if let duration = reader.object(repeated["boundsDuration"], "a duration"),
            let value = reader.number(duration["value"], "a value")
        {
            let unit = reader.string(duration["code"] ?? duration["unit"], "a unit of time") ?? ""
            if let days = Self.daysPerUnit[unit], value > 0, value * days < 36_600 {
                schedule.start = ordered
                schedule.end = ordered.advanced(by: max(1, Int(value * days + 0.5)) - 1)
            } else {
                warnings.append("a duration of \(value) \(unit) is left to the instructions")
            }
        }
        if repeated["boundsRange"] != nil {
            warnings.append("a range of durations is left to the instructions")
        }
    }

    private static let daysPerUnit: [String: Double] = [
        "d": 1, "day": 1, "days": 1, "wk": 7, "week": 7, "weeks": 7, "mo": 30, "month": 30,
        "months": 30, "a": 365,
    ]

    private func date(
        _ node: JSONNode?, atEnd: Bool, _ reader: inout NodeReader
    ) -> LocalDate? {
        reader.parsed(node, "a FHIR dateTime") { text in
            LocalDate(String(text.prefix { $0 != "T" }), atEnd: atEnd)
        }
    }

    private mutating func readFrequency(
        _ repeated: JSONNode, _ code: JSONNode?, _ reader: inout NodeReader
    ) {
        guard repeated["frequency"] != nil || repeated["period"] != nil else {
            readCode(code, &reader)
            return
        }
        let frequency = reader.integer(repeated["frequency"], "a frequency", in: 1...10_000) ?? 1
        var period = reader.number(repeated["period"], "a period") ?? 1
        // Of a range of intervals the longest counts: rather a reminder too few than one too many.
        if let longest = reader.number(repeated["periodMax"], "a period") {
            warnings.append("of 'every \(period) to \(longest)' the longer interval is planned")
            period = max(period, longest)
        }
        let units = ["s", "min", "h", "d", "wk", "mo", "a"]
        let unit = reader.parsed(repeated["periodUnit"], "one of \(units.joined(separator: ", "))")
        {
            units.contains($0) ? $0 : nil
        }
        guard let unit = unit ?? (repeated["period"] == nil ? "d" : nil) else {
            if repeated["periodUnit"] == nil { reader.missing("periodUnit", in: repeated) }
            return
        }
        plan(frequency, per: period, unit)
    }

    private mutating func readCode(_ concept: JSONNode?, _ reader: inout NodeReader) {
        guard let concept = reader.object(concept, "a concept") else { return }
        for coding in reader.array(concept["coding"], "codings") {
            guard let code = reader.string(coding["code"], "a code") else { continue }
            if let event = UsualTimes.eventByAbbreviation[code] {
                schedule.isAssumed = true
                schedule.minutes = UsualTimes.byEvent[event] ?? []
                return
            }
            if let (frequency, period, unit) = UsualTimes.byAbbreviation[code] {
                plan(frequency, per: period, unit)
                return
            }
        }
    }

    /// Plans `frequency` doses in `period` units.
    private mutating func plan(_ frequency: Int, per period: Double, _ unit: String) {
        let plan = UsualTimes.plan(frequency, per: period, unit)
        guard let plan else {
            let count = period.whole.map(String.init) ?? "\(period)"
            warnings.append("no times are planned for \(frequency) in \(count) \(unit)")
            return
        }
        schedule.isAssumed = true
        schedule.minutes = plan.minutes
        schedule.everyDays = plan.everyDays
        if plan.everyDays > 1, schedule.start == nil { schedule.start = ordered }
        if let days = plan.weekdays, schedule.weekdays == .all {
            schedule.weekdays = days == [] ? (schedule.start ?? ordered).weekday : days
        }
    }
}
