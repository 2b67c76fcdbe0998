import CPosix
import ControlProtocol
import Glibc
import Testing
import WatchProtoCore

/// Devices of different versions: each user hears which one to update, and nothing else changes.
@Suite(.serialized, .timeLimit(.minutes(2))) struct VersionTests {
    private let bench = Bench()

    /// Advice in clear of a device of this version.
    private static func advice(_ version: UInt8) -> [UInt8] {
        var writer = WireWriter()
        AdvisoryPacket(version: version, code: .incompatible).write(to: &writer)
        return PacketFraming.plain(.advisory, writer.bytes, carrier: .stream)
    }

    private static func send(_ bytes: [UInt8], to number: Int32) {
        _ = unsafe bytes.withUnsafeBytes { unsafe write(number, $0.baseAddress, $0.count) }
    }

    /// The bytes of the answer until the other side closes, or for three seconds.
    private func visit(_ kind: PacketKind, _ body: [UInt8]) -> [UInt8] {
        let socket = Bench.connect(bench.path("link.sock"))
        defer { close(socket) }
        Self.send(PacketFraming.plain(kind, body, carrier: .stream), to: socket)
        var all: [UInt8] = []
        let limit = watchproto_monotonic_nanoseconds() + 3_000_000_000
        while let bytes = Program.read(socket, until: limit), !bytes.isEmpty { all += bytes }
        return all
    }

    @Test func a_newer_phone_is_named_on_the_watch_and_told_the_version() throws {
        let watch = try Program("WatchSim", ["--link", bench.link()])
        let code = try watch.call("pair.show", ["confirmed": true])["code"] ?? .null
        for further in [33, 4] {
            let hello = [2, 0] + [UInt8](repeating: 5, count: further)
            #expect(visit(.pairing, hello) == Self.advice(1))
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

    @Test func a_watch_that_says_it_is_unsealed_is_named_on_the_phone() throws {
        let path = Array(bench.path("link.sock").utf8)
        let listener = unsafe watchproto_listen_for_control(path, path.count)
        try #require(listener >= 0)
        let phone = try Program("PhoneSim", ["--link", bench.link()])
        try phone.call("pair.enter", ["code": "123456"])
        let link = accept(listener, nil, nil)
        Self.send(Self.advice(0), to: link)
        let advice = try phone.wait("pairing.advice")
        #expect(advice["meaning"] == "counterpart_too_old")
        #expect(advice["version"] == 0 && advice["own_version"] == 1)
        #expect(advice["detail"]?.string?.contains("it was started with --unsealed") == true)
        // No more than said: the pairing goes on.
        #expect(try phone.request("pair.enter", ["code": "654321"])["error"]?["code"] != nil)
        #expect(try phone.call("pair.cancel")["ok"] == true)
        close(link)
        close(listener)
    }

    @Test func a_session_s_other_version_is_named_and_answered() throws {
        try Pair.couple(bench)
        let watch = try Program("WatchSim", ["--link", bench.link(), "--journal", bench.path("w")])
        try watch.call("status")
        let initiation = [2] + [UInt8](repeating: 5, count: 100)
        #expect(visit(.initiation, initiation) == Self.advice(1))
        // The one it is paired with comes in as ever.
        let phone = try Program("PhoneSim", ["--link", bench.link(), "--journal", bench.path("p")])
        try phone.wait("reachability", ["reachable": true])
        try watch.wait("reachability", ["reachable": true])
    }

    /// A sealed phone tells its user why it and an unsealed watch do not meet: when it pairs, and
    /// when it is paired with a watch that was started otherwise.
    @Test(arguments: ["unix", "unix-datagram"])
    func a_sealed_phone_is_told_that_the_watch_is_unsealed(scheme: String) throws {
        let link = bench.link(scheme)
        let remedy = "it was started with --unsealed; start both alike"
        let open = try Program("WatchSim", ["--link", link, "--unsealed"])
        let unpaired = try Program("PhoneSim", ["--link", link])
        try unpaired.call("pair.enter", ["code": "123456", "confirmed": true])
        let advice = try unpaired.wait("pairing.advice")
        #expect(advice["meaning"] == "counterpart_too_old" && advice["version"] == 0)
        #expect(advice["detail"]?.string?.contains(remedy) == true)
        for program in [open, unpaired] {
            try program.call("quit")
            _ = try program.awaitEnd()
        }
        try Pair.couple(bench)
        let watch = try Program("WatchSim", ["--link", link, "--unsealed"])
        let phone = try Program("PhoneSim", ["--link", link, "--journal", bench.path("p")])
        let notice = try phone.wait("notice", ["meaning": "incompatible"])
        #expect(notice["version"] == 0 && notice["own_version"] == 1)
        #expect(notice["detail"]?.string?.contains(remedy) == true)
        #expect(try phone.call("status")["reachable"] == false)
        try watch.call("quit")
    }
}
