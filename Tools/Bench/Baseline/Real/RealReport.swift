import CommandLine
package import ControlProtocol
import Reports
import Simulation
import WatchProtoCore

/// All that was measured in real time on one link.
package struct RealReport: Sendable {
    /// The link and how it was used.
    package var settings: BaselineSettings
    /// The cells.
    package var rows: [RealRow] = []
    /// How late the conditioner was, and what else belongs to the figures; a line each.
    package var notes: [String] = []
    /// Why there is no TCP beside it; nil when there is.
    package var skipped: String?
    /// The counters of the conditioners, by name.
    package var conditioners = JSONObject()

    /// Makes a report on a link of which nothing was measured yet.
    package init(_ settings: BaselineSettings) { self.settings = settings }

    /// Whether anything disagrees with the simulation, or was not over.
    package var isMissed: Bool { rows.contains { $0.agrees == false } }

    /// The report as people read it, on a terminal of so many columns; nil for no terminal.
    package func text(_ columns: Int? = nil) -> String {
        let heads = [
            "In real time", "n", "least", "median", "p90", "most ms", "limit ms", "median/limit",
            "line ms", "simulated ms", "budget ms", "verdict",
        ]
        let lines = notes + (skipped.map { ["kernel TCP skipped: \($0)"] } ?? []) + fewLines
        let all =
            BaselineReport.head(of: settings).wrapped(columns, after: "")
            + BaselineReport.table(heads, rows.map(\.cells)).lines(columns)
            + lines.flatMap { $0.wrapped(columns, after: "") } + [""]
        return all.map { $0 + "\n" }.joined()
    }

    /// Says which figures rest on few exchanges; no line where none does.
    private var fewLines: [String] {
        let few = rows.filter(\.isFew).map { "\($0.cell.title) \($0.times.count)" }
        return few.isEmpty
            ? []
            : [
                "WARNING: fewer than \(RealRow.enough) exchanges: \(few.joined(separator: "; ")); "
                    + "more --time, --rounds or --updates give more"
            ]
    }

    /// The report for programs; times in nanoseconds, null where there are too few exchanges, -1
    /// for never. `share/schema/rig.real-1.json` describes it.
    package var json: JSONValue {
        [
            "profile": .string(settings.profile.name),
            "reading": .string(settings.reading.rawValue),
            "datagram_bytes": .whole(settings.datagramBytes), "seed": .whole(settings.seed),
            "rows": .array(rows.map(\.json)),
            "skipped": skipped.map { .string($0) } ?? .null,
            "conditioners": .object(conditioners),
            "notes": .array(notes.map { .string($0) }),
        ]
    }
}

extension RealRow {
    fileprivate var cells: [String] {
        let here = Self.median(times)
        let there = simulated.flatMap { Self.median($0.ours) }
        return [
            cell.title, "\(times.count)", Self.text(times.min()), Self.text(here),
            Self.text(Percentile.p90.value(of: times)), Self.text(times.max()), Self.text(limit),
            Self.ratio(here, limit), Self.text(Self.median(lineTimes)), Self.text(there),
            simulated == nil ? "-" : Self.text(budget), verdict,
        ]
    }

    private var verdict: String {
        if unfinished > 0 { return "\(unfinished) not over" }
        guard let agrees else { return "-" }
        guard agrees else {
            let others = comparisons.filter { !$0.agrees }.map(\.name)
            return others.isEmpty
                ? "nothing measured" : "DIFFERS (\(others.joined(separator: ", ")))"
        }
        return times.count < Percentile.p50.samplesNeeded ? "agrees, few" : "agrees"
    }

    private static func text(_ value: UInt64?) -> String {
        guard let value else { return "-" }
        return value == BaselineSamples.never ? "never" : Decimals.table(Double(value) / 1e6)
    }

    private static func ratio(_ value: UInt64?, _ other: UInt64?) -> String {
        guard let value, let other, value != BaselineSamples.never, other > 0 else { return "-" }
        return Decimals.fixed(Double(value) / Double(other), decimals: 3)
    }

    fileprivate var json: JSONValue {
        func number(_ value: UInt64?) -> JSONValue {
            value.map { $0 == BaselineSamples.never ? .integer(-1) : .whole($0) } ?? .null
        }
        return [
            "cell": .string(cell.rawValue), "n": .whole(times.count), "few": .bool(isFew),
            "never_ended": .whole(unfinished), "least_ns": number(times.min()),
            "median_ns": number(Self.median(times)),
            "p90_ns": number(Percentile.p90.value(of: times)), "most_ns": number(times.max()),
            "limit_median_ns": number(limit),
            "line_median_ns": number(Self.median(lineTimes)),
            "simulated_n": .whole(simulated?.ours.count ?? 0),
            "simulated_median_ns": number(simulated.flatMap { Self.median($0.ours) }),
            "budget_ns": simulated == nil ? .null : .whole(budget),
            "compared": .array(comparisons.map(\.json)),
            "agrees": agrees.map { .bool($0) } ?? .null,
        ]
    }
}

extension RealRow.Comparison {
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "actual": .number(actual), "least": .number(least),
            "most": .number(most), "agrees": .bool(agrees),
        ]
    }
}
