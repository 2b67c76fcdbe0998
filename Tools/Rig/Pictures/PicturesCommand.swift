import Bench
import CommandLine
import ControlProtocol
import Pictures
import Reports
import WatchProtoCore

/// `rig lab pictures`: pictures of medications on a watch, beside libjpeg-turbo.
struct PicturesCommand {
    private static let timeout = Duration.seconds(120)

    let samples = CommandOption<Int>(
        "samples", value: "n", default: 1000, in: 1...100_000,
        help: "How often each picture comes to the face, and is decoded.")
    let simulators = SharedOptions.simulators
    let output = OutputOptions()

    var verb: Verb {
        var verb = Verb("pictures", overview: "Measures pictures of medications on a watch.")
        verb.discussion = [
            "PhoneSim is given a photograph of 12 megapixels that is made here, and WatchSim "
                + "gets its thumbnail and its whole picture over a Unix socket. Then the watch is "
                + "locked and unlocked again and again: its face names the medication, and the "
                + "thumbnail follows. After that the wearer opens the medication ('face.open'), "
                + "and the whole picture follows. 'memory.pressure' comes before each, so that "
                + "each is read from the store and decoded. The time is that of WatchSim, from "
                + "the face without the picture, or from opening, to the face with it.",
            "The decoder of the watch is measured in this process as well, beside libjpeg-turbo "
                + "on the same bytes: both to 400 pixels, in turns.",
        ]
        verb.add(samples)
        verb.add(simulators)
        output.add(to: &verb)
        verb.examples = [CommandExample("rig lab pictures", "half a minute")]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let programs = invocation[simulators] ?? DemoOptions.ownDirectory
        try RealRun.checkSimulators(in: programs)
        let writer = output.writer(invocation)
        try writer.prepare()
        let progress = try Progress("pictures", invocation)
        var report = Report(
            verb: "lab pictures", link: "unix socket", seed: nil, version: Program.version)
        report.startedAt = CalendarClock.now
        let begin = MonotonicClock.nowNanoseconds
        let run = try PicturesRun(programs, timeout: Self.timeout)
        defer { run.end() }
        try run.take(invocation[samples] ?? 1000, progress)
        progress.finish()
        add(run, to: &report)
        report.durationNanoseconds = MonotonicClock.nowNanoseconds - begin
        report.latencyOrigin = "the start of each operation"
        report.notes += Program.buildNotes()
        report.host = Program.host()
        return output.write(&report, invocation, with: writer)
    }

    private func add(_ run: PicturesRun, to report: inout Report) {
        func time(
            _ id: String, _ series: LatencySeries, goal: Double, limit: Double,
            on device: Target.Device
        ) {
            let target = Target.expectation(
                id, series.name, .nanoseconds, .atMost, on: device,
                goal: Self.evaluated(goal * 1e6), limit: Self.evaluated(limit * 1e6),
                .percentile(.p99))
            report.addRow(for: target, target.measurement(of: series))
            report.latencies.append(series)
        }
        time("pictures.thumbnail", run.thumbnail, goal: 50, limit: 100, on: .watch)
        time("pictures.whole", run.whole, goal: 100, limit: 500, on: .watch)
        time("pictures.decoding", run.decoding, goal: 100, limit: 300, on: .host)
        let ratio =
            Double(run.decoding.histogram[.p50] ?? 0)
            / Double(max(1, run.library.histogram[.p50] ?? 1))
        report.addRow(
            for: .expectation(
                "pictures.decoding.ratio", "decoding, times that of libjpeg-turbo", .count,
                .atMost, on: .host, goal: nil),
            Measurement(ratio, sampleCount: run.decoding.histogram.count))
        report.latencies.append(run.library)
        report.addRow(
            for: .expectation(
                "pictures.sent", "whole picture that is sent", .bytes, .atMost, on: .link,
                goal: 500_000),
            Measurement(Double(run.sentBytes), sampleCount: 1))
        report.addRow(
            for: .expectation(
                "pictures.memory", "growth of the watch for a picture that fills 5 MB",
                .megabytes, .atMost, on: .watch, goal: Self.evaluated(20e6)),
            Measurement(Double(run.grown), sampleCount: 1))
        report.addRow(
            for: .expectation(
                "pictures.first", "first whole picture, from the command to the reply",
                .nanoseconds, .atMost, goal: nil),
            Measurement(Double(run.first), sampleCount: 1))
    }

    /// A bound; nil in a debug build, whose figures are no measure of the product.
    private static func evaluated(_ bound: Double) -> Double? {
        #if DEBUG
            return nil
        #else
            return bound
        #endif
    }
}
