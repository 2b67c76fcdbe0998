import ControlKit
import Foundation
import Testing

@testable import RigKit

/// A run as one page. How it looks and acts in a browser is tried by `RigPageTests`.
@Suite struct HTMLReportTests {
    /// A run of `count` records that are due every 100 us, of which some are lost or come twice.
    static func detail(count: Int, isComplete: Bool = true) -> RunDetail {
        var records: [TraceRecord] = []
        var deliveries: [TraceDelivery] = []
        for number in 0..<count {
            let due = UInt64(number) * 100_000
            records.append(TraceJoinTests.record(number, lane: "context", intended: due))
            let times = number % 977 == 5 ? 0 : number % 1_009 == 7 ? 2 : 1
            for _ in 0..<times {
                deliveries.append(
                    TraceJoinTests.delivery(
                        number, lane: "context",
                        visible: due + 40_000 + UInt64(number % 613) * 1_000))
            }
        }
        let join = TraceJoin(records: records, deliveries: deliveries)
        var detail = RunDetail(of: 0..<UInt64(count) * 100_000, isComplete: isComplete)
        detail.add(join.entries, series: "sync", isFromWatch: false, latency: \.latencyNanoseconds)
        return detail
    }

    static func report(count: Int) -> Report {
        var report = ReportTests.sample()
        report.detail = detail(count: count)
        return report
    }

    /// What stands between two tags, the first time.
    private static func between(_ start: String, _ end: String, _ page: String) -> String? {
        guard let from = page.range(of: start)?.upperBound,
            let to = page[from...].range(of: end)?.lowerBound
        else { return nil }
        return String(page[from..<to])
    }

    @Test func the_policy_allows_exactly_what_the_page_has() throws {
        let page = HTMLReport.text(of: Self.report(count: 50))
        let style = try #require(Self.between("<style>", "</style>", page))
        let script = try #require(Self.between("<script>", "</script>", page))
        let policy = try #require(Self.between("Content-Security-Policy\" content=\"", "\"", page))
        #expect(
            policy == "default-src 'none'; base-uri 'none'; form-action 'none'; "
                + "script-src '\(HTMLReport.source(script))'; "
                + "style-src '\(HTMLReport.source(style))'")
        // Nothing that such a policy would refuse, and nothing from elsewhere.
        for word in [" style=", " onclick=", "http://", "https://", "javascript:", "@import"] {
            #expect(!page.contains(word), "\(word)")
        }
    }

    /// FIPS 180-4, from NIST's examples: nothing, one block, two, and more than 2^16 bytes.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ])
    func digests_are_those_of_the_standard(text: String, digest: String) {
        let found = SHA256.digest(of: Array(text.utf8)).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        #expect(found.joined() == digest)
    }

    @Test func what_a_run_names_itself_is_text_and_never_markup() throws {
        let hostile = "</script><img src=x onerror=\"a('&')\"><!--"
        var report = Self.report(count: 30)
        report.notes = [hostile]
        report.link = hostile
        report.repeatCommand = "rig \(hostile)"
        report.host = ["name": .string(hostile)]
        var series = LatencySeries(hostile)
        series.record(1_000, message: hostile, atNanoseconds: 5)
        report.latencies.append(series)
        let page = HTMLReport.text(of: report)
        #expect(!page.contains("<img"))
        #expect(!page.contains("<!--"))
        #expect(page.components(separatedBy: "</script>").count == 3)
        let data = try #require(Self.between("id=\"data\">", "</script>", page))
        let curves = try JSONParser.parse(data).value["curves"]?.array
        #expect(curves?.last?["name"]?.string == hostile)
    }

    @Test func a_page_stays_below_a_megabyte_and_says_what_it_leaves_out() throws {
        let report = Self.report(count: 100_000)
        let page = HTMLReport.text(of: report)
        #expect(page.utf8.count < 1_000_000, "\(page.utf8.count)")
        let columns = RecordColumns(try #require(report.detail))
        #expect(columns.total == 100_000 && columns.kept <= RecordColumns.mostRecords)
        #expect(page.contains("are \(columns.kept) of 100000: the slowest"))
        let few = HTMLReport.text(of: Self.report(count: 2_000))
        #expect(!few.contains("of 2000: the slowest"))
    }

    /// Nobody may have to guess whether the one that was lost is among those left out.
    @Test func trouble_and_the_slowest_are_never_left_out() throws {
        let detail = Self.detail(count: 60_000)
        let columns = RecordColumns(detail)
        let kinds = (columns.json["kinds"]?.string ?? "").split(separator: ",")
        func kept(_ outcome: RunDetail.Outcome) -> Int {
            kinds.count { (Int($0, radix: 36) ?? 0) & 7 == outcome.rawValue }
        }
        for outcome in [RunDetail.Outcome.lost, .twice] {
            let all = detail.records.count { $0.outcome == outcome }
            #expect(all > 50)
            #expect(kept(outcome) == all, "\(outcome)")
        }
        let latencies = (columns.json["latency"]?.string ?? "")
            .split(separator: ",", omittingEmptySubsequences: false)
            .compactMap { UInt64($0, radix: 36) }
        let slowest = detail.slowest(RecordColumns.slowestKept).compactMap(\.latencyNanoseconds)
        #expect(latencies.sorted(by: >).prefix(slowest.count).map { $0 * 1000 } == slowest)
    }

    @Test func columns_hold_what_records_say() throws {
        let columns = RecordColumns(Self.detail(count: 10))
        func column(_ name: String) -> [String] {
            (columns.json[name]?.string ?? "").components(separatedBy: ",")
        }
        #expect(columns.notice == nil)
        #expect(columns.json["prefixes"] == ["dose, context "])
        #expect(column("names") == ["0:0"] + Array(repeating: "0:1", count: 9))
        // 100 us each after the one before, in base 36.
        #expect(column("due") == ["0"] + Array(repeating: "2s", count: 9))
        #expect(column("kinds") == ["0", "0", "0", "0", "0", "2", "0", "3", "0", "0"])
        #expect(column("latency")[..<7] == ["14", "15", "16", "17", "18", "", "1a"])
    }

    @Test func a_run_without_records_has_its_tables() {
        var report = ReportTests.sample()
        let page = HTMLReport.text(of: report)
        #expect(page.contains("id=\"table-targets\""))
        #expect(page.contains("id=\"percentiles\""))
        #expect(!page.contains("id=\"timeline\""))
        report.latencies = []
        #expect(!HTMLReport.text(of: report).contains("id=\"percentiles\""))
        #expect(!page.contains("INCOMPLETE"))
        report.isComplete = false
        #expect(HTMLReport.text(of: report).contains("<strong>INCOMPLETE</strong>"))
    }
}
