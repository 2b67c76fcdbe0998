import ControlProtocol
import Reports
import Testing

@Suite struct ThresholdsTests {
    private static func faults(_ text: String) -> String {
        let bytes = Array(text.utf8)
        do throws(Thresholds.Refusal) {
            _ = try Thresholds(bytes)
            return ""
        } catch {
            return error.description(file: "t.json", source: bytes)
        }
    }

    @Test func each_kind_of_row_is_read_in_its_units() throws {
        let thresholds = try Thresholds(
            Array(
                #"""
                {"format": "watchproto.targets/1", "targets": {
                  "sync p99": {"target": "500ms", "max": "1.5s"},
                  "message back max": {"target": "20ms"},
                  "delivery": {"target": "100%", "max": "99.5%"}}}
                """#.utf8))
        #expect(thresholds.rows.map(\.series) == ["sync", "message back", "delivery"])
        let targets = thresholds.rows.map(\.target)
        #expect(targets.map(\.goal) == [5e8, 2e7, 100])
        #expect(targets.map(\.limit) == [1.5e9, nil, 99.5])
        #expect(targets.map(\.title) == ["sync", "message back max", "delivered exactly once"])
        #expect(targets.map(\.id) == ["sync.p99", "message.back.max", "delivery"])
        #expect(targets[0].statistic == .percentile(.p99))
        let status = { (value: Double) in
            targets[2].status(of: Measurement(value, sampleCount: 100))
        }
        #expect(status(100) == .pass)
        #expect(status(99.7) == .warn)
        #expect(status(99.4) == .fail)
    }

    @Test func all_faults_are_told_at_once_with_their_places() {
        let text = #"""
            {"format": "watchproto.targets/1", "targets": {
              "sync p99": {"target": "500"},
              "sync p98": {"target": "5ms"},
              "sync p50": {"target": "5ms", "mix": "6ms"},
              "delivery": {"target": 100}
            }, "target": 1}
            """#
        #expect(
            Self.faults(text) == #"""
                t.json:2:26: error: target is "500": a unit is needed (ns, us, ms, s, min or h)
                  2 |   "sync p99": {"target": "500"},
                                               ^^^^^
                t.json:3:3: error: 'sync p98' is no measure, must be 'delivery', or \#
                a kind and one of p50, p90, p95, p99, p99.9, max, as in 'sync p99'
                  3 |   "sync p98": {"target": "5ms"},
                        ^^^^^^^^^^
                t.json:4:33: error: there is no 'mix', did you mean 'max'?
                  4 |   "sync p50": {"target": "5ms", "mix": "6ms"},
                                                      ^^^^^
                t.json:5:26: error: target is 100, must be a text with its unit, as "100%"
                  5 |   "delivery": {"target": 100}
                                               ^^^
                t.json:6:4: error: there is no 'target', did you mean 'targets'?
                  6 | }, "target": 1}
                         ^^^^^^^^
                5 errors in 1 file; nothing was run.
                """#)
    }

    @Test(arguments: [
        ("[]", "the file is an array, must be an object"),
        (
            "{}",
            "the file lacks 'format' and 'targets'; it has format (\"watchproto.targets/1\"), "
                + "and targets, an object of bounds"
        ),
        (
            #"{"targets": {"sync p50": {"target": "2s"}}}"#,
            "the file lacks 'format'; it has format (\"watchproto.targets/1\"), and targets,"
        ),
        (#"{"targets": {}}"#, "targets is {}, must be an object of bounds"),
        (
            #"{"targets": {"sync p50": {"max": "1s"}}}"#, "sync p50 has no 'target'"
        ),
        (
            #"{"targets": {"sync p50": {"target": "2s", "max": "1s"}}}"#,
            "the max of sync p50 is below its target"
        ),
        (
            #"{"targets": {"delivery": {"target": "99%", "max": "100%"}}}"#,
            "the max of delivery is above its target, must be what is still borne"
        ),
        (
            #"{"format": "x", "targets": {"sync p50": {"target": "2s"}}}"#,
            #"format is "x", must be "watchproto.targets/1""#
        ),
    ])
    func each_fault_has_its_words(text: String, words: String) {
        #expect(Self.faults(text).contains("error: \(words)"), "\(Self.faults(text))")
    }

    /// Two spellings of one measure would be two rows that say the same.
    @Test(arguments: ["sync  p50", " sync p50", "sync p50 ", "message  back p50"])
    func a_name_is_its_words_with_one_blank_between(name: String) {
        let plain = name.split(separator: " ").joined(separator: " ")
        let faults = Self.faults(
            #"{"format": "watchproto.targets/1", "targets": {"\#(name)": {"target": "2s"}}}"#)
        #expect(
            faults.hasPrefix(
                "t.json:1:48: error: '\(name)' is written '\(plain)', its words with one blank between "
                    + "them\n"), "\(faults)")
    }

    @Test func a_name_that_stands_there_twice_is_refused() {
        let faults = Self.faults(
            #"""
            {"format": "watchproto.targets/1", "targets": {
            "sync p50": {"target": "2s"}, "sync p50": {"target": "1s"}}}
            """#)
        #expect(faults.hasSuffix("\n1 error in 1 file; nothing was run."), "\(faults)")
    }

    /// All at once, each with its place, beside the faults of other kinds.
    @Test func what_nobody_measures_is_told_with_its_place() {
        let text = #"""
            {"format": "watchproto.targets/1", "targets": {
              "dose p99": {"target": "5ms"},
              "dose event p99": {"target": "5"},
              "pigeon max": {"target": "5ms"},
              "delivery": {"target": "100%"}}}
            """#
        let bytes = Array(text.utf8)
        var lines: [Substring] = []
        do throws(Thresholds.Refusal) {
            _ = try Thresholds(bytes, measuring: ["sync", "dose event"])
        } catch {
            lines = error.description(file: "t.json", source: bytes).split(separator: "\n")
        }
        #expect(
            lines.filter { $0.contains("error") } == [
                "t.json:2:3: error: this load does not measure 'dose', did you mean 'dose event'?",
                "t.json:3:32: error: target is \"5\": a unit is needed (ns, us, ms, s, min or h)",
                "t.json:4:3: error: this load does not measure 'pigeon', only sync, dose event and "
                    + "delivery; --mix says what it sends", "3 errors in 1 file; nothing was run.",
            ])
    }

    /// A missing member is no fault of its own in a file that was cut short.
    @Test(arguments: [
        "{", #"{"format": "watchproto.targets/1", "targets": {"sync p99": {"#,
        #"{"format": "watchproto.targets/1", "targets": {"sync p99": {"max": "1s"#, #"{"targets":"#,
    ])
    func a_file_cut_short_is_told_as_that_alone(text: String) {
        let faults = Self.faults(text)
        #expect(faults.hasPrefix("t.json:1:\(text.utf8.count + 1): error: expected "), "\(faults)")
        #expect(faults.hasSuffix("\n1 error in 1 file; nothing was run."), "\(faults)")
    }
}
