import Foundation
import Reports
import Testing

/// The rows of the report are those that the product was given, with the same numbers.
@Suite struct TargetIdentityTests {
    /// One row of the given tables, with the rows of the report that stand for it.
    private struct Given {
        var metric: String
        var target: String
        var max: String
        /// Each with its goal and its limit, in ms, MB, B, %, or a plain number.
        var rows: [(id: String, goal: Double?, limit: Double?)]

        init(
            _ metric: String, _ target: String, _ max: String,
            _ rows: (id: String, goal: Double?, limit: Double?)...
        ) {
            self.metric = metric
            self.target = target
            self.max = max
            self.rows = rows
        }
    }

    private static let given = [
        Given("phone–watch sync, one change", "1 s", "3 s", ("sync.one-change", 1000, 3000)),
        Given(
            "data sync, whole medication list (50 items)", "500 ms", "2 s",
            ("sync.list", 500, 2000)),
        Given("message delivery", "200 ms", "1 s", ("message", 200, 1000)),
        Given(
            "complication update", "100 ms", "500 ms", ("complication", 100, 500),
            ("complication.background", 100, 500), ("complication.burst", 3, nil),
            ("complication.offered", nil, nil), ("complication.pushed", nil, nil),
            ("complication.merged", nil, nil), ("complication.free", nil, nil),
            ("complication.left", nil, nil)),
        Given("sync push", "500 ms", "–", ("sync.push", 500, nil)),
        Given("incremental sync, 100 items", "2 s", "–", ("sync.incremental", 2000, nil)),
        Given("offline changes, 20", "5 s", "–", ("sync.offline", 5000, nil)),
        Given("offline → online transition", "500 ms", "1 s", ("reconnect", 500, 1000)),
        Given("50 items", "under 1 MB on the wire", "–", ("wire.list", 1, nil)),
        Given(
            "record", "about 200 bytes, against about 2 KB for the full medication", "–",
            ("record.size", 200, nil)),
        Given("watch process: launch", "1 s", "2 s", ("watch.launch", 1000, 2000)),
        Given(
            "watch process: memory", "20 MB (25 MB Wear class)", "30 MB (40 MB)",
            ("watch.memory", 20, 30), ("watch.memory.wear", 25, 40)),
        Given(
            "second of two complication updates 30 ms apart", "100 ms", "500 ms",
            ("complication.second", 100, 500)),
        Given(
            "age of the displayed face", "100 ms", "500 ms", ("face.age", 100, 500),
            ("face.age.alone", 100, 500), ("face.stale", nil, nil)),
        Given(
            "a dose recorded on either device", "1 s", "3 s", ("dose.closed", 1000, 3000),
            ("dose.recorded", 50, nil), ("dose.silenced", 1000, 3000)),
        Given(
            "sync stress", "–", "–", ("stress.time", nil, nil), ("stress.rate", nil, nil),
            ("stress.retries", nil, nil), ("delivery.exact", 100, nil)),
        Given(
            "background run",
            "1 % battery per 15 min sync; sync task ≤ 25 s, ≤ 50 MB, ≤ 80 % of one core", "–",
            ("battery.sync", 1, nil), ("battery.wakeups", nil, nil), ("battery.awake", nil, nil),
            ("battery.packets", nil, nil), ("background.time", 25_000, nil),
            ("background.memory", 50, nil), ("background.cpu", 80, nil)),
        Given(
            "AEAD seal 1 KB / open 1 KB", "3 ms / 2 ms", "10 ms / 8 ms", ("aead.seal", 3, 10),
            ("aead.open", 2, 8)),
        Given(
            "1,000 random 1 KB blobs sealed then opened", "333 seals/s", "–",
            ("aead.rate", 333, nil), ("aead.memory.mean", nil, nil),
            ("aead.memory.peak", nil, nil), ("aead.all", nil, nil)),
        Given("key generation", "5 ms", "20 ms", ("key.generate", 5, 20)),
        Given(
            "Argon2id, t = 3, m = 64 MiB, p = 4, 32-byte key", "200 ms", "500 ms",
            ("argon2id", 200, 500)),
        Given(
            "complication timeline generation (24 entries, refreshed at least every 15 min)",
            "100 ms", "500 ms", ("timeline", 100, 500)),
        Given(
            "face rendered from the timeline (Android)", "50 ms (200)", "200 ms (500)",
            ("face.render", 50, 200)),
        Given("timeline work: memory", "30 MB", "50 MB", ("timeline.memory", 30, 50)),
        Given(
            "key read from its file (Android)", "5 ms (15)", "30 ms (50)", ("key.read", 5, 30),
            ("key.read.android", 15, 50)),
        Given(
            "cold start × 10: first frame, interactive, memory at launch; on device classes low, "
                + "mid, high (CPU quota and memory limit stated)", "1 s", "2 s",
            ("start.low.first", 1000, 2000), ("start.low.dose", 200, 400),
            ("start.low.interactive", 1000, 2000), ("start.low.memory", 32, nil),
            ("start.mid.first", 1000, 2000), ("start.mid.dose", 100, 200),
            ("start.mid.interactive", 1000, 2000), ("start.mid.memory", 64, nil),
            ("start.high.first", 1000, 2000), ("start.high.dose", 50, 100),
            ("start.high.interactive", 1000, 2000), ("start.high.memory", 128, nil)),
        Given(
            "store: fetch one / list 50 / batch 500", "5 / 20 / 50 ms", "20 / 50 / 150 ms",
            ("store.fetch", 5, 20), ("store.list", 20, 50), ("store.batch", 50, 150)),
        Given(
            "store: due-now query / sort 100 by next dose", "30 / 10 ms", "100 / 50 ms",
            ("store.due", 30, 100), ("store.sort", 10, 50)),
        Given(
            "store migration: additive / 100 records rewritten / 1,000 rewritten, with progress",
            "0.1 / 1 / 5 s", "0.5 / 3 / 15 s", ("migrate.add", 100, 500),
            ("migrate.100", 1000, 3000), ("migrate.1000", 5000, 15_000)),
    ]

