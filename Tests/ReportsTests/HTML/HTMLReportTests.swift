import ControlProtocol
import Testing

@testable import Reports

@Suite struct HTMLReportTests {
    /// A trace of `count` records a millisecond apart, each 5 ms under way; all are of `kind`.
    static func detail(_ count: Int, lost: Range<Int> = 0..<0, kind: String = "medication")
        -> RunDetail
    {
        let start: UInt64 = 1_000_000_000
        let origin: JSONValue = ["channel": "context", "kind": "medication", "intended_ns": 0]
        var detail = RunDetail(
            of: start..<start + UInt64(count) * 1_000_000, isComplete: true)
        guard let first = TraceRecord(origin) else { return detail }
        let entries = (0..<count).map { place in
            var record = first
            let due = start + UInt64(place) * 1_000_000
            record.identity = RecordIdentity(
                epoch: "0", channel: "context", number: UInt64(place + 1))
            record.kind = kind
            record.intended = due
            record.accepted = due + 100_000
            let isLost = lost.contains(place)
            // Times that vary need more digits in the page.
            let vary = UInt64(place % 977) * 1009
            record.sent = due + 1_000_000 + vary
            record.applied = isLost ? nil : due + 9_000_000 + vary
            return TraceJoin.Entry(
                record: record, deliveryCount: isLost ? 0 : 1,
                delivered: isLost ? nil : due + 3_000_000 + vary,
                ownVisible: isLost ? nil : due + 4_000_000 + vary,
                visible: isLost ? nil : due + 4_000_000 + vary,
                durable: isLost ? nil : due + 5_000_000 + vary)
        }
        detail.add(
            entries, series: "sync", isFromWatch: false, until: \.durable)
        return detail
    }

    private static func report(_ detail: RunDetail? = nil) -> Report {
        var report = ReportTests.sample()
        report.detail = detail
        return report
    }

    private static func data(_ page: String) throws -> JSONValue {
        let tag = #"<script type="application/json" id="data">"#
        let start = try #require(page.firstRange(of: tag))
        let rest = page[start.upperBound...]
        let end = try #require(rest.firstRange(of: "</script>"))
        return try JSONParser.parse(String(rest[..<end.lowerBound])).value
    }

    @Test func a_run_of_many_records_stays_below_a_megabyte_and_says_what_it_leaves_out() throws {
        let detail = Self.detail(100_000, lost: 50_000..<50_040)
        let page = HTMLReport.text(of: Self.report(detail))
        #expect(page.utf8.count < 1_000_000)
        let kept = try #require(page.firstMatch(of: /([0-9]+) of 100000 records are drawn/))
        let count = try #require(Int(kept.1))
        #expect((10_000...20_000).contains(count))
        let text = try #require(try Self.data(page)["records"]?["kinds"]?.string)
        let kinds = text.split(separator: ",")
        #expect(kinds.count == count)
        // All that were lost are there, and the other pictures count all.
        #expect(kinds.count { $0 == "\(RunDetail.Outcome.lost.rawValue)" } == 40)
        let rows = try Self.data(page)["intervals"]?.array?.first?["rows"]?.array ?? []
        #expect(rows.compactMap { $0.array?[1].integer }.reduce(0, +) == 99_960)
    }

    /// Where a run has enough records for a p99 the page draws it, and says of how long.
    @Test func the_page_has_the_99th_percentiles_over_time() throws {
        func entry(_ count: Int) throws -> JSONValue? {
            let page = HTMLReport.text(of: Self.report(Self.detail(count)))
            return try Self.data(page)["intervals"]?.array?.first
        }
        let many = try entry(2000)
        #expect(many?["n"] == 2000 && many?["tails"]?["seconds"] == 1)
        #expect(many?["tails"]?["rows"]?.array?.map { $0.array?[1] } == [1000, 1000])
        #expect(many?["tails"]?["rows"]?.array?[0].array?[2].integer ?? 0 > 5_000_000)
        let few = try entry(999)
        #expect(few?["n"] == 999 && few?["tails"] == .null)
    }

