package import WatchProtoCore

/// The story of a run: a running 64-bit digest always, and one line per event when asked for.
///
/// Columns of a line: virtual time in seconds; the side; what happened; to what. The digest covers
/// the numbers behind the line, never its text, so that it is the same with and without lines.
package struct WorldTrace {
    /// Everything so far, folded: equal runs have equal digests, in every process.
    package private(set) var digest: UInt64 = 0x7761_7463_6800_0001
    /// How many events were recorded.
    package private(set) var eventCount = 0
    private let sink: ((String) -> Void)?

    init(sink: ((String) -> Void)?) {
        self.sink = sink
    }

    /// Folds one event in, and writes its line when somebody reads.
    mutating func record(
        _ kind: TraceKind, at now: Instant, side: Int, _ first: UInt64 = 0, _ second: UInt64 = 0,
        _ detail: @autoclosure () -> String = ""
    ) {
        eventCount += 1
        digest = LinkDraws.mixed(digest ^ now.nanoseconds)
        digest = LinkDraws.mixed(digest ^ (UInt64(kind.rawValue) << 8 | UInt64(side)))
        digest = LinkDraws.mixed(digest ^ first)
        digest = LinkDraws.mixed(digest ^ second)
        guard let sink else { return }
        let name = "\(kind)"
        let padding = String(repeating: " ", count: max(1, 12 - name.count))
        sink("\(Self.seconds(now))  \(WorldNames.side(side))  \(name)\(padding)\(detail())")
    }

    /// `now` in seconds with nine decimals, right-aligned to 14 columns.
    package static func seconds(_ now: Instant) -> String {
        let whole = String(now.nanoseconds / 1_000_000_000)
        let rest = String(now.nanoseconds % 1_000_000_000)
        let zeros = String(repeating: "0", count: 9 - rest.count)
        let padding = String(repeating: " ", count: max(0, 4 - whole.count))
        return "\(padding)\(whole).\(zeros)\(rest)"
    }
}

/// The subject of a trace line. The raw value enters the digest.
enum TraceKind: UInt8 {
    case start = 1
    case restart, crash, wipe, pause, resume, clock, heal
    case wanted, opened, closed, down, cut, failed
    case packet, arrive, dropped, room
    case accept, refuse, cancel, deliver, decide
    case persist, commit, wake, event, end, finding
    case backup
}

/// How sides are called in traces and findings.
enum WorldNames {
    static func side(_ side: Int) -> String {
        switch side {
        case 0: "phone"
        case 1: "watch"
        default: "peer\(side)"
        }
    }
}
