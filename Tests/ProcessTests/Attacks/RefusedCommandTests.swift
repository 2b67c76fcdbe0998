import ControlProtocol
import Glibc
import Testing

/// Commands that are refused, and what they leave behind (issue 21, `FOUND.md`).
@Suite(.serialized, .timeLimit(.minutes(2))) struct RefusedCommandTests {
    private let bench = Bench()

    /// Attacked: one command for 8 doses, of which the fourth has the identity of another dose.
    /// Must hold: a command that is refused has recorded none. A full queue refuses no dose.
    @Test func a_refused_command_has_recorded_no_dose() throws {
        let watch = try Program(
            "WatchSim", ["--link", bench.link(), "--unsealed", "--queue-limit", "4"])
        let phone = try Program("PhoneSim", ["--link", bench.link(), "--unsealed"])
        try phone.wait("reachability", ["reachable": true])
        try phone.call("import", ["path": .string(bench.list(count: 4))])
        try phone.call("sync")
        try watch.poll("store") { $0["count"] == 4 }
        try phone.call("link.close")
        try watch.wait("reachability", ["reachable": false])
        func name(_ number: Int) -> JSONValue {
            .string(String(repeating: "0", count: 31) + "\(number)")
        }
        try watch.call("dose.record", ["index": 3, "dose": name(4), "action": "skipped"])
        let reply = try watch.request(
            "dose.record", ["index": 0, "count": 8, "dose": name(1)])
        #expect(reply["error"]?["code"] == "refused", "\(reply)")
        #expect(reply["error"]?["dose"] == name(4))
        #expect(try watch.call("store")["doses"] == 1)
        try watch.call("dose.record", ["index": 0, "count": 8])
        #expect(try watch.call("store")["doses"] == 9)
        try phone.call("link.open")
        try phone.poll("list") { $0["doses"] == 9 }
    }

    // A change is never refused for want of room: the newest value of a medication takes the place
    // of the one that waits.

    /// Attacked: a client that waits for the answer to its `id`, by a line over the limit. Must
    /// hold: the answer names the id where it could be read.
    @Test func a_line_that_is_too_long_is_answered_with_its_id() throws {
        let watch = try Program("WatchSim", ["--link", bench.link(), "--unsealed"])
        let padding = String(repeating: "x", count: 1 << 20)
        watch.write(#"{"id":7,"cmd":"send","kind":"file","payload_b64":""# + padding + "\"}\n")
        let reply = try watch.reply()
        #expect(reply["error"]?["code"] == "line_too_long")
        #expect(reply["id"] == 7, "the id is \(JSONWriter.text(reply["id"] ?? .null))")
    }
}
