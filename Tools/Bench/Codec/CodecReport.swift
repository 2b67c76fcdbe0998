import CommandLine
package import ControlProtocol
import WatchProtoRecords

/// The results of ``CodecBenchmark``.
package struct CodecReport: Hashable, Sendable {
    /// One operation, and its costs for a record.
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
    /// The sizes of the same records, coded against the table of words.
    package var coded: CodedSizes
    /// The sizes of the same records in formats of others.
    package var others: OtherSizes
    /// Whether the records are those of ``CodecFixtures``.
    package var isGenerated: Bool
    /// The bytes that a dose taken costs on its way to the watch.
    package var doseDeltas: DoseDeltas
    /// The leak and the cost of classes of packet sizes.
    package var padding: PaddingTable
    /// The operations measured, in the order of the report.
    package var operations: [Operation]
    /// Strings over 15 bytes per record: these, and no others, need a heap object of their own.
    package var longStrings: Double
    /// A checksum of all results; it is printed, so that the compiler can leave none of them out.
    package var checksum: UInt64

    /// The operation of that name.
    package subscript(name: String) -> Operation? { operations.first { $0.name == name } }

    /// The report as people read it, on a terminal of so many columns; nil for no terminal.
    package func text(_ columns: Int? = nil) -> String {
        var lines: [String] = []
        lines.append(
            "Codec, \(records) records, shuffled for each pass, "
                + "median of \(rounds) rounds of \(passes) passes, thread CPU time"
                + (leftOut > 0 ? " (\(leftOut) over budget)" : ""))
        lines.append(
            "Size       mean \(tenths(sizes.mean)) B (goal \(tenths(sizes.goalMean))), "
                + "p99 \(sizes.p99), max \(sizes.largest); JSON \(tenths(sizes.jsonMean)) B"
                + (sizes.fullMean.map { ", full record \(tenths($0)) B" } ?? ""))
        let goals = isGenerated ? CodedSizes.generatedGoals : CodedSizes.realGoals
        let updates = CodedSizes.updateGoals
        lines.append(
            "Coded      mean \(tenths(coded.aloneMean)) B (goal \(tenths(goals.alone))), max "
                + "\(coded.largest); in batches of \(Vocabulary.largestBatch) "
                + "\(tenths(coded.batchMean)) B (goal \(tenths(goals.batch))); an update "
                + "\(tenths(coded.update.mean)) B (goal \(tenths(updates.mean))), max "
                + "\(coded.update.largest) (goal \(updates.largest))")
        lines.append(
            "Others     JSON \(tenths(sizes.jsonMean)) B, CBOR \(tenths(others.cborMean)), "
                + "protobuf \(tenths(others.protobufMean)), zstd with a dictionary over JSON "
                + "\(tenths(others.zstdMean)); each record alone, with its identity")
        lines += doseDeltas.lines(tenths)
        lines += padding.lines(tenths)
        let baseline = self["memcpy"]?.nanoseconds ?? .nan
        let heads = ["Operation", "ns/record", "goal", "x memcpy", "objects/record", ""]
        let rows = operations.map { operation in
            [
                operation.name, tenths(operation.nanoseconds),
                operation.goalNanoseconds.map { "\(Int($0))" } ?? "-",
                tenths(operation.nanoseconds / baseline),
                operation.allocations.map { hundredths($0) } ?? "not counted",
                operation.meetsGoal == false ? "over the goal" : "",
            ]
        }
        let table = TextTable(rows, heads: heads, numbers: 1..<5).lines(columns)
        let last =
            "Strings over 15 bytes: \(hundredths(longStrings)) a record. Checksum \(checksum)"
        lines = lines.flatMap { $0.wrapped(columns, after: "") } + table
        return (lines + last.wrapped(columns, after: "")).map { $0 + "\n" }.joined()
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
            "coded_mean_bytes": .number(coded.aloneMean),
            "coded_batch_mean_bytes": .number(coded.batchMean),
            "json_mean_bytes": .number(sizes.jsonMean),
            "cbor_mean_bytes": .number(others.cborMean),
            "protobuf_mean_bytes": .number(others.protobufMean),
            "zstd_mean_bytes": .number(others.zstdMean),
            "coded_largest_bytes": .whole(coded.largest),
            "update_mean_bytes": .number(coded.update.mean),
            "update_largest_bytes": .whole(coded.update.largest),
            "p99_bytes": .whole(sizes.p99), "largest_bytes": .whole(sizes.largest),
            "dose_delta_largest_bytes": .whole(doseDeltas.delta.largest),
            "padding": .array(
                padding.rows.map { row in
                    [
                        "classes": .string(row.name), "bits": .number(row.bits),
                        "guessed": .number(row.guessed), "bytes": .number(row.bytes),
                    ]
                }),
            "operations": .array(rows),
        ]
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
