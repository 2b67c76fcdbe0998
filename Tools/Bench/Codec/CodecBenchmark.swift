package import CommandLine
import Reports
import WatchProtoCore
import WatchProtoSecurity

/// Measures the codec of medications: sizes, times and heap objects, beside a memory copy of the
/// same bytes (the lower bound) and a codec written without care (the peer).
package enum CodecBenchmark {
    /// The goals, in nanoseconds per record and, for `size`, in bytes.
    package enum Goals {
        /// The most time to encode a record, in nanoseconds.
        package static let encode = 50.0
        /// The most time to decode a record whole, in nanoseconds.
        package static let decode = 110.0
        /// The most time to read a record as a view, in nanoseconds.
        package static let view = 40.0
        /// The most time to code a record against the table of words or to decode its coding, in
        /// nanoseconds: 100 medications of a first synchronization take 5 ms of a fast watch, and
        /// the link takes 300 ms.
        package static let coding = 50_000.0
        /// The most a record may take in the mean, in bytes.
        package static let size = 116.0
    }

    /// Measures on `samples`; without any, on the 1,000 records of ``CodecFixtures``. Takes about
    /// a second with the defaults. The calling thread does all the work.
    ///
    /// - Parameters:
    ///   - samples: the records, at least one of them within the byte budget; those over it are
    ///     left out and counted.
    ///   - rounds: how often each operation is timed; the median counts.
    ///   - passes: how often one timing goes over all records.
    ///   - countsObjects: whether to count heap objects too; no other thread may run Swift code
    ///     meanwhile.
    /// - Throws: exit code 130 after an interrupt; 70 without memory for keys, where the system is
    ///   at fault.
    package static func run(
        samples: [CodecSample]? = nil, rounds: Int = 15, passes: Int = 20,
        countsObjects: Bool = true
    ) throws(RigFailure) -> CodecReport {
        let isGenerated = samples == nil
        let samples = samples ?? CodecFixtures.samples()
        let workload = Workload(samples, passes: passes)
        let (medians, checksum) = try CodecTimes.medians(
            workload, passes: passes, rounds: rounds)
        let count = Double(workload.count)
        var sink: UInt64 = 0
        var rows: [CodecReport.Operation] = []
        for (operation, median) in zip(CodecOperation.allCases, medians) {
            let made =
                countsObjects ? AllocationCount.of { sink ^= workload.pass(operation, 0) } : nil
            rows.append(
                CodecReport.Operation(
                    name: operation.rawValue, nanoseconds: median,
                    goalNanoseconds: operation.goalNanoseconds,
                    allocations: made.map { Double($0) / count }))
        }
        return CodecReport(
            records: workload.count, leftOut: workload.leftOut, rounds: rounds, passes: passes,
            sizes: sizes(workload, samples), coded: CodedSizes(workload.medications),
            others: OtherSizes(workload.medications),
            isGenerated: isGenerated,
            updates: try measured { () throws(PairingFailure) in
                try UpdateSizes.measure(workload.medications)
            },
            new: try measured { () throws(PairingFailure) in
                try NewSizes.measure(workload.medications)
            },
            firstSync: try measured { () throws(PairingFailure) in
                try FirstSync.measure(workload.medications)
            },
            padding: try measured { () throws(PairingFailure) in
                try PaddingTable.measure(workload.medications)
            }, operations: rows,
            longStrings: Double(workload.longStrings) / count, checksum: checksum ^ sink)
    }

    private static func measured<Table>(
        _ table: () throws(PairingFailure) -> Table
    ) throws(RigFailure) -> Table {
        try Interrupts.check()
        do throws(PairingFailure) {
            return try table()
        } catch {
            throw RigFailure(.software, "Cannot pair the two: \(error).")
        }
    }

    private static func sizes(_ workload: Workload, _ samples: [CodecSample]) -> CodecReport.Sizes {
        let sizes = workload.encodings.map(\.count).sorted()
        let full = samples.compactMap(\.fullBytes)
        return CodecReport.Sizes(
            mean: mean(sizes), p99: sizes[min(sizes.count - 1, sizes.count * 99 / 100)],
            largest: sizes[sizes.count - 1], jsonMean: mean(samples.map(\.jsonBytes)),
            fullMean: full.isEmpty ? nil : mean(full), goalMean: Goals.size)
    }

    private static func mean(_ sizes: [Int]) -> Double {
        Double(sizes.reduce(0, +)) / Double(max(1, sizes.count))
    }
}
