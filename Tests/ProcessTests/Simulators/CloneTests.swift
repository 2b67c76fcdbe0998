import CommandLine
import ControlProtocol
import Glibc
import Testing

/// A watch whose file was copied to another: both have its keys, and only the lines of their epochs
/// tell that there are two.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SimulatorCloneTests {
    private let bench = Bench()

    /// Starts the watch on a file, lets it record a dose and waits until the phone has it.
    private func run(_ file: String, _ phone: Program, doses: Int64) throws {
        let watch = try Program(
            "WatchSim", ["--link", bench.link(), "--journal", bench.path(file)])
        try watch.call("dose.record", ["index": 0])
        try phone.poll("list") { $0["doses"] == .integer(doses) }
        try watch.poll("status") { $0["outstanding"] == 0 }
        try watch.call("quit")
        _ = try watch.awaitEnd()
        try phone.wait("reachability", ["reachable": false])
    }

    @Test func the_phone_says_that_there_is_a_copy_and_what_to_do() throws {
        try Pair.couple(bench)
        let phone = try Program(
            "PhoneSim", ["--link", bench.link(), "--journal", bench.path("p")])
        let first = try Program(
            "WatchSim", ["--link", bench.link(), "--journal", bench.path("w")])
        try phone.call("import", ["path": .string(bench.list())])
        try phone.call("sync")
        try first.poll("store") { $0["count"] == 20 }
        try first.call("quit")
        _ = try first.awaitEnd()
        try run("w", phone, doses: 1)
        try copy("w", to: "copy")
        try run("w", phone, doses: 2)
        // A copy alone is what a restored backup is: the phone takes it for that.
        try run("copy", phone, doses: 3)
        #expect(phone.events.contains { $0["change"] == Change.lostLastRecords })
        #expect(!phone.events.contains { $0["change"] == "cloned" })

        // Then the original comes again.
        let watch = try Program(
            "WatchSim", ["--link", bench.link(), "--journal", bench.path("w")])
        try watch.call("dose.record", ["index": 0])
        try phone.wait("counterpart", ["change": "cloned"])
        let closed = try phone.wait("link.closed", ["reason": "cloned"])
        #expect(closed["detail"]?.string?.contains("pair.show") == true)
        try phone.wait("activation", ["state": "not_activated"])
        let told = try watch.wait("link.closed", ["meaning": "pair_anew"])
        #expect(told["detail"]?.string?.contains("pair.show") == true)
        // Nothing of it was taken.
        #expect(try phone.call("list")["doses"] == 3)
        // Both rest. Asked to try again, the phone finds the same.
        try watch.wait("activation", ["state": "not_activated"])
        try watch.call("link.open")
        try phone.call("link.open")
        try phone.wait("counterpart", ["change": "cloned"])
        #expect(try phone.call("list")["doses"] == 3)

        // New keys tell the two apart.
        try Pair.pair(shows: watch, enters: phone)
        try phone.wait("reachability", ["reachable": true])
        // The dose that was refused comes under the new pairing.
        try phone.poll("list") { $0["doses"] == 4 }
        try phone.call("sync")
        try watch.poll("store") { $0["count"] == 20 }
        try watch.call("dose.record", ["index": 1])
        try phone.poll("list") { $0["doses"] == 5 }
        try watch.poll("status") { $0["outstanding"] == 0 }
        #expect(try phone.call("list")["doses"] == 5)
        try watch.call("quit")
        _ = try watch.awaitEnd()
        let copy = try Program(
            "WatchSim", ["--link", bench.link(), "--journal", bench.path("copy")])
        try copy.call("dose.record", ["index": 0])
        // The phone's handshake does not authenticate there.
        try copy.wait("link.refused")
        #expect(try phone.call("list")["doses"] == 5)
        try phone.call("quit")
        _ = try phone.awaitEnd()
        #expect(phone.errorText().contains("was copied"))
    }

    /// Neither the original nor the copy records anything, and each is started anew when it comes;
    /// so is the phone between them. Nothing that either heard from the phone shows that there are
    /// two.
    @Test func a_copy_that_only_listens_is_found_when_either_comes_again() throws {
        try Pair.couple(bench)
        let options = ["--link", bench.link()]
        /// Both are started and ended; gives what the phone says of the watch.
        func meet(_ file: String) throws -> [JSONValue] {
            let phone = try Program("PhoneSim", options + ["--journal", bench.path("p")])
            let watch = try Program("WatchSim", options + ["--journal", bench.path(file)])
            try phone.poll("status") { $0["reachable"] == true }
            try phone.call("send", ["kind": "user_info", "payload_b64": "AAAA"])
            try phone.poll("status") { $0["outstanding"] == 0 }
            for side in [watch, phone] {
                try side.call("quit")
                _ = try side.awaitEnd()
            }
            return phone.events.compactMap { $0["change"] }
        }
        _ = try meet("w")
        try copy("w", to: "copy")
        #expect(try meet("copy") == [Change.restarted])
        #expect(try meet("copy") == [Change.restarted])
        // It lacks what the copy confirmed.
        #expect(try meet("w") == [Change.wentBack])
        let phone = try Program("PhoneSim", options + ["--journal", bench.path("p")])
        let watch = try Program("WatchSim", options + ["--journal", bench.path("copy")])
        try phone.wait("counterpart", ["change": "cloned"])
        try phone.wait("link.closed", ["reason": "cloned"])
        try watch.wait("link.closed", ["meaning": "pair_anew"])
    }

    private func copy(_ name: String, to other: String) throws {
        let bytes = try Files.read(bench.path(name))
        let file = unsafe fopen(bench.path(other), "w")
        _ = unsafe fwrite(bytes, 1, bytes.count, file)
        _ = unsafe fclose(file)
        _ = unsafe chmod(bench.path(other), 0o600)
    }
}
