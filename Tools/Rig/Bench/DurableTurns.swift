import Bench
import CommandLine
import Reports
import WatchProtoCore
import WatchProtoTransport

/// Durable records of the product beside the lower bound under them, in the turns of a run beside
/// peers: one by one, and flooded.
final class DurableTurns {
    /// Records of one turn, one by one, on each path.
    private static let roundsPerTurn = 100
    /// Records of one turn's flood, on each path.
    private static let floodRecords = 20_480

    let directory: String
    private let path: DurablePath

    /// The lower bound: two files, synchronized at once, and nothing in between.
    private(set) var baseline = LatencySeries("fdatasync on both sides, overlapped")
    /// A durable record, sealed.
    private(set) var product = LatencySeries("WatchProto, durable")
    /// The medians of the turns, in nanoseconds.
    private(set) var medians: (baseline: [UInt64?], product: [UInt64?]) = ([], [])
    /// The product's records a second by the lower bound's, turn by turn.
    private(set) var floodShares: [Double] = []
    /// The product's records a second, turn by turn.
    private(set) var floodRates: [Double] = []
    /// Why it was given up.
    private(set) var trouble: String?

    /// Makes both sides, with files in a directory of their own.
    ///
    /// - Throws: what keeps them from it.
    init() throws {
        directory = try Files.makeTemporaryDirectory("rig-durable")
        do {
            path = try DurablePath(
                .paired(in: directory, logPagesAhead: DurableLoad.logPagesAhead))
        } catch {
            Files.removeDirectory(directory)
            throw error
        }
    }

    /// Ends both sides and removes the files.
    func end() {
        path.close()
        Files.removeDirectory(directory)
    }

    /// One turn of each path; who is first alternates.
    func take(turn: Int, since start: UInt64) {
        guard trouble == nil else { return }
        do {
            if turn % 2 == 0 { try takeProduct(since: start) }
            try takeBaseline(since: start)
            if turn % 2 == 1 { try takeProduct(since: start) }
            var options = options
            options.floodRecords = Self.floodRecords
            var (bare, whole) = (0.0, 0.0)
            if turn % 2 == 1 { whole = try path.flood(Self.floodRecords) }
            bare = try DurableBaseline.flood(options)
            if turn % 2 == 0 { whole = try path.flood(Self.floodRecords) }
            floodRates.append(whole)
            floodShares.append(whole / max(1, bare))
        } catch {
            trouble = "durable records: given up, \(error)"
        }
    }

    private var options: DurableBaseline.Options {
        DurableLoad.baseline(rounds: Self.roundsPerTurn, in: directory)
    }

    private func takeBaseline(since start: UInt64) throws {
        let begin = MonotonicClock.nowNanoseconds
        let samples = try DurableBaseline.run(options)
        medians.baseline.append(Self.note(samples, in: &baseline, at: begin - min(start, begin)))
    }

    private func takeProduct(since start: UInt64) throws {
        let begin = MonotonicClock.nowNanoseconds
        let count = Self.roundsPerTurn + DurableLoad.warmUpRounds
        let samples = try path.latencies(count, every: DurableLoad.intervalNanoseconds)
        medians.product.append(
            Self.note(
                Array(samples.dropFirst(DurableLoad.warmUpRounds)), in: &product,
                at: begin - min(start, begin)))
    }

    /// - Returns: the median of these.
    private static func note(
        _ samples: [UInt64], in series: inout LatencySeries, at nanoseconds: UInt64
    ) -> UInt64? {
        var turn = LatencyHistogram()
        for (index, sample) in samples.enumerated() {
            turn.record(sample)
            series.record(sample, message: "record \(index)", atNanoseconds: nanoseconds)
        }
        return turn[.p50]
    }
}
