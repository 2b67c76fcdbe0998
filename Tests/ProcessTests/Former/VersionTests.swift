import CPosix
import ControlKit
import Glibc
import Testing

/// Devices of different versions: each user hears which one to update, and nothing else changes.
@Suite(.serialized, .timeLimit(.minutes(2))) struct VersionTests {
    private let bench = Bench()

    /// Message 1 of a pairing: kind and length, 80, 01, the version, then what that one has to say.
    private static func hello(_ version: UInt8, further: Int) -> [UInt8] {
        let body = [0x80, 1, version] + [UInt8](repeating: 5, count: further)
        let prefix = body.count * 4 + 1
        return (prefix < 128 ? [UInt8(prefix)] : [UInt8(prefix % 128 + 128), UInt8(prefix / 128)])
            + body
    }

    private static func send(_ bytes: [UInt8], to number: Int32) {
        _ = unsafe bytes.withUnsafeBytes { unsafe write(number, $0.baseAddress, $0.count) }
    }

    /// What comes until the other side closes, or for a second.
    private static func answer(_ number: Int32) -> [UInt8] {
        var all: [UInt8] = []
        let limit = watchproto_monotonic_nanoseconds() + 3_000_000_000
        while let bytes = Program.read(number, until: limit), !bytes.isEmpty { all += bytes }
        return all
    }

    private func visit(_ bytes: [UInt8]) -> [UInt8] {
        let stranger = Bench.connect(bench.path("link.sock"))
        defer { close(stranger) }
        Self.send(bytes, to: stranger)
        return Self.answer(stranger)
    }

    @Test func a_newer_phone_is_named_on_the_watch_and_told_the_version() throws {
        let watch = try Program("WatchSim", ["--link", bench.link()])
        let code = try watch.call("pair.show", ["confirmed": true])["code"] ?? .null
        // As many bytes as a message 1 of this version has, and fewer.
        for further in [33, 4] {
            #expect(visit(Self.hello(2, further: further)) == [2 << 2 | 3, 1, 3])
        }
        let advice = try watch.wait("pairing.advice")
        #expect(advice["meaning"] == "counterpart_too_new")
        #expect(advice["version"] == 2 && advice["own_version"] == 1)
        #expect(advice["detail"]?.string?.contains("update this device") == true)
        // Told once, the code stays good.
        let phone = try Program("PhoneSim", ["--link", bench.link()])
        try phone.call("pair.enter", ["code": code, "confirmed": true])
        try watch.wait("pairing.done")
        try phone.wait("reachability", ["reachable": true])
        _ = try watch.call("status")
        #expect(watch.events.count { $0["event"] == "pairing.advice" } == 1)
    }

    @Test func a_watch_that_says_it_is_older_is_named_on_the_phone() throws {
        let path = Array(bench.path("link.sock").utf8)
        let listener = unsafe watchproto_listen_for_control(path, path.count)
        try #require(listener >= 0)
        let phone = try Program("PhoneSim", ["--link", bench.link()])
        try phone.call("pair.enter", ["code": "123456"])
        let link = accept(listener, nil, nil)
        Self.send([2 << 2 | 3, 0, 3], to: link)
        let advice = try phone.wait("pairing.advice")
        #expect(advice["meaning"] == "counterpart_too_old")
        #expect(advice["version"] == 0 && advice["own_version"] == 1)
        #expect(advice["detail"]?.string?.contains("update the other device") == true)
        // No more than said: the pairing goes on.
        #expect(try phone.request("pair.enter", ["code": "654321"])["error"]?["code"] != nil)
        #expect(try phone.call("pair.cancel")["ok"] == true)
        close(link)
        close(listener)
    }

    @Test func a_session_s_other_version_is_named_in_events_and_in_the_log() throws {
        try Pair.couple(bench)
        let watch = try Program("WatchSim", ["--link", bench.link(), "--journal", bench.path("w")])
        // Its version, then nothing that this one understands.
        var flight = visit([4 << 2 | 1, 2, 0, 0, 0])
        flight.removeFirst(max(0, flight.count - 3))
        #expect(flight == [2 << 2 | 3, 1, 3])
        let closed = try watch.wait("link.closed")
        #expect(closed["reason"] == "peer_too_new")
        #expect(closed["version"] == 2 && closed["own_version"] == 1)
        let detail = "the other side speaks wire version 2, this one 1: update this device"
        #expect(closed["detail"]?.string == detail)

        // Advice is told once, however often it is said, and closes nothing.
        let stranger = Bench.connect(bench.path("link.sock"))
        try watch.wait("link.opened")
        for _ in 0..<100 { Self.send([2 << 2 | 3, 2, 3], to: stranger) }
        #expect(try watch.wait("notice")["detail"]?.string == detail)
        try watch.poll("status") { $0["counters"]?["notices_received"] == 100 }
        // The link of the flight is the only one that was closed.
        #expect(watch.events.count { $0["event"] == "link.closed" } <= 1)
        close(stranger)
        try watch.wait("link.closed", ["reason": "carrier"])

        // The one it is paired with comes in as ever.
        let phone = try Program("PhoneSim", ["--link", bench.link(), "--journal", bench.path("p")])
        try phone.wait("reachability", ["reachable": true])
        try watch.call("quit")
        let log = watch.errorText()
        let lines = log.split(separator: "\n").filter { $0.contains(detail) }
        #expect(lines.count == 2, "\(log)")
    }
}
