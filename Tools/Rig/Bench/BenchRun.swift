import Bench
import CommandLine
import NetworkEmulation
import Reports
import WatchProtoCore

/// One bench: a pair of simulators of each build, rounds of load, and what was found.
///
/// A failure ends the run; the measurements before it are still reported.
final class BenchRun {
    let options: BenchOptions
    private let progress: Progress
    private let supervisor = Supervisor()

    private(set) var pairs: [BenchPair] = []
    /// When each round's load was sent, for each pair; nanoseconds of CLOCK_MONOTONIC.
    private var rounds: [[Range<UInt64>]] = []
    /// The same, until nothing of the round was under way any more.
    private var periods: [[Range<UInt64>]] = []
    private(set) var start = MonotonicClock.nowNanoseconds
    let startedAt = CalendarClock.now
    private(set) var end: UInt64 = 0
    private(set) var tallies: [BenchTally] = []
    private(set) var schedulingDelays = LatencySeries(LatencySeries.schedulingDelayName)
    private(set) var notes: [String] = []
    private(set) var isSealed = false
    /// How the simulators of each pair were built, as they say.
    private(set) var builds: [String] = []
    private(set) var linkLines: [String] = []
    private(set) var journalsAreInMemory = false
    private var hasPackets = false
    private var meter = DeviceHealth()
    /// The facts for alerts about the first pair; known at the end of a run.
    private(set) var health = Alerts.Health()

    init(options: BenchOptions, progress: Progress) {
        self.options = options
        self.progress = progress
    }

    /// Whether there is anything to report: a load was begun, or something was measured.
    var hasFindings: Bool { !tallies.isEmpty }

    /// Runs all rounds and leaves no process and no file behind.
    ///
    /// - Returns: what ended the run early; nil when it came to its end.
    func perform() -> RigFailure? {
        do throws(RigFailure) {
            let files = try TemporaryPlace.make(
                "rig-bench", socket: options.isConditioned ? nil : "0/link")
            defer {
                for pair in pairs { pair.end() }
                Files.removeDirectory(files)
                progress.finish()
            }
            journalsAreInMemory = Files.isInMemory(files)
            try startPairs(in: files)
            hasPackets = try startPackets()
            start = MonotonicClock.nowNanoseconds
            let meter = try SchedulingDelayMeter(since: start)
            var failure: RigFailure?
            do throws(RigFailure) {
                try sendRounds()
            } catch {
                failure = error
            }
            drainAfter(failure)
            schedulingDelays = meter.stop()
            windUp(&failure)
            if let failure { throw failure }
            return nil
        } catch {
            return error
        }
    }

    private func startPairs(in files: String) throws(RigFailure) {
        progress.step("starting PhoneSim and WatchSim, \(options.linkName)")
        if options.isUnsealed {
            ReportWriter.warn("the link is UNSEALED (--unsealed): for development only")
        }
        for (place, directory) in options.directories.enumerated() {
            let own = "\(files)/\(place)"
            do throws(SystemError) {
                try Files.makeDirectory(own)
            } catch {
                throw RigFailure(.cannotWrite, "Cannot make a temporary directory: \(error).")
            }
            let pair = try BenchPair(
                options, in: directory, files: own, place: UInt16(place), supervisor,
                progress)
            pairs.append(pair)
            rounds.append([])
            periods.append([])
            try pair.prepare(list: options.listPath)
        }
        isSealed = pairs.allSatisfy(\.isSealed)
        builds = pairs.map { SimulatorProcess.build(of: [$0.phone, $0.watch]) }
    }

    /// Rounds in turn: the machine of one minute is the same for all pairs. The first pair changes
    /// from round to round, so that the after-effects of a round burden each pair as often.
    private func sendRounds() throws(RigFailure) {
        for round in 0..<options.rounds {
            let order = pairs.indices.map { ($0 + round) % pairs.count }
            for place in order {
                let pair = pairs[place]
                progress.step(
                    "round \(round + 1) of \(options.rounds)"
                        + (place == 0 ? "" : ", the other build"))
                let begin = MonotonicClock.nowNanoseconds
                rounds[place].append(begin..<(.max))
                periods[place].append(begin..<(.max))
                let seed = options.seed &+ UInt64(round)
                if place == 0 { meter.beginLoad(pair.watch) }
                notes += try pair.send(options, seed: seed) { now in
                    self.tell(round, place, since: begin, at: now)
                }
                if place == 0 { meter.endLoad(pair.watch) }
                let sent = MonotonicClock.nowNanoseconds
                rounds[place][round] = begin..<sent
                try pair.drain("Round \(round + 1)")
                periods[place][round] = begin..<MonotonicClock.nowNanoseconds
                if options.rounds > 1 || pairs.count > 1 { try pair.keepTraces() }
            }
        }
    }

    private func tell(_ round: Int, _ place: Int, since begin: UInt64, at now: UInt64) {
        guard progress.isShown else { return }
        let whole = (options.warmUp + options.duration).nanosecondsClamped
        var load = LoadProgress(
            link: options.conditions.name, seconds: (now - begin) / 1_000_000_000,
            totalSeconds: UInt64(whole) / 1_000_000_000)
        load.round = (round + 1, options.rounds)
        load.isOtherBuild = place > 0
        pairs[place].count(&load)
        progress.load(load)
    }

    /// Of more the reader learns nothing new.
    private static let mostClosures = 10

    /// The records sent before an interrupt are measured to their end.
    private func drainAfter(_ failure: RigFailure?) {
        supervisor.ignoresInterrupts = failure != nil
        guard failure?.exitCode == .interrupted else { return }
        progress.step("interrupted: waiting for what is under way")
        for pair in pairs {
            notes += pair.stopLoad()
            try? pair.drain("The load")
        }
    }

    /// Takes the last figures from simulators that still run. Of a pair that does not, its rounds
    /// before count.
    private func windUp(_ failure: inout RigFailure?) {
        progress.step("reading the traces")
        end = MonotonicClock.nowNanoseconds
        health = meter.health(of: pairs.first?.both ?? [])
        for (place, pair) in pairs.enumerated() where !rounds[place].isEmpty {
            var spans = rounds[place]
            var traces = pair.kept.joined()
            do throws(RigFailure) {
                traces = try pair.traces(isDrained: failure == nil)
            } catch {
                failure = failure ?? error
                spans.removeAll { $0.upperBound == .max }
                notes.append(
                    "the traces of the last round are lost with the simulator that failed: "
                        + "\(spans.count) rounds before it count")
            }
            tallies.append(
                BenchTally(
                    traces, options, rounds: spans, periods: periods[place], of: start..<end,
                    refused: pair.refusedCount, isComplete: failure == nil))
            notes += pair.closures(since: start).prefix(Self.mostClosures)
            if let counters = pair.counters { linkLines += counters.lines }
            guard hasPackets else { continue }
            do throws(RigFailure) {
                try addPackets(of: pair, to: &tallies[tallies.count - 1])
            } catch {
                failure = failure ?? error
            }
        }
    }
}