    @Test func few_records_are_all_there_with_their_moments() throws {
        let page = HTMLReport.text(of: Self.report(Self.detail(3)))
        #expect(!page.contains("records are drawn"))
        let records = try #require(try Self.data(page)["records"])
        #expect(records["prefixes"] == ["medication, context "])
        #expect(records["names"] == "0,0,0")
        #expect(records["kinds"] == "0,0,0")
        // 1000 µs apart; sent after 1000 µs, come after 2000 more, committed after 2000
        // more, heard of after 4000 more; the second and third are 1.009 µs and 2.018 µs slower.
        #expect(records["due"] == "0,rs,rs")
        #expect(records["moments"] == ["rs,rt,ru", "1jk,1jk,1jk", "1jk,1jk,1jk", "334,334,334"])
        // Nanoseconds beyond the microseconds of those.
        #expect(records["latency"] == "0,9,i")
    }

    @Test func the_slowest_are_kept_where_others_are_left_out() throws {
        var detail = Self.detail(30_000)
        let words: JSONValue = [
            "channel": "bulk", "kind": "bulk", "intended_ns": 1_000_000_000, "epoch": "0",
            "number": 7,
        ]
        let slow = try #require(TraceRecord(words))
        let seen: UInt64 = 60_000_000_000
        detail.add(
            [
                TraceJoin.Entry(
                    record: slow, deliveryCount: 1, delivered: seen, ownVisible: seen,
                    visible: seen, durable: seen)
            ], series: "slow", isFromWatch: true, until: \.durable)
        let page = HTMLReport.text(of: Self.report(detail))
        #expect(try Self.data(page)["records"]?["prefixes"]?.array?.contains("bulk ") == true)
        let slowest = try #require(page.firstRange(of: #"<table id="table-slowest""#))
        let row = page[slowest.upperBound...].split(separator: "<tr>").dropFirst(2).first
        #expect(row?.contains(#"<data value="59000000000">59000</data>"#) == true, "\(row ?? "")")
    }

    /// What `results.json` says by the ends of names, and that chances are from 0 to 1.
    @Test func facts_of_the_link_have_units() {
        var report = Self.report()
        report.host = [
            "cpus": 2,
            "conditions": [
                "up": [
                    "delay_ns": 250_000_000, "rate_bits_per_s": 200_000, "loss": 0.05,
                    "burst_packets": 3, "queue_bytes": 1_048_576, "jitter_reorders": false,
                    "reordering": 0, "blackout": .null,
                ]
            ],
        ]
        let page = HTMLReport.text(of: report)
        let expected = [
            ("cpus", "2"), ("conditions up delay", "250 ms"), ("conditions up rate", "200 kbit/s"),
            ("conditions up loss", "5 %"), ("conditions up burst", "3 packets"),
            ("conditions up queue", "1048576 B"), ("conditions up jitter_reorders", "no"),
            ("conditions up reordering", "0 %"),
        ].map { "<dt>\($0)</dt><dd>\($1)</dd>\n" }.joined()
        #expect(page.contains(expected + "</dl>"))
    }

    /// Scheduling delays set no scale of the picture.
    @Test func the_page_knows_which_series_is_the_machines() throws {
        var report = Self.report()
        report.latencies = ["sync", LatencySeries.schedulingDelayName].map { name in
            var series = LatencySeries(name)
            series.record(1000, message: "", atNanoseconds: 1)
            return series
        }
        let curves = try Self.data(HTMLReport.text(of: report))["curves"]?.array ?? []
        #expect(curves.map { $0["machine"] } == [false, true])
    }

