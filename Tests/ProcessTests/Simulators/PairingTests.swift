import CommandLine
import ControlProtocol
import Glibc
import Testing

/// Pairing as its users know it, over the control channels of both devices.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SimulatorPairingTests {
    private let bench = Bench()

    private func start(_ further: [String] = [], files: Bool = true) throws -> (
        phone: Program, watch: Program
    ) {
        func arguments(_ name: String) -> [String] {
            ["--link", bench.link()] + (files ? ["--journal", bench.path(name)] : []) + further
        }
        return (try Program("PhoneSim", arguments("p")), try Program("WatchSim", arguments("w")))
    }

    /// Another code than the one that is shown, for each try another.
    private func wrong(_ code: JSONValue?, _ number: Int) -> JSONValue {
        .string(code?.string == "00000\(number)" ? "11111\(number)" : "00000\(number)")
    }

    @Test func both_confirm_and_from_then_on_they_know_each_other() throws {
        var (phone, watch) = try start()
        #expect(phone.ready["sealed"] == true && phone.ready["paired"] == false)
        #expect(phone.ready["epoch"] == .null)
        #expect(try phone.request("sync")["error"]?["code"] == "not_paired")
        #expect(try phone.request("pair.confirm")["error"]?["code"] == "not_pairing")
        try phone.call("import", ["path": .string(bench.list())])
        let code = try watch.call("pair.show")["code"] ?? .null
        #expect(try watch.request("pair.show")["error"]?["code"] == "pairing_busy")
        #expect(try watch.request("pair.confirm")["error"]?["code"] == "nothing_to_confirm")
        try phone.call("pair.enter", ["code": code])
        #expect(try phone.wait("pairing.confirm")["role"] == "watch")
        try phone.call("pair.confirm")
        #expect(try watch.wait("pairing.confirm")["role"] == "phone")
        try watch.call("pair.confirm")
        let done = try phone.wait("pairing.done")
        #expect(try watch.wait("pairing.done")["pairing"] == done["pairing"])
        try phone.wait("reachability", ["reachable": true])
        #expect(try phone.call("sync")["records"] == 20)
        try watch.poll("store") { $0["count"] == 20 }
        for program in [phone, watch] {
            let list = try program.call("pair.list")["pairings"]?.array ?? []
            #expect(list.count == 1)
            #expect(list.first?["state"] == "active" && list.first?["pairing"] == done["pairing"])
            program.signal(SIGKILL)
            #expect(try program.awaitEnd() == .signalled(SIGKILL))
        }
        // The keys are in the files.
        (phone, watch) = try start()
        #expect(phone.ready["paired"] == true && watch.ready["paired"] == true)
        try phone.wait("reachability", ["reachable": true])
        #expect(try phone.call("sync")["result"] == "not_modified")
    }

    @Test func a_wrong_code_is_burnt_and_the_third_ends_pairing() throws {
        let (phone, watch) = try start(files: false)
        var code = try watch.call("pair.show")["code"]
        for left in [2, 1] {
            let typed = wrong(code, left)
            try phone.call("pair.enter", ["code": typed])
            for program in [phone, watch] {
                let failed = try program.wait("pairing.failed")
                #expect(failed["reason"] == "not_authentic")
                #expect(failed["attempts_left"] == .whole(left))
            }
            let next = try watch.wait("pairing.code")["code"]
            #expect(next != code)
            code = next
            // Typed again the burnt one is refused on the spot.
            let again = try phone.request("pair.enter", ["code": typed])
            #expect(again["error"]?["code"] == "code_used")
        }
        try phone.call("pair.enter", ["code": wrong(code, 0)])
        for program in [phone, watch] {
            #expect(
                try program.wait("pairing.ended")["reason"] == "too_many_failures")
            #expect(try program.call("status")["paired"] == false)
        }
        // A new pairing is another act.
        try Pair.pair(shows: watch, enters: phone)
    }

    /// Typed afterwards it is no better than any other wrong code: nothing that crosses the link
    /// could tell the two apart without telling an attacker, too. It costs a try, and the new code.
    @Test func a_code_that_is_too_old_is_told_where_it_was_shown_and_is_a_wrong_one_elsewhere()
        throws
    {
        let life = ["--link", bench.link(), "--code-life", "1s"]
        let (phone, watch) = (
            try Program("PhoneSim", ["--link", bench.link()]), try Program("WatchSim", life)
        )
        let shown = try watch.call("pair.show")
        let old = shown["code"]
        #expect(shown["good_for_ms"] == 1000)
        let before = watch.events.count
        try watch.wait("pairing.expired")
        let next = try watch.wait("pairing.code")["code"]
        #expect(next != old && next?.string?.count == 6)
        // No attempt was counted, and none has failed.
        #expect(!watch.events[before...].contains { $0["event"] == "pairing.failed" })
        try phone.call("pair.enter", ["code": old ?? .null])
        let failed = try phone.wait("pairing.failed")
        #expect(failed["reason"] == "not_authentic" && failed["attempts_left"] == 2)
        for program in [phone, watch] {
            #expect(try program.call("status")["paired"] == false)
            try program.call("pair.cancel")
            try program.wait("pairing.ended")
        }
        // Nobody shows a code where this one is entered: it is given up as well.
        let other = try Program(
            "PhoneSim", ["--link", "unix:\(bench.path("other.sock"))", "--code-life", "200ms"])
        try other.call("pair.enter", ["code": "123456"])
        try other.wait("pairing.expired")
    }

    @Test func a_device_that_shows_codes_to_nobody_goes_back_to_its_session() throws {
        let phone = try Program("PhoneSim", ["--link", bench.link()])
        let watch = try Program("WatchSim", ["--link", bench.link(), "--code-life", "1500ms"])
        try Pair.pair(shows: phone, enters: watch)
        try phone.wait("reachability", ["reachable": true])
        try watch.call("pair.show")
        try phone.wait("reachability", ["reachable": false])
        try watch.wait("pairing.expired")
        #expect(try watch.wait("pairing.ended")["reason"] == "timed_out")
        #expect(watch.events.count { $0["event"] == "pairing.code" } == 4)
        #expect(try watch.request("pair.confirm")["error"]?["code"] == "not_pairing")
        try phone.wait("reachability", ["reachable": true])
    }

    @Test(arguments: ["0s", "121s", "soon"])
    func a_code_lives_no_longer_than_two_minutes(_ time: String) throws {
        let watch = try Program(
            "WatchSim", ["--link", bench.link(), "--code-life", time], awaitsReady: false)
        #expect(try watch.awaitEnd() == .exited(64))
        #expect(watch.errorText().contains("--code-life"))
    }

    @Test func a_cancelled_pairing_says_so_and_the_session_before_goes_on() throws {
        let (phone, watch) = try start(files: false)
        try Pair.pair(shows: watch, enters: phone)
        try phone.wait("reachability", ["reachable": true])
        try watch.call("pair.show")
        let note: JSONValue = ["kind": "user_info", "payload_b64": ""]
        #expect(try watch.request("send", note)["error"]?["code"] == "pairing_busy")
        try phone.wait("reachability", ["reachable": false])
        try watch.call("pair.cancel")
        #expect(try watch.wait("pairing.ended")["reason"] == "cancelled")
        try phone.wait("reachability", ["reachable": true])
    }

    /// The other knew the code: what became of it is no attack.
    @Test func who_gives_up_when_asked_is_told_as_that_and_the_next_code_pairs() throws {
        let (phone, watch) = try start(files: false)
        let code = try watch.call("pair.show")["code"] ?? .null
        try phone.call("pair.enter", ["code": code])
        try phone.wait("pairing.confirm")
        try phone.call("pair.cancel")
        try phone.wait("pairing.ended")
        #expect(try watch.wait("pairing.advice")["meaning"] == "gave_up")
        let failed = try watch.wait("pairing.failed")
        #expect(failed["reason"] == "abandoned" && failed["attempts_left"] == 2)
        let next = try watch.wait("pairing.code")["code"] ?? .null
        try phone.call("pair.enter", ["code": next, "confirmed": true])
        try watch.wait("pairing.confirm")
        try watch.call("pair.confirm")
        try watch.wait("pairing.done")
    }

    @Test func two_that_were_both_given_a_code_are_told() throws {
        let (phone, watch) = try start(files: false)
        for program in [watch, phone] { try program.call("pair.enter", ["code": "123456"]) }
        for program in [watch, phone] {
            let advice = try program.wait("pairing.advice")
            #expect(advice["meaning"] == "enters_as_well")
            #expect(advice["detail"]?.string?.contains("show one there") == true)
        }
    }

    @Test func who_does_not_pair_is_told_from_a_wrong_code() throws {
        let (phone, watch) = try start(files: false)
        try Pair.pair(shows: watch, enters: phone)
        try phone.wait("reachability", ["reachable": true])
        // The watch's user has not asked for it: nothing happens there, however often they come.
        try phone.call("pair.enter", ["code": "123456"])
        #expect(try phone.wait("pairing.advice")["meaning"] == "not_pairing")
        #expect(try watch.call("pair.list")["pairings"]?.array?.count == 1)
        try phone.call("pair.cancel")
        try phone.wait("pairing.ended")
        try phone.wait("reachability", ["reachable": true])
    }

    @Test func forgetting_is_an_act_of_one_and_erases_the_records_of_the_other() throws {
        let (phone, watch) = try start()
        try Pair.pair(shows: watch, enters: phone)
        try phone.wait("reachability", ["reachable": true])
        try phone.call("import", ["path": .string(bench.list())])
        try phone.call("sync")
        try watch.poll("store") { $0["count"] == 20 }
        let name = try watch.call("medication.list")["medications"]?.array?.first?["name"]?.string
        let word = Array((name ?? "").utf8)
        #expect(word.count > 5 && holds(word, "w"))
        let pairing = try watch.call("pair.list")["pairings"]?.array?.first?["pairing"] ?? .null
        #expect(
            try watch.request("pair.forget", ["pairing": "00"])["error"]?["field"] == "pairing")
        let unknown = JSONValue.string(String(repeating: "1", count: 32))
        #expect(
            try watch.request("pair.forget", ["pairing": unknown])["error"]?["code"]
                == "no_such_pairing")
        try watch.call("pair.forget", ["pairing": pairing])
        #expect(try watch.call("store")["count"] == 0)
        #expect(try watch.call("pair.list")["pairings"] == [])
        #expect(!holds(word, "w"))
        try phone.wait("reachability", ["reachable": false])
        // The phone's list is its own. Pairing anew brings the watch everything again.
        #expect(try phone.call("list")["count"] == 20)
        try Pair.pair(shows: phone, enters: watch)
        try phone.wait("reachability", ["reachable": true])
        try phone.call("sync")
        try watch.poll("store") { $0["count"] == 20 }
        // Nothing of the former pairing with this watch is left on the phone.
        let rows = try phone.call("pair.list")["pairings"]?.array ?? []
        #expect(rows.map { $0["state"] } == ["active"])
    }

    @Test func an_unsealed_simulator_does_not_pair_and_says_what_it_is() throws {
        let watch = try Program("WatchSim", ["--link", bench.link(), "--unsealed"])
        #expect(watch.ready["sealed"] == false)
        #expect(try watch.request("pair.show")["error"]?["code"] == "unsealed")
        try watch.call("quit")
        #expect(watch.errorText().contains("UNSEALED"))
    }

    /// Whether a journal, or its log, holds these bytes.
    private func holds(_ bytes: [UInt8], _ name: String) -> Bool {
        [name, name + "-wal"].contains { name in
            ((try? Files.read(bench.path(name))) ?? []).contains(bytes)
        }
    }
}
