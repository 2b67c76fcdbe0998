import Bench
import CommandLine
import ControlProtocol
import Reports
import WatchProtoCore

extension DemoRun {
    /// The kinds of load, who sends them, and which target they measure.
    static let load: [(sender: Sender, kind: String, series: String, target: String?)] = [
        (.phone, "medication", "sync", "sync.one-change"),
        (.phone, "complication", "complication", "complication"),
        (.phone, "message", "message", "message"),
        (.phone, "dose", "dose of the phone", nil),
        (.watch, "dose", "dose event", nil),
        (.watch, "message", "message back", nil),
    ]

    /// One side of the pair.
    enum Sender { case phone, watch }

    /// The length of the unmeasured load before the measured one.
    private static let warmUp = Duration.milliseconds(300)

    /// Sends every kind at its rate, both ways at once, whether the other side keeps up or not.
    func runLoad() throws(RigFailure) {
        let (phone, watch) = try both()
        let length = Self.warmUp + options.duration
        progress.step(
            "load both ways for \(options.duration.meaning), \(options.rate.meaning) of each kind")
        if options.keepsPackets { try startPackets() }
        let begin = MonotonicClock.nowNanoseconds
        // Until its end is known: should the run be interrupted, what was measured still counts.
        spans.load = begin..<(.max)
        for (simulator, sender) in [(phone, Sender.phone), (watch, Sender.watch)] {
            let mix = Self.load.filter { $0.sender == sender }.map { row -> JSONValue in
                ["kind": .string(row.kind), "rate_per_s": .number(options.rate.perSecond)]
            }
            try simulator.call(
                "load.start",
                [
                    "mix": .array(mix),
                    "duration_ms": .whole(length.nanosecondsClamped / 1_000_000),
                    "seed": .whole(options.seed),
                    "warmup_ms": .whole(Self.warmUp.nanosecondsClamped / 1_000_000),
                ], timeout: options.timeout)
        }
        meter.beginLoad(watch)
        try awaitLoad(since: begin, length)
        meter.endLoad(watch)
        for simulator in [phone, watch] {
            let done = try simulator.event("load.done", timeout: length + options.timeout)
            for member in done["refused"]?.object?.members ?? [] {
                let count = member.value.unsigned ?? 0
                cautions.append("\(simulator.name) refused \(count) of its load: \(member.name)")
            }
        }
        let end = MonotonicClock.nowNanoseconds
        spans.load = (begin + UInt64(Self.warmUp.nanosecondsClamped))..<end
        try drain("The load")
        if hasPackets { try stopPackets() }
    }

    private func startPackets() throws(RigFailure) {
        let (phone, watch) = try both()
        hasPackets = try phone.startPackets(timeout: options.timeout)
        hasPackets = try watch.startPackets(timeout: options.timeout) && hasPackets
    }

    private func stopPackets() throws(RigFailure) {
        let (phone, watch) = try both()
        packetsEnd = MonotonicClock.nowNanoseconds
        for simulator in [phone, watch] { try simulator.stopPackets(timeout: options.timeout) }
    }

    /// Lays both lists of packets beside each other.
    func joinPackets() throws(RigFailure) {
        let (phone, watch) = try both()
        let fromPhone = try phone.packets(timeout: options.timeout)
        let fromWatch = try watch.packets(timeout: options.timeout)
        let end = packetsEnd ?? MonotonicClock.nowNanoseconds
        let down = PacketJoin(sender: fromPhone, receiver: fromWatch, until: end)
        let up = PacketJoin(sender: fromWatch, receiver: fromPhone, until: end)
        detail?.addPackets(down, isFromWatch: false)
        detail?.addPackets(up, isFromWatch: true)
        counts["packets"] = PacketJoin.counts(down: down, up: up)
    }

    /// Tells the time once a second: more would be a load of its own.
    private func awaitLoad(since begin: UInt64, _ length: Duration) throws(RigFailure) {
        let total = UInt64(length.nanosecondsClamped)
        while true {
            let gone = MonotonicClock.nowNanoseconds - begin
            guard gone < total else { return }
            progress.pace(
                "load both ways  \(ProgressMode.bar(gone, of: total))  "
                    + "\(gone / 1_000_000_000)/\(total / 1_000_000_000) s")
            try supervisor.rest(.nanoseconds(Int64(min(1_000_000_000, total - gone))))
        }
    }
}
