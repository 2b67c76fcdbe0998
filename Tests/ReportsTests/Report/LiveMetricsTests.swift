import CommandLine
import Glibc
import Testing

@testable import Reports

@Suite struct LiveMetricsTests {
    @Test func a_strict_reader_finds_the_figures_of_a_load() throws {
        let live = LiveMetrics(verb: "bench")
        live.step("round \"1\" of 2")
        var load = LoadProgress(link: "edge", seconds: 3, totalSeconds: 60)
        (load.sent, load.acknowledged, load.inFlight) = (538, 531, 7)
        for _ in 0..<20 { load.latencies.record(402_000_000) }
        live.load(load)
        let own = try #require(ProcessFigures(pid: getpid()))
        let text = try PrometheusText(live.text([own]))
        #expect(text.value("watchproto_live_step", ["step": "round \"1\" of 2"]) == 1)
        #expect(text.value("watchproto_live_sent_total", ["link": "edge"]) == 538)
        #expect(text.value("watchproto_live_acknowledged_total") == 531)
        #expect(text.value("watchproto_live_in_flight") == 7)
        #expect(text.value("watchproto_live_latency_seconds_bucket", ["le": "0.2"]) == 0)
        #expect(text.value("watchproto_live_latency_seconds_bucket", ["le": "0.5"]) == 20)
        #expect(text.types["watchproto_live_sent_total"] == "counter")
        let process = ["pid": "\(getpid())"]
        let resident = try #require(text.value("watchproto_process_resident_bytes", process))
        #expect(resident > 1e6)
        #expect(try #require(text.value("watchproto_process_peak_bytes", process)) >= resident)
        #expect(text.samples.allSatisfy { $0.labels["verb"] == "bench" })
    }

    @Test func a_count_is_of_its_step_alone() throws {
        let live = LiveMetrics(verb: "explore")
        live.count(7, of: 10, "seeds", failing: 2)
        var text = try PrometheusText(live.text([]))
        #expect(text.value("watchproto_live_done", ["unit": "seeds"]) == 7)
        #expect(text.value("watchproto_live_total", ["unit": "seeds"]) == 10)
        #expect(text.value("watchproto_live_failing", ["unit": "seeds"]) == 2)
        live.step("the end")
        text = try PrometheusText(live.text([]))
        #expect(text.value("watchproto_live_done") == nil)
    }

    /// A child, none of whose threads ends meanwhile: what an ended thread counted is gone.
    @Test func waiting_and_working_are_seen_of_a_process() throws {
        let shell = try ChildProcess(
            name: "shell", executable: "/bin/sh", arguments: ["-c", "while read line; do :; done"])
        let before = try #require(ProcessFigures(pid: shell.pid))
        var after = before
        let end = MonotonicClock.nowNanoseconds + 30_000_000_000
        while after.wakeUps < before.wakeUps + 50
            || after.processorSeconds <= before.processorSeconds,
            MonotonicClock.nowNanoseconds < end
        {
            try shell.write(Array("one\n".utf8))
            usleep(1000)
            after = try #require(ProcessFigures(pid: shell.pid))
        }
        #expect(after.wakeUps >= before.wakeUps + 50)
        #expect(after.processorSeconds > before.processorSeconds)
        #expect(after.threadNanoseconds > before.threadNanoseconds)
        #expect(ProcessFigures(pid: -1) == nil)
    }
}
