package import ControlProtocol
package import Simulation
import WatchProtoCore

extension NetworkConditions {
    /// The conditions as understood, for people: a line about the whole and one for each direction.
    package var meaning: [String] {
        let half = "half the round trip in each direction"
        let reading = reading == .roundTrip ? half : "one-way: the round trip in each direction"
        return ["\(name): \(reading)"]
            + Way.allCases.flatMap { way in
                let name = way == .up ? "up    (phone to watch)" : "down  (watch to phone)"
                let direction = self[way]
                var lines = ["  \(name)  \(direction.meaning(self.reading))"]
                if direction.options.jitter > .zero, let delays = direction.delays(self.reading) {
                    lines.append(
                        "        resulting delay p50 \(Self.rounded(delays.p50)), p99 "
                            + "\(Self.rounded(delays.p99)) (200 B every 20 ms)")
                }
                return lines + (direction.caution.map { ["        warning: \($0)"] } ?? [])
            }
    }

    private static func rounded(_ time: Duration) -> String {
        "\(Decimals.table(Double(time.nanosecondsClamped) / 1e6)) ms"
    }

    /// The conditions as understood, for programs; times in nanoseconds, chances from 0 to 1.
    package var json: JSONValue {
        [
            "name": .string(name), "reading": .string(reading.rawValue), "up": up.json(reading),
            "down": down.json(reading),
        ]
    }
}

extension DirectionConditions {
    /// The figures that count, with their units.
    package func meaning(_ reading: LinkProfile.Reading) -> String {
        let delay = delay(reading)
        var parts = [
            delay == .zero ? "no delay" : "\(delay.meaning) one way",
            options.rateBitsPerSecond.map {
                $0 == 0 ? "nothing passes" : BitRate(bitsPerSecond: $0).meaning
            } ?? "any rate", "loss \(Self.share(options.loss))",
        ]
        if options.lossBurstPackets > 1 { parts.append("bursts to \(options.lossBurstPackets)") }
        if options.jitter > .zero {
            let order = options.jitterReorders ? ", may overtake" : ""
            parts.append(
                "jitter \(options.jitter.meaning) (\(options.jitterShape.word)\(order))")
        }
        if let recovery { parts.append("recovery \(recovery.meaning)") }
        let chances: [(Double, String, Duration?)] = [
            (options.duplication, "duplication", options.duplicateDelay),
            (options.reordering, "reordering", options.reorderDelay),
            (options.corruption, "corruption", nil), (options.truncation, "truncation", nil),
            (options.clogging, "clogs", options.longestClog),
        ]
        for (chance, name, limit) in chances where chance > 0 {
            let within = limit.map { " within \($0.meaning)" } ?? ""
            parts.append("\(name) \(Self.share(chance))\(within)")
        }
        if options.sendInterval > .zero {
            let stalls = options.stalling > 0 ? ", stalls \(Self.share(options.stalling))" : ""
            parts.append("interval \(options.sendInterval.meaning)\(stalls)")
        }
        if let blackout { parts.append("blackout \(blackout)") }
        parts.append("queue \(options.queuePackets) packets, \(Self.size(options.queueBytes))")
        return parts.joined(separator: ", ")
    }

    /// The figures, all of them; times in nanoseconds, chances from 0 to 1.
    package func json(_ reading: LinkProfile.Reading) -> JSONValue {
        let delay = delay(reading)
        var object: JSONObject = [
            "delay_ns": .whole(delay.nanosecondsClamped),
            "rate_bits_per_s": options.rateBitsPerSecond.map { .whole($0) } ?? .null,
            "loss": .number(options.loss), "burst_packets": .whole(options.lossBurstPackets),
            "recovery_ns": .whole((recovery ?? delay * 2).nanosecondsClamped),
            "jitter_ns": .whole(options.jitter.nanosecondsClamped),
            "jitter_shape": .string(options.jitterShape.word),
            "jitter_reorders": .bool(options.jitterReorders),
        ]
        object["duplication"] = .number(options.duplication)
        object["duplicate_delay_ns"] = .whole(options.duplicateDelay.nanosecondsClamped)
        object["reordering"] = .number(options.reordering)
        object["reorder_delay_ns"] = .whole(options.reorderDelay.nanosecondsClamped)
        object["corruption"] = .number(options.corruption)
        object["truncation"] = .number(options.truncation)
        object["clogging"] = .number(options.clogging)
        object["longest_clog_ns"] = .whole(options.longestClog.nanosecondsClamped)
        object["send_interval_ns"] = .whole(options.sendInterval.nanosecondsClamped)
        object["stalling"] = .number(options.stalling)
        object["queue_packets"] = .whole(options.queuePackets)
        object["queue_bytes"] = .whole(options.queueBytes)
        object["blackout"] = blackout.map(Self.json) ?? .null
        return .object(object)
    }

    private static func json(_ blackout: Blackout) -> JSONValue {
        [
            "length_ns": .whole(blackout.length.nanosecondsClamped),
            "every_ns": blackout.period.map { .whole($0.nanosecondsClamped) } ?? .null,
            "after_ns": .whole(blackout.first.nanosecondsClamped),
        ]
    }

    /// In the binary unit where it comes out whole, as queues are mostly given.
    private static func size(_ bytes: Int) -> String {
        if bytes.isMultiple(of: 1 << 20) { return "\(bytes >> 20) MiB" }
        if bytes.isMultiple(of: 1 << 10) { return "\(bytes >> 10) KiB" }
        return ByteCount(bytes: UInt64(bytes)).meaning
    }

    private static func share(_ value: Double) -> String {
        "\(Decimals.shortest(value * 100, decimals: 4)) %"
    }
}
