import ControlProtocol
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
            if let rate = rate(of: timing["code"], &reader) {
                plan(rate)
            } else {
                readEvent(timing["code"], &reader)
            }
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
        if let rate = readRate(repeated, timing["code"], &reader) {
            minutes.isEmpty ? plan(rate) : plan(rate, atGiven: schedule.minutes)
        } else if minutes.isEmpty {
            readEvent(timing["code"], &reader)
        }
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

    /// So many doses in so many units of time. Without a frequency, as many as times are given.
    private struct Rate {
        var frequency: Int?
        var period: Double
        var unit: String

        var text: String {
            let count = period.whole.map(String.init) ?? "\(period)"
            return "\(frequency ?? 1) in \(count) \(unit)"
        }
    }

    /// How often, as the repetition or else its code says; nil where neither does.
    private mutating func readRate(
        _ repeated: JSONNode, _ code: JSONNode?, _ reader: inout NodeReader
    ) -> Rate? {
        guard repeated["frequency"] != nil || repeated["period"] != nil else {
            return rate(of: code, &reader)
        }
        let frequency = reader.integer(repeated["frequency"], "a frequency", in: 1...10_000)
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
            return nil
        }
        return Rate(frequency: frequency, period: period, unit: unit)
    }

    private func codes(_ concept: JSONNode?, _ reader: inout NodeReader) -> [String] {
        guard let concept = reader.object(concept, "a concept") else { return [] }
        return reader.array(concept["coding"], "codings").compactMap {
            reader.string($0["code"], "a code")
        }
    }

    private func rate(of concept: JSONNode?, _ reader: inout NodeReader) -> Rate? {
        for code in codes(concept, &reader) {
            if let (frequency, period, unit) = UsualTimes.byAbbreviation[code] {
                return Rate(frequency: frequency, period: period, unit: unit)
            }
        }
        return nil
    }

    /// The times of a code that names a part of the day.
    private mutating func readEvent(_ concept: JSONNode?, _ reader: inout NodeReader) {
        let events = codes(concept, &reader).compactMap { UsualTimes.eventByAbbreviation[$0] }
        guard let event = events.first else { return }
        schedule.isAssumed = true
        schedule.minutes = UsualTimes.byEvent[event] ?? []
    }

    /// Plans as many doses as the rate says, at usual times.
    private mutating func plan(_ rate: Rate) {
        let plan = UsualTimes.plan(rate.frequency ?? 1, per: rate.period, rate.unit)
        guard let plan, keepDays(of: plan) else {
            warnings.append("no times are planned for \(rate.text)")
            return
        }
        schedule.isAssumed = true
        schedule.minutes = plan.minutes
    }

    /// Plans the times that are given on the days that the rate leaves. Where the two contradict
    /// each other, or the days cannot be known, nothing is planned: rather none than one too many.
    private mutating func plan(_ rate: Rate, atGiven minutes: [Int]) {
        guard let plan = planOfDays(rate, minutes.count), keepDays(of: plan) else {
            schedule.minutes = []
            schedule.isAssumed = false
            warnings.append(
                "no times are planned for \(rate.text) at \(minutes.count) times of the day")
            return
        }
    }

    /// The days on which a rate has `times` doses each; nil where it has not.
    private func planOfDays(_ rate: Rate, _ times: Int) -> UsualTimes.Plan? {
        let single = UsualTimes.plan(1, per: rate.period, rate.unit)
        guard let frequency = rate.frequency else { return single }
        if rate.unit == "wk", rate.period == 1 {
            if schedule.weekdays != .all {
                // Some count the doses of each named day, some those of the week.
                let days = schedule.weekdays.rawValue.nonzeroBitCount
                return [times, times * days].contains(frequency) ? single : nil
            }
            guard frequency.isMultiple(of: times) else { return nil }
            return UsualTimes.plan(frequency / times, per: 1, "wk")
        }
        // Around the clock, one interval has one dose and a day several.
        let doses = rate.unit == "h" ? (single?.minutes.count ?? 0) * frequency : frequency
        return doses == times ? single : nil
    }

    /// Takes over the days of a plan; false where they contradict those that the order names.
    private mutating func keepDays(of plan: UsualTimes.Plan) -> Bool {
        if plan.everyDays > 1 {
            var start = schedule.start ?? ordered
            if schedule.weekdays != .all {
                // Every other Monday: only whole weeks keep to one day of the week.
                guard plan.everyDays.isMultiple(of: 7),
                    schedule.weekdays.rawValue.nonzeroBitCount == 1
                else {
                    return false
                }
                while !schedule.weekdays.contains(start.weekday) {
                    start = start.advanced(by: 1)
                }
            }
            schedule.start = start
        } else if let days = plan.weekdays, schedule.weekdays == .all {
            schedule.weekdays = days == [] ? (schedule.start ?? ordered).weekday : days
        }
        schedule.everyDays = plan.everyDays
        return true
    }
}
