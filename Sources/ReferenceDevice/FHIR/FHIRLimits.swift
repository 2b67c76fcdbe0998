import ControlProtocol
import WatchProto

/// The limits that a dosage as needed states: a rate, and `maxDosePerPeriod`. Faults of the rate
/// are for ``FHIRTiming`` to report.
struct FHIRLimits {
    private(set) var limits: AsNeededLimits
    /// Whether the dosage states a maximum that is none of doses in a day.
    private(set) var isPartial = false

    /// Reads the limits of a dosage whose dose is known.
    init(_ dosage: JSONNode, _ dose: DosePerTime) {
        limits = Self.rate(dosage["timing"])
        guard let ratio = dosage["maxDosePerPeriod"] else { return }
        let time = ratio["denominator"]
        guard Self.isDay(time?["value"]?.number, time?["code"]?.string),
            let doses = Self.doses(ratio["numerator"], dose),
            let maximum = Self.limit(doses, in: AsNeededLimits.maxima)
        else {
            isPartial = true
            return
        }
        limits.maximumPerDay = maximum
    }

    /// So many doses in a day are a maximum. One dose in another time is a minimum interval, and of
    /// a range of times the shortest counts.
    private static func rate(_ timing: JSONNode?) -> AsNeededLimits {
        let repeated = timing?["repeat"]
        let codes = timing?["code"]?["coding"]?.array ?? []
        var rate = codes.lazy.compactMap { $0["code"]?.string }
            .compactMap { UsualTimes.byAbbreviation[$0] }.first
        let frequencies = ["frequency", "frequencyMax"].compactMap { repeated?[$0]?.integer }
        let period = repeated?["period"]?.number
        if period != nil || !frequencies.isEmpty,
            let unit = repeated?["periodUnit"]?.string ?? (period == nil ? "d" : nil)
        {
            rate = (Int(frequencies.max() ?? 1), period ?? 1, unit)
        }
        guard let (frequency, period, unit) = rate else { return AsNeededLimits() }
        // One dose in 24 hours keeps its distance over midnight, too.
        if isDay(period, unit), unit == "d" || frequency > 1 {
            return AsNeededLimits(
                maximumPerDay: limit(Double(frequency), in: AsNeededLimits.maxima))
        }
        guard frequency == 1, let minutes = minutesPerUnit[unit] else { return AsNeededLimits() }
        return AsNeededLimits(
            minimumInterval: limit(period * minutes, in: AsNeededLimits.intervals))
    }

    private static let minutesPerUnit: [String: Double] = [
        "min": 1, "h": 60, "d": 1440, "wk": 10_080,
    ]

    /// A number, cut to a whole one; nil outside of the range.
    private static func limit(_ number: Double, in range: ClosedRange<Int64>) -> Int? {
        guard number >= Double(range.lowerBound), number < Double(range.upperBound) + 1 else {
            return nil
        }
        return Int(number)
    }

    private static func isDay(_ value: Double?, _ unit: String?) -> Bool {
        switch (value, unit) {
        case (1, "d"), (24, "h"): true
        default: false
        }
    }

    /// The doses in a quantity: a number of doses, or an amount in the unit of a dose.
    private static func doses(_ quantity: JSONNode?, _ dose: DosePerTime) -> Double? {
        guard let value = quantity?["value"]?.number else { return nil }
        let names = ["code", "unit"].compactMap { quantity?[$0]?.string }
        if names.allSatisfy({ ["{dose}", "dose", "doses"].contains($0) }) { return value }
        guard case .exact(let amount) = dose, let one = Double(amount.digits), one > 0,
            names.contains(where: { DoseUnit(named: $0) == amount.unit })
        else { return nil }
        // 0.3 by 0.1 is 3.
        return value / one + 1e-9
    }
}
