import Reports
import WatchProtoCore

/// Whether real time and virtual time agree: by chance and by what was measured, and no further.
extension RealRow {
    /// A number of the real exchanges, and what the simulated ones allow it to be.
    package struct Comparison: Sendable {
        /// `p50`, `p90`: nanoseconds. `above ideal`: the share that took longer than any ideal.
        package var name: String
        /// The number.
        package var actual: Double
        /// The least it may be,
        package var least: Double
        /// and the most.
        package var most: Double

        /// Whether it is neither less nor more.
        package var agrees: Bool { actual >= least && actual <= most }
    }

    /// The time that two processes, their sockets, timers and threads may take, in nanoseconds.
    static let processNanoseconds: UInt64 = 2_000_000
    /// As far as chance goes: 99 of 100 times a number is within so many standard deviations.
    private static let deviations = 2.576

    /// The numbers compared: the median always, p90 and the share above the ideal where both sides
    /// have the samples for p90; nothing without a simulation, or where an exchange was not over.
    package var comparisons: [Comparison] {
        guard let simulated, !simulated.ours.isEmpty, !times.isEmpty, unfinished == 0 else {
            return []
        }
        let there = simulated.ours.sorted()
        var all = [compared(.p50, there)]
        let needed = Percentile.p90.samplesNeeded
        guard times.count >= needed, there.count >= needed else { return all }
        all.append(compared(.p90, there))
        if let share = sharesAboveIdeal(simulated) { all.append(share) }
        return all
    }

    /// Whether all that can be compared agrees; nil where there is nothing to compare with. An
    /// exchange that was not over agrees with nothing.
    package var agrees: Bool? {
        guard let simulated, !simulated.ours.isEmpty else { return nil }
        let comparisons = comparisons
        return !comparisons.isEmpty && comparisons.allSatisfy(\.agrees)
    }

    /// By how much a real figure may differ, chance apart, in nanoseconds: the lateness measured of
    /// the conditioner, the time measured of the journals, and the time of the processes.
    package var budget: UInt64 {
        let commit = commits.isEmpty ? 0 : Self.quantile(0.9, of: commits.sorted())
        return Self.processNanoseconds + lateness * UInt64(cell.crossings) + commit
    }

    /// The real percentile must be one that the simulated exchanges could have had, if only so many
    /// of them were drawn, give or take the budget.
    private func compared(_ percentile: Percentile, _ there: [UInt64]) -> Comparison {
        let share = Double(percentile.partsPerMillion) / 1e6
        let spread = spread(share, there.count)
        func bound(_ share: Double) -> Double {
            let value = Self.quantile(share, of: there)
            return value == BaselineSamples.never ? .infinity : Double(value)
        }
        return Comparison(
            name: percentile.name, actual: Double(Self.quantile(share, of: times.sorted())),
            least: bound(share - spread) - Double(budget),
            most: bound(share + spread) + Double(budget))
    }

    /// The share that took longer than the slowest ideal, because packets had to be sent again. The
    /// real ones may take the budget more.
    private func sharesAboveIdeal(_ simulated: BaselineSamples) -> Comparison? {
        guard let slowest = simulated.ideal.max(), slowest < BaselineSamples.never - budget else {
            return nil
        }
        func share(_ samples: [UInt64], above bound: UInt64) -> Double {
            Double(samples.count { $0 > bound }) / Double(samples.count)
        }
        let there = share(simulated.ours, above: slowest)
        // One that nobody saw may be as likely as one of all.
        let least = 1 / Double(times.count)
        let spread = max(least, spread(there, simulated.ours.count))
        // An exchange slower by less than the budget cannot be told from one that is not slower.
        let sure = share(simulated.ours, above: slowest + 2 * budget)
        return Comparison(
            name: "above ideal", actual: share(times, above: slowest + budget),
            least: sure - spread, most: there + spread)
    }

    /// By how much a share of ours and one of `count` others differ by chance.
    private func spread(_ share: Double, _ count: Int) -> Double {
        let parts = 1 / Double(times.count) + 1 / Double(count)
        return Self.deviations * (share * (1 - share) * parts).squareRoot()
    }

    /// The sample below or at which that share lies; clamped to the least and the most.
    private static func quantile(_ share: Double, of sorted: [UInt64]) -> UInt64 {
        let rank = (share * Double(sorted.count)).rounded(.up)
        return sorted[min(sorted.count - 1, max(0, Int(rank) - 1))]
    }
}
