import CommandLine
import WatchProtoRecords

/// The figures of ``CodecBenchmark``.
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
    /// The sizes of a dose taken and of an edit on their way to the watch.
    package var updates: UpdateSizes
    /// The sizes of medications that the watch does not have yet, on their way.
    package var new: NewSizes
    /// A first synchronization over `ble`, without the coding and with it.
    package var firstSync: FirstSync
    /// The leak and the cost of classes of packet sizes.
    package var padding: PaddingTable
    /// The operations measured, in the order of the report.
    package var operations: [Operation]
    /// Strings over 15 bytes per record: these, and no others, need a heap object of their own.
    package var longStrings: Double
    /// A number that hangs on all results; printed, so that none could be left out.
    package var checksum: UInt64

    /// The goals of the coded sizes.
    var codedGoals: (alone: Double, batch: Double) {
        isGenerated ? CodedSizes.generatedGoals : CodedSizes.realGoals
    }

    /// Whether every goal is met, of sizes, updates and times, and all new medications arrived.
    package var meetsGoals: Bool {
        sizes.mean <= sizes.goalMean && coded.aloneMean <= codedGoals.alone
            && coded.batchMean <= codedGoals.batch && updates.meetsGoals && new.lost == 0
            && firstSync.lost == 0
            && operations.allSatisfy { $0.meetsGoal != false }
    }

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
            "Size       mean " + Self.figure(sizes.mean, goal: sizes.goalMean)
                + ", p99 \(sizes.p99), max \(sizes.largest); JSON \(Self.tenths(sizes.jsonMean)) B"
                + (sizes.fullMean.map { ", full record \(Self.tenths($0)) B" } ?? ""))
        lines.append(
            "Coded      mean " + Self.figure(coded.aloneMean, goal: codedGoals.alone)
                + ", max \(coded.largest); in batches of \(Vocabulary.largestBatch) "
                + Self.figure(coded.batchMean, goal: codedGoals.batch))
        lines += others.lines(jsonMean: sizes.jsonMean)
        lines += updates.lines + new.lines + firstSync.lines + padding.lines
        let baseline = self["memcpy"]?.nanoseconds ?? .nan
        let heads = ["Operation", "ns/record", "goal", "x memcpy", "objects/record", ""]
        let rows = operations.map { operation in
            [
                operation.name, Self.tenths(operation.nanoseconds),
                operation.goalNanoseconds.map { "\(Int($0))" } ?? "-",
                Self.tenths(operation.nanoseconds / baseline),
                operation.allocations.map { Self.hundredths($0) } ?? "not counted",
                operation.meetsGoal == false ? "over the goal" : "",
            ]
        }
        let table = TextTable(rows, heads: heads, numbers: 1..<5).lines(columns)
        let last =
            "Strings over 15 bytes: \(Self.hundredths(longStrings)) a record. Checksum \(checksum)"
        lines = lines.flatMap { $0.wrapped(columns, after: "") } + table
        return (lines + last.wrapped(columns, after: "")).map { $0 + "\n" }.joined()
    }

    /// A size with its goal, marked if it is missed.
    static func figure(_ bytes: Double, goal most: Double) -> String {
        "\(tenths(bytes)) B " + goal(tenths(most), isMet: bytes <= most)
    }

    /// A goal, marked if it is missed.
    static func goal(_ text: String, isMet: Bool) -> String {
        "(goal \(text))" + (isMet ? "" : " over the goal")
    }

    static func tenths(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        let scaled = Int((value * 10).rounded())
        return "\(scaled / 10).\(scaled % 10)"
    }

    static func hundredths(_ value: Double) -> String {
        let scaled = Int((value * 100).rounded())
        return "\(scaled / 100)." + (scaled % 100 < 10 ? "0" : "") + "\(scaled % 100)"
    }
}
