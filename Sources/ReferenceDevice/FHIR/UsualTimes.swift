import WatchProto

/// The times of the day that are assumed where an order says how often, but not when.
enum UsualTimes {
    /// A plan for an order's frequency.
    struct Plan: Hashable {
        var minutes: [Int]
        var everyDays = 1
        /// The days of the week; empty for the day of the week on which it starts.
        var weekdays: Weekdays?
    }

    /// The plan for `frequency` doses in `period` units of UCUM; nil when there is none.
    static func plan(_ frequency: Int, per period: Double, _ unit: String) -> Plan? {
        guard let count = period.whole, (1...10_000).contains(count) else { return nil }
        switch unit {
        case "h":
            if count % 24 == 0 { return plan(frequency, per: Double(count / 24), "d") }
            // Every so many hours, around the clock.
            guard frequency == 1, let minutes = aroundTheClock[count] else { return nil }
            return Plan(minutes: minutes)
        case "d":
            if count == 1 { return perDay[frequency].map { Plan(minutes: $0) } }
            guard frequency == 1, count <= MedicationSchedule.largestInterval else { return nil }
            return Plan(minutes: [480], everyDays: count)
        case "wk":
            if count == 1 { return perWeek[frequency].map { Plan(minutes: [480], weekdays: $0) } }
            guard frequency == 1, count * 7 <= MedicationSchedule.largestInterval else {
                return nil
            }
            return Plan(minutes: [480], everyDays: count * 7)
        default: return nil
        }
    }

    /// Doses a day: 08:00; 08:00 and 20:00; and so on.
    private static let perDay: [Int: [Int]] = [
        1: [480], 2: [480, 1200], 3: [480, 840, 1200], 4: [480, 720, 960, 1200],
        5: [360, 600, 840, 1080, 1320], 6: [360, 540, 720, 900, 1080, 1260],
        8: [0, 180, 360, 540, 720, 900, 1080, 1260],
    ]

    /// Hours between doses.
    private static let aroundTheClock: [Int: [Int]] = [
        3: [0, 180, 360, 540, 720, 900, 1080, 1260], 4: [0, 240, 480, 720, 960, 1200],
        6: [0, 360, 720, 1080], 8: [360, 840, 1320], 12: [480, 1200],
    ]

    /// Doses a week: the day it starts; Monday and Thursday; Monday, Wednesday, Friday; and so on.
    private static let perWeek: [Int: Weekdays] = [
        1: [], 2: [.monday, .thursday], 3: [.monday, .wednesday, .friday],
        4: [.monday, .wednesday, .friday, .sunday],
        5: [.monday, .tuesday, .wednesday, .thursday, .friday],
        6: [.monday, .tuesday, .wednesday, .thursday, .friday, .saturday], 7: .all,
    ]

    /// HL7's codes for parts of the day and for meals.
    static let byEvent: [String: [Int]] = [
        "MORN": [480], "MORN.early": [360], "MORN.late": [600], "NOON": [720], "AFT": [900],
        "AFT.early": [780], "AFT.late": [1020], "EVE": [1140], "EVE.early": [1080],
        "EVE.late": [1260], "NIGHT": [1320], "PHS": [1380], "HS": [1320], "WAKE": [420],
        "C": [480, 780, 1140], "CM": [480], "CD": [780], "CV": [1140],
        "AC": [450, 750, 1110], "ACM": [450], "ACD": [750], "ACV": [1110],
        "PC": [510, 810, 1170], "PCM": [510], "PCD": [810], "PCV": [1170],
    ]

    /// HL7's abbreviations for frequencies, as doses in a period.
    static let byAbbreviation: [String: (Int, Double, String)] = [
        "QD": (1, 1, "d"), "QOD": (1, 2, "d"), "BID": (2, 1, "d"), "TID": (3, 1, "d"),
        "QID": (4, 1, "d"), "Q1H": (1, 1, "h"), "Q2H": (1, 2, "h"), "Q3H": (1, 3, "h"),
        "Q4H": (1, 4, "h"), "Q6H": (1, 6, "h"), "Q8H": (1, 8, "h"), "WK": (1, 1, "wk"),
        "MO": (1, 1, "mo"),
    ]

    /// HL7's abbreviations that name a part of the day.
    static let eventByAbbreviation = ["AM": "MORN", "PM": "EVE", "BED": "HS"]
}
