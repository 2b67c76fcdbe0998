import ControlProtocol
import Testing

@testable import Reports

@Suite struct PrometheusReportTests {
    static func sample() -> Report {
        var report = HistogramLogTests.sample()
        report.counts = [
            "phone to watch": ["records": 1200, "lost": 1], "rounds": 3, "name": "no number",
        ]
        return report
    }

    @Test func a_strict_reader_finds_every_figure() throws {
        let report = Self.sample()
        let text = try PrometheusText(PrometheusReport.text(report))
        #expect(text.comments == [])
        #expect(text.samples.allSatisfy { $0.labels["verb"] == "demo" })
        #expect(text.samples.allSatisfy { $0.labels["link"] == "loopback" })
        #expect(text.value("watchproto_run_complete") == 1)
        #expect(text.value("watchproto_run_passed") == 0)
        #expect(text.value("watchproto_run_exit_code") == 2)
        #expect(text.value("watchproto_run_length_seconds") == 10.24)
        #expect(text.value("watchproto_run_start_time_seconds") == 1_700_000_000.123)
        var facts = ["version": "0.1.0", "seed": "42", "repeat": "rig demo --seed 42"]
        #expect(text.value("watchproto_run_info", facts) == 1)
        var readable = report
        readable.host["sealed"] = false
        facts["sealed"] = "false"
        let told = try PrometheusText(PrometheusReport.text(readable))
        #expect(told.value("watchproto_run_info", facts) == 1)
        let tally = "watchproto_run_tally"
        #expect(text.value(tally, ["group": "phone to watch", "name": "records"]) == 1200)
        #expect(text.value(tally, ["group": "phone to watch", "name": "lost"]) == 1)
        #expect(text.value(tally, ["group": "", "name": "rounds"]) == 3)
        #expect(text.samples.count { $0.name == tally } == 3)
    }

    @Test func targets_are_in_base_units() throws {
        let text = try PrometheusText(PrometheusReport.text(Self.sample()))
        func value(_ family: String, _ metric: String, _ unit: String) -> Double? {
            text.value("watchproto_target_\(family)", ["metric": metric, "unit": unit])
        }
        #expect(value("actual", "sync.one-change", "seconds") == 0.412)
        #expect(value("goal", "sync.one-change", "seconds") == 1)
        #expect(value("limit", "sync.one-change", "seconds") == 3)
        #expect(value("actual", "delivery.exact", "ratio") == 99.999 / 100)
        #expect(value("goal", "wire.list", "bytes") == 1e6)
        #expect(value("actual", "stress.rate", "per_second") == 5123.4)
        // Too few samples: the number would be chance. Not built: there is none.
        #expect(value("actual", "wire.list", "bytes") == nil)
        #expect(value("goal", "background.cpu", "ratio") == nil)
        func count(_ family: String, _ metric: String) -> Double? {
            text.value("watchproto_target_\(family)", ["metric": metric])
        }
        #expect(count("samples", "wire.list") == 3)
        #expect(count("samples_needed", "wire.list") == 50)
        #expect(count("samples", "sync.push") == 0)
        #expect(count("failed", "sync.push") == 1)
        #expect(count("failed", "sync.list") == 0)
        let status = "watchproto_target_status"
        #expect(text.value(status, ["metric": "sync.list", "status": "WARN"]) == 1)
        #expect(text.value(status, ["metric": "imagined", "status": "not built"]) == 1)
        #expect(text.samples.count { $0.name == status } == 10)
    }

    @Test func buckets_never_claim_a_value_to_be_shorter_than_it_was() throws {
        var report = ReportTests.sample()
        var series = LatencySeries("a \"b\\c\"\nd")
        // At an edge, within the slot of an edge, and far above the last.
        for value in [1000, 1_000_000, 1_000_447, 1_000_448, 200_000_000_000] as [UInt64] {
            series.record(value, message: "m", atNanoseconds: 0)
        }
        report.latencies = [series, LatencySeries("empty")]
        let text = try PrometheusText(PrometheusReport.text(report))
        let name = "watchproto_duration_seconds"
        #expect(text.types[name] == "histogram")
        func value(_ part: String, _ labels: [String: String] = [:]) -> Double? {
            text.value(name + part, labels.merging(["series": "a_b_c_d"]) { $1 })
        }
        func bucket(_ edge: String) -> Double? { value("_bucket", ["le": edge]) }
        #expect(bucket("0.000001") == 1)
        #expect(bucket("0.0005") == 1)
        // 1 ms stands in the slot from 0.999936 to 1.000447 ms.
        #expect(bucket("0.001") == 1)
        #expect(bucket("0.002") == 4)
        #expect(bucket("100") == 4)
        #expect(bucket("+Inf") == 5)
        #expect(text.samples.count { $0.name == name + "_bucket" } == 2 * 26)
        #expect(value("_sum") == 200.003001895)
        #expect(value("_count") == 5)
        #expect(text.value(name + "_count", ["series": "empty"]) == 0)
        #expect(text.value(name + "_sum", ["series": "empty"]) == 0)
        #expect(text.types.values.count { $0 == "histogram" } == 1)
    }

    @Test func labels_are_escaped_and_an_early_end_is_said() throws {
        var report = Self.sample()
        report.link = "a\\b \"c\"\nd}"
        report.isComplete = false
        let text = try PrometheusText(PrometheusReport.text(report))
        #expect(text.samples.allSatisfy { $0.labels["link"] == report.link })
        #expect(text.comments == ["# INCOMPLETE: the run ended early."])
        #expect(text.value("watchproto_run_complete") == 0)
        #expect(text.value("watchproto_run_exit_code") == 130)
    }

    @Test(arguments: [
        "a{} 1\n", "# HELP a A.\n# TYPE a gauge\na{} one\n", "# HELP a A.\n# TYPE a gauge\nb{} 1\n",
        "# HELP a A.\n# TYPE a gauge\na{} 1\na{} 2\n", "# TYPE a gauge\na{} 1\n",
        "# HELP a A.\n# TYPE a gauge\na{b=\"\\x\"} 1\n", "# HELP a A.\n# TYPE a gauge\na{} 1",
        "# HELP a A.\n# TYPE a histogram\na_bucket{le=\"1\"} 1\na_sum{} 1\na_count{} 1\n",
        "# HELP a A.\n# TYPE a gauge\na{b=\"1\",b=\"2\"} 1\n",
    ])
    func the_reader_finds_planted_faults(text: String) {
        #expect(throws: PrometheusText.Fault.self) { try PrometheusText(text) }
    }
}
