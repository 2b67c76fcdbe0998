internal import CommandLine
internal import ControlProtocol

/// How far a load has come, as it is told on stderr while it is sent.
package struct LoadProgress: Sendable {
    /// The link over which it is sent.
    package var link: String
    /// How long it has been sent, in whole seconds.
    package var seconds: UInt64
    /// How long it is to be sent, in whole seconds.
    package var totalSeconds: UInt64
    /// How many records were sent.
    package var sent: UInt64 = 0
    /// Of how many of them the sender knows what became.
    package var acknowledged: UInt64 = 0
    /// How many are under way, both ways.
    package var inFlight: UInt64 = 0
    /// From when records were due until the sender knew that they had arrived.
    package var latencies = LatencyHistogram()
    /// The round, from 1, and how many there are.
    package var round: (number: Int, count: Int) = (1, 1)
    /// Whether the records are those of the build that this one is held against.
    package var isOtherBuild = false

    /// Makes one of which only the time is known.
    package init(link: String, seconds: UInt64, totalSeconds: UInt64) {
        self.link = link
        self.seconds = seconds
        self.totalSeconds = totalSeconds
    }

    /// For a terminal: `ble  [####----]  27/60 s  538 sent  531 acked  7 in flight  p99 402 ms`.
    ///
    /// - Parameter columns: how many there are for it. Where they are few the bar is shorter, or
    ///   not there: figures say more.
    package func bar(columns: Int) -> String {
        var parts = [
            "\(seconds)/\(totalSeconds) s", "\(sent) sent", "\(acknowledged) acked",
            "\(inFlight) in flight", "p99 " + (percentile.map { "\($0) ms" } ?? "(few)"),
        ]
        if round.count > 1 { parts.append("round \(round.number) of \(round.count)") }
        if isOtherBuild { parts.append("the other build") }
        let figures = parts.joined(separator: "  ")
        // Brackets, and two blanks on each side.
        let room = columns - link.count - figures.count - 6
        let bar = ProgressMode.bar(seconds, of: totalSeconds, width: min(20, room))
        return ([link] + (room < 4 ? [] : [bar]) + [figures]).joined(separator: "  ")
    }

    /// For anything else: `ble t=30s sent=600 acked=594 p99_ms=411`.
    package var line: String {
        var parts = [
            link, "t=\(seconds)s", "sent=\(sent)", "acked=\(acknowledged)",
            "p99_ms=\(percentile ?? "few")",
        ]
        if round.count > 1 { parts.append("round=\(round.number)/\(round.count)") }
        if isOtherBuild { parts.append("build=other") }
        return parts.joined(separator: " ")
    }

    /// In milliseconds; nil with too few.
    private var percentile: String? {
        latencies[.p99].map { Decimals.table(Double($0) / 1e6) }
    }
}
