import CPosix
import CommandLine
import ControlProtocol
import Glibc
import Testing

/// Attacks on a device's buffers, its memory or its log (issue 21, item 7).
@Suite(.serialized, .timeLimit(.minutes(2))) struct ResourceAttackTests {
    private let bench = Bench()

    /// Attacked: the face, by a file of 150 kB on a stream that carries 200 kbit/s. Must hold: the
    /// face is there within 1 s, since little bulk lies unacknowledged in the kernel's buffers.
    @Test func bulk_on_a_slow_stream_does_not_delay_the_face() throws {
        let slow = bench.path("slow.sock")
        let watch = try Program("WatchSim", ["--link", bench.link(), "--unsealed"])
        let relay = SlowRelay(front: slow, back: bench.path("link.sock"), rate: 25_000)
        defer { relay.end() }
        let phone = try Program("PhoneSim", ["--link", "unix:\(slow)", "--unsealed"])
        try phone.wait("reachability", ["reachable": true])
        /// Shows a text; gives the seconds until the watch has it, at most 5.
        func delay(of text: String) throws -> Double {
            let start = watchproto_monotonic_nanoseconds()
            try phone.call("complication.update", ["text": .string(text)])
            while seconds(since: start) < 5 {
                if try watch.call("face")["complication"]?["text"]?.string == text { break }
                usleep(10_000)
            }
            return seconds(since: start)
        }
        let alone = try delay(of: "alone")
        #expect(alone < 1, "without bulk it took \(alone) s")
        let file = Base64.encode([UInt8](repeating: 7, count: 150_000))
        try phone.call(
            "send", ["kind": "user_info", "priority": "low", "payload_b64": .string(file)])
        usleep(300_000)
        let beside = try delay(of: "beside bulk")
        #expect(beside < 1, "it took \(beside) s (given up after 5)")
    }

    private func change(_ phone: Program, _ key: String, count: Int = 1) throws {
        try phone.call(
            "send",
            [
                "kind": "context", "key": .string(key), "payload_b64": "AAAA",
                "count": .whole(count),
            ])
    }

    /// Attacked: the sender's memory, by 200,000 updates of one key while a lower number of another
    /// is outstanding. Must hold: memory follows what is outstanding, here two records: less than
    /// 8 bytes an update. The same after a restart.
    @Test func one_outstanding_key_does_not_make_updates_of_another_cost_memory() throws {
        let words = [
            "--link", bench.link(), "--unsealed", "--trace-limit", "0", "--journal",
            bench.path("p"),
        ]
        func start() throws -> (program: Program, bytes: Int) {
            let phone = try Program("PhoneSim", words)
            try phone.call("status")
            return (phone, residentBytes(of: phone.pid))
        }
        let updates = 200_000
        let (phone, fresh) = try start()
        /// Few at a time: those that wait for the disk are outstanding, too.
        func change(times: Int) throws {
            for _ in 0..<times / 500 { try self.change(phone, "2", count: 500) }
        }
        try self.change(phone, "1")
        // Until it is folded, the journal's log is in memory, and so are SQLite's pages: up to a
        // bound, which as many updates reach.
        try change(times: updates)
        let before = residentBytes(of: phone.pid)
        try change(times: updates)
        let each = Double(residentBytes(of: phone.pid) - before) / Double(updates)
        try phone.poll("status") { $0["outstanding"]?.integer ?? 0 == 2 }
        #expect(each < 8, "\(each) bytes an update")
        try phone.call("quit")
        #expect(try phone.awaitEnd() == .exited(0))
        let (again, later) = try start()
        #expect(try again.call("status")["outstanding"]?.integer ?? 0 > 0)
        let kept = Double(later - fresh) / Double(2 * updates)
        #expect(kept < 8, "\(kept) bytes an update")
    }

    /// Attacked: the log, by newcomers who are turned away for 3 s, 200 a second. Must hold: lines
    /// come in doubling intervals, so that 2 KB hold them.
    @Test func refused_newcomers_do_not_fill_the_log() throws {
        let log = bench.path("log")
        let watch = try Program.logging(
            to: log, "WatchSim", ["--link", bench.link(), "--unsealed"])
        let phone = try Program("PhoneSim", ["--link", bench.link(), "--unsealed"])
        try phone.wait("reachability", ["reachable": true])
        let path = bench.path("link.sock")
        let onslaught = Onslaught(rate: 200, seconds: 3) { _ in
            StreamAttacker(at: path).leave()
        }
        usleep(3_200_000)
        onslaught.end()
        let refused = try watch.call("status")["counters"]?["refused_connections"]?.integer ?? 0
        let written = try Files.read(log).count
        #expect(refused > 100, "\(refused) were refused")
        #expect(written < 2048, "\(written) bytes for \(refused) newcomers")
        #expect(try phone.call("status")["reachable"] == true)
    }
}
