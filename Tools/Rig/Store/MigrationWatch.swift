import CommandLine
import Locks
import WatchProtoJournal

/// Notes when each step of a migration began and ended.
final class MigrationWatch: Sendable {
    struct Span {
        var begin: UInt64
        var end: UInt64
        /// How often it told how far it had come.
        var reports = 0
    }

    private let spans = Mutex<[Int: Span]>([:])

    func note(_ progress: Migration.Progress) {
        let now = MonotonicClock.nowNanoseconds
        spans.withLock { spans in
            spans[progress.version, default: Span(begin: now, end: now)].end = now
            spans[progress.version]?.reports += 1
        }
    }

    func span(of version: Int) -> Span? { spans.withLock { $0[version] } }
}
