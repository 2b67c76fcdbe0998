package import ControlProtocol

/// What ``CodecBenchmark`` measured.
package struct CodecReport: Hashable, Sendable {
    /// One operation: what a record costs in it.
    package struct Operation: Hashable, Sendable {
        /// `encode`, `decode`, `view`, `lazy`, or a peer of theirs.
        package var name: String
        /// Median thread CPU time, in nanoseconds per record.
        package var nanoseconds: Double
        /// The most nanoseconds that are wanted; nil for peers and lower bounds.
        package var goalNanoseconds: Double?
        /// Heap objects made per record; nil where they could not be counted.
        package var allocations: Double?

        /// Whether the goal is met; nil where there is none.
        package var meetsGoal: Bool? { goalNanoseconds.map { nanoseconds <= $0 } }
    }

    /// Sizes over all records, in bytes.
    package struct Sizes: Hashable, Sendable {
        /// The mean size, in bytes.
        package var mean: Double
        /// The size that 99 of 100 records do not exceed, in bytes.
        package var p99: Int
        /// The size of the largest record, in bytes.
        package var largest: Int
        /// The mean of the same records as JSON text.
        package var jsonMean: Double
        /// The mean of the phone's full records, where they are known.
        package var fullMean: Double?
        /// The most bytes wanted for the mean.
        package var goalMean: Double
    }

    /// Records measured.
    package var records: Int
    /// Records over the byte budget, left out.
    package var leftOut: Int
    /// How often each operation was timed.
    package var rounds: Int
    /// How often one timing went over all records.
    package var passes: Int
    /// The sizes of all records, in bytes.
    package var sizes: Sizes
    /// What a dose taken costs on its way to the watch.
    package var doseDeltas: DoseDeltas
    /// The operations measured, in the order of the report.
    package var operations: [Operation]
    /// Strings over 15 bytes per record: these, and no others, need a heap object of their own.
    package var longStrings: Double
    /// What all results amount to; printed, so that none could be left out.
    package var checksum: UInt64

    /// The operation of that name.
    package subscript(name: String) -> Operation? { operations.first { $0.name == name } }

    /// The report as lines of text.
    package var text: String {
        var lines: [String] = []
        lines.append(
            "Codec, \(records) records, shuffled for each pass, "
                + "median of \(rounds) rounds of \(passes) passes, thread CPU time"
                + (leftOut > 0 ? " (\(leftOut) over budget)" : ""))
        lines.append(
            "Size       mean \(tenths(sizes.mean)) B (goal \(tenths(sizes.goalMean))), "
                + "p99 \(sizes.p99), max \(sizes.largest); JSON \(tenths(sizes.jsonMean)) B"
                + (sizes.fullMean.map { ", full record \(tenths($0)) B" } ?? ""))
        lines += doseDeltas.lines(tenths)
        let baseline = self["memcpy"]?.nanoseconds ?? .nan
        lines.append(padded("Operation", 16) + "   ns/record   goal   x memcpy   objects/record")
        for operation in operations {
            let goal = operation.goalNanoseconds.map { "\(Int($0))" } ?? "-"
            let objects = operation.allocations.map { hundredths($0) } ?? "not counted"
            let columns = [
                tenths(operation.nanoseconds), goal, tenths(operation.nanoseconds / baseline),
                objects,
            ]
            let widths = [12, 7, 11, 17]
            let row = zip(columns, widths).map { column, width in
                String(repeating: " ", count: max(0, width - column.utf8.count)) + column
            }
            let verdict = operation.meetsGoal.map { $0 ? "" : "  over the goal" } ?? ""
            lines.append(padded(operation.name, 16) + row.joined() + verdict)
        }
        lines.append(
            "Strings over 15 bytes: \(hundredths(longStrings)) a record. Checksum \(checksum)")
        return lines.joined(separator: "\n") + "\n"
    }

    /// The report for programs.
    package var json: JSONValue {
        let rows = operations.map { operation -> JSONValue in
            [
                "name": .string(operation.name), "ns": .number(operation.nanoseconds),
                "goal_ns": operation.goalNanoseconds.map { .number($0) } ?? .null,
                "objects": operation.allocations.map { .number($0) } ?? .null,
            ]
        }
        return [
            "schema": "rig.codec/1", "records": .whole(records), "rounds": .whole(rounds),
            "mean_bytes": .number(sizes.mean), "goal_mean_bytes": .number(sizes.goalMean),
            "p99_bytes": .whole(sizes.p99), "largest_bytes": .whole(sizes.largest),
            "dose_delta_largest_bytes": .whole(doseDeltas.delta.largest),
            "operations": .array(rows),
        ]
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }

    private func tenths(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        let scaled = Int((value * 10).rounded())
        return "\(scaled / 10).\(scaled % 10)"
    }

    private func hundredths(_ value: Double) -> String {
        let scaled = Int((value * 100).rounded())
        return "\(scaled / 100)." + (scaled % 100 < 10 ? "0" : "") + "\(scaled % 100)"
    }
}