    @Test func what_a_run_names_does_not_become_markup() throws {
        let hostile = #"x</script><script>alert("1")</script><!--' onload='alert(2)"#
        var report = Self.report(Self.detail(40, kind: hostile))
        report.link = hostile
        report.repeatCommand = "rig demo --profile '\(hostile)'"
        report.notes = [hostile]
        report.host = [hostile: .string(hostile)]
        report.latencies[0] = LatencySeries(hostile)
        report.latencies[0].record(1000, message: hostile, atNanoseconds: 1)
        let page = HTMLReport.text(of: report)
        // One element of data and one script, each with one end.
        #expect(page.split(separator: "<script", omittingEmptySubsequences: false).count == 3)
        #expect(page.split(separator: "</script", omittingEmptySubsequences: false).count == 3)
        #expect(!page.contains("<!--"))
        let markup = try #require(page.firstRange(of: #"<script type="application/json""#))
        #expect(!page[..<markup.lowerBound].contains("' onload="))
        let data = try Self.data(page)
        #expect(data["curves"]?.array?.first?["name"]?.string == hostile)
        #expect(data["records"]?["prefixes"]?.array?.first?.string == "\(hostile), context ")
    }

    @Test func the_policy_allows_its_own_script_and_style_and_nothing_else() throws {
        let page = HTMLReport.text(of: Self.report())
        for tag in ["script", "style"] {
            let inside = try #require(
                page.components(between: "<\(tag)>", and: "</\(tag)>"))
            #expect(page.contains("\(tag)-src '\(HTMLReport.source(inside))'"))
        }
        #expect(page.contains(#" content="default-src 'none'; base-uri 'none'; "#))
        // Nothing that such a policy would refuse, and nothing from elsewhere.
        for word in [" style=", " onclick=", "http://", "https://", "javascript:", "@import"] {
            #expect(!page.contains(word), "\(word)")
        }
    }

    /// On a narrow page a figure has its column's head before it.
    @Test func cells_of_targets_know_their_column() throws {
        let page = HTMLReport.text(of: ReportTests.sample())
        let table = try #require(
            page.components(between: "<table id=\"table-targets\">", and: "</table>"))
        let row = try #require(table.components(between: "<tbody>\n<tr>", and: "</tr>"))
        for (place, cell) in row.split(separator: "</td>").enumerated() where place > 0 {
            #expect(cell.hasPrefix("<td data-head=\"\(Report.heads[place])\">"), "\(cell)")
        }
        #expect(!HTMLStyle.text.contains("content: \"max \""))
    }

    @Test func a_run_without_records_has_its_tables() {
        var report = ReportTests.sample()
        let page = HTMLReport.text(of: report)
        #expect(page.contains("id=\"table-targets\""))
        #expect(page.contains("id=\"curves\"") && !page.contains("id=\"timeline\""))
        report.latencies = []
        #expect(!HTMLReport.text(of: report).contains("id=\"curves\""))
        #expect(!page.contains("INCOMPLETE"))
        report.isComplete = false
        #expect(HTMLReport.text(of: report).contains("<strong>INCOMPLETE</strong>"))
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 1000),
            "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"
        ),
    ])
    func sha_256_has_the_known_answers(text: String, digest: String) {
        let bytes = SHA256.digest(of: Array(text.utf8))
        #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == digest)
    }

    @Test func values_of_the_face_are_thinned_evenly() {
        let spans = (0..<20_000 as Range<UInt64>).map { place in
            RunDetail.FaceSpan(
                name: "complication \(place)", made: place * 1000, outdated: place * 1000 + 1000,
                shown: place * 1000 + 200, replaced: place * 1000 + (place == 777 ? 9000 : 1200),
                isCut: false)
        }
        let kept = FaceColumns.sample(spans)
        #expect(kept.count == FaceColumns.mostSpans)
        #expect(kept.contains { $0.name == "complication 777" })
        #expect(zip(kept, kept.dropFirst()).allSatisfy { $1.made - $0.made <= 5000 })
        #expect(FaceColumns.sample(Array(spans.prefix(50))).count == 50)
    }
}

extension String {
    /// The text between the first `start` and the `end` after it.
    fileprivate func components(between start: String, and end: String) -> String? {
        guard let first = firstRange(of: start) else { return nil }
        let rest = self[first.upperBound...]
        return rest.firstRange(of: end).map { String(rest[..<$0.lowerBound]) }
    }
}
