package import ControlProtocol
package import Reports
package import Simulation
package import WatchProtoCore

/// Counts everything that a conditioner has done so far, in both directions.
package struct ConditionerCounters: Sendable {
    /// The counters of one direction.
    package struct Direction: Sendable {
        /// The counters of the model: offered, lost by cause, arrivals, marks.
        package var link = LinkCounters()
        /// Packets dropped because somebody named them; they are none of those offered.
        package var dropped: UInt64 = 0
        /// Arrivals handed over.
        package var delivered: UInt64 = 0
        /// Arrivals that nobody took: no receiver, or one without room for a second.
        package var untaken: UInt64 = 0
        /// Datagrams that came and were larger than the address says, or not from the counterpart.
        package var ignored: UInt64 = 0
        /// Bytes waiting for the line, or before it.
        package var queuedBytes = 0
        /// Arrivals planned and not due yet.
        package var underWay = 0
        /// How long after its moment each arrival was handed over, in nanoseconds: the error of a
        /// one-way figure that is measured through this link.
        package var lateness = LatencyHistogram()
    }

    /// From the side that connects to the one that listens.
    package var up = Direction()
    /// The other way.
    package var down = Direction()
}

/// A packet, or a piece of a stream, that came to a conditioner.
package struct OfferedPacket: Hashable, Sendable {
    /// When it came.
    package var at: Instant
    /// Its length.
    package var bytes: Int
}

extension ConditionerCounters {
    /// For programs.
    package var json: JSONValue { ["up": up.json, "down": down.json] }

    /// For people: a line for each direction, and one for the lateness of both.
    package var lines: [String] {
        var lateness = up.lateness
        lateness.merge(down.lateness)
        func microseconds(_ nanoseconds: UInt64?) -> String {
            nanoseconds.map { "\(Decimals.table(Double($0) / 1_000)) us" } ?? "(few)"
        }
        return [
            "up    \(up.summary)", "down  \(down.summary)",
            "handed over later than planned: p50 \(microseconds(lateness[.p50])), "
                + "p99 \(microseconds(lateness[.p99])), "
                + "max \(microseconds(lateness.maximumNanoseconds)) (n=\(lateness.count))",
        ]
    }
}

extension ConditionerCounters.Direction {
    /// Packets lost, for whatever cause.
    package var lost: UInt64 { link.lost.reduce(0, +) }

    fileprivate var summary: String {
        let causes = PacketFate.LossCause.allCases.filter { link.lost(to: $0) > 0 }
            .map { "\($0.word.replacing("_", with: " ")) \(link.lost(to: $0))" }
        let why = causes.isEmpty ? "" : " (\(causes.joined(separator: ", ")))"
        return "\(link.offeredPackets) offered, \(link.takenBytes) bytes, \(lost) lost\(why), "
            + "\(delivered) delivered" + (dropped > 0 ? ", \(dropped) dropped" : "")
            + (untaken > 0 ? ", \(untaken) not taken" : "")
            + (ignored > 0 ? ", \(ignored) ignored" : "")
    }

    fileprivate var json: JSONValue {
        var lost = JSONObject()
        for cause in PacketFate.LossCause.allCases {
            lost[cause.word] = .whole(link.lost(to: cause))
        }
        var marked = JSONObject()
        for (mark, name) in PacketFate.Marks.names { marked[name] = .whole(link.marked(mark)) }
        func value(_ nanoseconds: UInt64?) -> JSONValue {
            nanoseconds.map { .whole($0) } ?? .null
        }
        return [
            "offered": .whole(link.offeredPackets), "taken_bytes": .whole(link.takenBytes),
            "lost": .object(lost), "dropped": .whole(dropped), "marked": .object(marked),
            "arrivals": .whole(link.arrivals),
            "delivered": .whole(delivered), "untaken": .whole(untaken),
            "ignored": .whole(ignored), "queued_bytes": .whole(queuedBytes),
            "under_way": .whole(underWay),
            "late_ns": [
                "n": .whole(lateness.count), "p50": value(lateness[.p50]),
                "p99": value(lateness[.p99]), "max": value(lateness.maximumNanoseconds),
            ],
        ]
    }
}

extension PacketFate.LossCause {
    /// As counters name it.
    var word: String {
        switch self {
        case .loss: "loss"
        case .burst: "burst"
        case .queueFull: "queue_full"
        case .outage: "outage"
        case .noRate: "no_rate"
        }
    }
}

extension PacketFate.Marks {
    /// As counters name them.
    static let names: [(PacketFate.Marks, String)] = [
        (.queued, "queued"), (.duplicated, "duplicated"), (.reordered, "reordered"),
        (.corrupted, "corrupted"), (.truncated, "truncated"), (.clogged, "clogged"),
        (.stalled, "stalled"), (.recovered, "recovered"), (.waited, "waited"),
        (.refused, "refused"),
    ]
}
