import ControlProtocol
import Glibc
import Testing

/// The watch's face moves by itself: with doses, with time, and without a link.
@Suite(.serialized, .timeLimit(.minutes(2))) struct FaceTests {
    private let bench = Bench()
    /// 2027-01-15T08:00Z, long after the list was made.
    private static let eight: Int64 = 1_800_000_000_000

    private func set(_ programs: [Program], to minutes: Int64, seconds: Int64 = 0) throws {
        let time = Self.eight + minutes * 60_000 + seconds * 1000
        for program in programs {
            try program.call("clock.set", ["at_ms": .integer(time), "zone_minutes": 0])
        }
    }

    /// A pair with the list, a while after eight.
    private func pair(at minutes: Int64) throws -> Pair {
        let pair = try Pair(bench)
        try set([pair.phone, pair.watch], to: minutes)
        try pair.synchronize(bench.plannedList())
        return pair
    }

    private func face(_ watch: Program) throws -> JSONValue {
        try watch.call("face")["complication"] ?? .null
    }

    @Test func a_dose_of_the_watch_is_on_its_face_at_once_without_a_link() throws {
        let pair = try pair(at: 10)
        var face = try face(pair.watch)
        #expect(face["total"] == 6 && face["due"] == 3 && face["taken"] == 0)
        #expect(face["source"] == "timeline" && face["dose"]?["phase"] == "due")
        try pair.watch.call("link.close")
        try pair.watch.call("dose.record", ["index": 0])
        face = try self.face(pair.watch)
        #expect(face["taken"] == 1 && face["due"] == 2 && face["total"] == 6)
        let shown = try pair.watch.wait("complication.shown", ["source": "timeline"])
        #expect(shown["age_ns"]?.integer ?? .max < 1_000_000_000)
        try pair.watch.call("dose.record", ["index": 1, "action": "skipped"])
        face = try self.face(pair.watch)
        #expect(face["taken"] == 1 && face["skipped"] == 1 && face["due"] == 1)
        #expect(try pair.watch.call("face")["ages"]?["count"]?.integer ?? 0 > 0)
    }

    @Test func minutes_pass_and_the_face_moves_without_a_link() throws {
        let pair = try pair(at: -30)
        try pair.watch.call("link.close")
        #expect(try face(pair.watch)["dose"]?["phase"] == "upcoming")
        try set([pair.watch], to: -1, seconds: 59)
        // The watch's own timer shows it: nobody asks for the face.
        let shown = try pair.watch.wait("complication.shown", ["source": "timeline"])
        #expect(shown["text"]?.string?.hasPrefix("Medicine") == true)
        try pair.watch.poll("face") { $0["complication"]?["due"] == 3 }
        for (minutes, member) in [(30, "overdue"), (360, "not_logged"), (720, "due")] {
            try set([pair.watch], to: Int64(minutes))
            #expect(try face(pair.watch)[member] == 3, "\(member)")
        }
        // The clock is set back, and the wearer travels: 20:00 comes nine hours earlier.
        try set([pair.watch], to: 200)
        #expect(try face(pair.watch)["overdue"] == 3)
        try pair.watch.call(
            "clock.set", ["at_ms": .integer(Self.eight + 200 * 60_000), "zone_minutes": 540])
        let east = try face(pair.watch)
        #expect(east["due"] == 3 && east["dose"]?["entry"] == 1200)
    }

    @Test func an_older_state_of_the_phone_reopens_nothing() throws {
        let pair = try pair(at: 40)
        try pair.watch.call("link.close")
        try pair.phone.call("complication.update")
        try pair.watch.call("dose.record", ["index": 2])
        #expect(try face(pair.watch)["taken"] == 1)
        try pair.watch.call("link.open")
        try pair.watch.wait("complication.shown", ["source": "phone"])
        for _ in 0..<20 {
            #expect(try face(pair.watch)["taken"] == 1)
            usleep(10_000)
        }
        #expect(try face(pair.watch)["as_of_minute"] == .null)
    }

    @Test func a_dose_of_the_phone_is_on_the_watch_by_itself() throws {
        let pair = try pair(at: 40)
        try pair.phone.call("dose.record", ["index": 0])
        try pair.watch.wait("complication.shown", ["source": "phone"])
        try pair.watch.poll("face") { face in
            face["complication"]?["taken"] == 1 && face["complication"]?["overdue"] == 2
                && face["complication"]?["as_of_minute"] == .null
        }
        // A burst leaves with its first and its last dose.
        try pair.phone.call("dose.record", ["index": 1])
        try pair.phone.call("dose.record", ["index": 2])
        try pair.watch.poll("face") { $0["complication"]?["taken"] == 3 }
        // The watch has the doses before the phone's last state leaves, half a second behind.
        usleep(2_000_000)
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        #expect(try pair.phone.call("complication.update")["result"] == "equal")
    }

    /// Face rule 4.
    @Test func a_locked_face_names_no_medication() throws {
        let pair = try pair(at: 10)
        #expect(try face(pair.watch)["text"]?.string?.hasPrefix("Medicine") == true)
        try pair.watch.call("app.report", ["locked": true])
        var reply = try pair.watch.call("face")
        #expect(reply["complication"]?["due"] == 3 && reply["complication"]?["text"] == "")
        #expect(!JSONWriter.text(reply).contains("Medicine"))
        try pair.watch.wait("complication.shown", ["text": ""])
        // Nor does a text of the phone, as it arrives and afterwards.
        let sent = try pair.phone.call("complication.update", ["text": "Medicine 1 now"])
        let arrived = try pair.watch.wait("complication.shown", ["source": "phone"])
        #expect(arrived["msg"] == sent["msg"] && arrived["text"] == "")
        reply = try pair.watch.call("face")
        #expect(!JSONWriter.text(reply).contains("Medicine"))
        try pair.watch.call("app.report", ["locked": false])
        #expect(try face(pair.watch)["text"] == "Medicine 1 now")
    }

    @Test func a_dose_is_urgent_and_a_snooze_is_not() throws {
        let pair = try pair(at: 10)
        // The state of the new list is urgent, and a snooze would leave with it.
        try pair.phone.poll("complication.why") { $0["decisions"]?.array?.isEmpty == false }
        let until = Self.eight / 60_000 + 60 - 1_577_836_800 / 60
        try pair.phone.call(
            "dose.record", ["index": 0, "action": "snoozed", "until_minute": .integer(until)])
        try pair.phone.poll("complication.why") {
            $0["decisions"]?.array?.last?["urgent"] == false
        }
        try pair.phone.call("dose.record", ["index": 1])
        try pair.phone.poll("complication.why") {
            $0["decisions"]?.array?.last?["urgent"] == true
        }
    }

    @Test func a_text_stays_and_the_counts_beside_it_move() throws {
        let pair = try pair(at: 40)
        try pair.phone.call("complication.update", ["text": "drink water"])
        try pair.watch.wait("complication.shown", ["text": "drink water"])
        try pair.watch.call("dose.record", ["index": 0])
        let face = try face(pair.watch)
        #expect(face["text"] == "drink water" && face["taken"] == 1 && face["source"] == "phone")
        // The amount would be that of another dose.
        #expect(face["amount"] == "")
    }

    /// An edit within 500 ms of another state waits for its turn, and is older than the text.
    @Test func a_state_that_waits_replaces_no_newer_text() throws {
        let pair = try pair(at: 40)
        try pair.phone.poll("complication.why") { $0["decisions"]?.array?.isEmpty == false }
        try pair.phone.call("medication.change", ["index": 0])
        try pair.phone.call("complication.update", ["text": "drink water"])
        usleep(1_500_000)
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        #expect(try face(pair.watch)["text"] == "drink water")
    }

    /// FT-26: what was due before a journey stays due, also for a process that starts after it.
    @Test func a_journey_outlives_the_process() throws {
        let arguments = ["--link", bench.link(), "--journal", bench.path("w")]
        let pair = try Pair(
            bench, phone: Program("PhoneSim", ["--link", bench.link()]),
            watch: Program("WatchSim", arguments))
        // The clock is set back, so that a start by the host's clock is later than the journey.
        let yesterday = (Int64(time(nil)) - 86_400) * 1000
        func timeline(_ watch: Program, _ minutes: Int64, _ zone: Int64) throws -> JSONValue {
            try watch.call(
                "clock.set",
                ["at_ms": .integer(yesterday + minutes * 60_000), "zone_minutes": .integer(zone)])
            return try watch.call("face")["timeline"]?["digest"] ?? .null
        }
        try pair.synchronize(bench.plannedList())
        _ = try timeline(pair.watch, 0, 600)
        try pair.phone.call("quit")
        _ = try pair.phone.awaitEnd()
        let before = try timeline(pair.watch, 10, -300)
        #expect(before != .null)
        try pair.watch.call("quit")
        _ = try pair.watch.awaitEnd()
        let watch = try Program("WatchSim", arguments)
        #expect(try timeline(watch, 10, -300) == before)
    }

    @Test func a_face_comes_back_from_its_file() throws {
        let pair = try Pair(
            bench,
            phone: Program("PhoneSim", ["--link", bench.link(), "--journal", bench.path("p")]),
            watch: Program("WatchSim", ["--link", bench.link(), "--journal", bench.path("w")]))
        try set([pair.phone, pair.watch], to: 40)
        try pair.synchronize(bench.plannedList())
        try pair.watch.call("dose.record", ["index": 0])
        let before = try face(pair.watch)
        #expect(before["taken"] == 1)
        pair.watch.signal(SIGKILL)
        _ = try pair.watch.awaitEnd()
        let watch = try Program("WatchSim", ["--link", bench.link(), "--journal", bench.path("w")])
        try set([watch], to: 40)
        #expect(try face(watch)["taken"] == 1)
        #expect(try face(watch)["overdue"] == before["overdue"])
    }
}