    /// Rows that the product added by itself: the costs of a session. Their bounds depend on the
    /// build.
    private static let own = TargetTable.all.map(\.id).filter {
        $0.hasPrefix("session.") || ["reconnection", "pairing"].contains($0)
    }

    private static func scale(_ unit: Target.Unit) -> Double {
        unit == .nanoseconds || unit == .megabytes ? 1e6 : 1
    }

    @Test func each_row_has_the_numbers_that_were_given() {
        for row in Self.given.flatMap(\.rows) {
            guard let target = TargetTable.target(row.id) else {
                Issue.record("there is no row '\(row.id)'")
                continue
            }
            let scale = Self.scale(target.unit)
            #expect(target.goal == row.goal.map { $0 * scale }, "\(row.id)")
            #expect(target.limit == row.limit.map { $0 * scale }, "\(row.id)")
        }
    }

    @Test func each_row_was_given_once() {
        #expect(Self.own.count == 5)
        let rows = Self.given.flatMap(\.rows).map(\.id) + Self.own
        #expect(Set(rows).count == rows.count)
        #expect(Set(rows) == Set(TargetTable.all.map(\.id)))
        #expect(TargetTable.all.count == rows.count)
    }

    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "shared/TARGETS.md")

    private static let isThere: Bool = {
        let isThere = FileManager.default.fileExists(atPath: file.path())
        if !isThere { print("skipped: no ../shared/TARGETS.md") }
        return isThere
    }()

    @Test(.enabled(if: isThere, "needs ../shared/TARGETS.md"))
    func the_table_above_is_the_one_that_was_given() throws {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        let tables = text.components(separatedBy: "\n## ").filter {
            $0.hasPrefix("Watch link") || $0.hasPrefix("Phone and watch internals")
        }
        #expect(tables.count == 2)
        let lines = tables.flatMap { $0.split(separator: "\n") }.filter {
            $0.hasPrefix("| ") && !$0.hasPrefix("| ---") && !$0.hasPrefix("| Metric")
        }
        let cells = lines.map { line in
            line.split(separator: "|").prefix(3).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(cells == Self.given.map { [$0.metric, $0.target, $0.max] })
    }
}
