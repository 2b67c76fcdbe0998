import ControlProtocol
import Glibc
import Testing

/// Undo, correction and resolution of doses by command. Either device sees what the other one did.
@Suite(.serialized, .timeLimit(.minutes(1))) struct DoseActTests {
    private let bench = Bench()

    /// Two devices with one planned dose a day and one medication taken as needed, at 08:00.
    private func pair() throws -> Pair {
        let pair = try Pair(
            bench, phone: Program("PhoneSim", ["--link", bench.link()]),
            watch: Program("WatchSim", ["--link", bench.link()]))
        for program in [pair.phone, pair.watch] {
            try program.call("clock.set", ["at_ms": 1_800_000_000_000, "zone_minutes": 0])
        }
        let file = bench.path("planned.json")
        bench.write(
            #"""
            {"format": "watchproto.medications/1", "medications": [
             {"name": "Early", "form": "tablet", "createdAt": "2020-01-01",
              "schedule": {"times": ["00:00"], "zone": "absolute"}},
             {"name": "Seldom", "isAsNeeded": true, "form": "tablet"}]}
            """#, to: file)
        try pair.synchronize(file)
        return pair
    }

    private func key(of name: JSONValue, _ program: Program) throws -> JSONValue {
        let list = try program.call("medication.list")["medications"]?.array
        return list?.first { $0["name"] == name }?["key"] ?? .null
    }

    private func dose(_ reply: JSONValue) -> JSONValue { reply["doses"]?.array?.first ?? .null }

    /// Waits until both devices show the state for the only planned dose.
    private func expect(_ state: JSONValue, _ pair: Pair) throws {
        for program in [pair.phone, pair.watch] {
            try program.poll("dose.today") {
                $0["doses"]?.array?.compactMap { $0["state"] } == [state]
            }
        }
    }

    private func refusal(
        _ program: Program, _ command: String, _ fields: JSONValue
    ) throws -> JSONValue? { try program.request(command, fields)["error"]?["code"] }

    @Test func both_devices_undo_correct_and_resolve() throws {
        let pair = try pair()
        let (phone, watch) = (pair.phone, pair.watch)
        let early = try key(of: "Early", phone)
        let first = dose(try watch.call("dose.record", ["key": early]))
        try expect("taken", pair)
        try phone.call("dose.record", ["key": early, "action": "skipped"])
        try expect("conflicting", pair)
        try phone.call("dose.resolve", ["dose": first, "action": "skipped"])
        try expect("skipped", pair)
        #expect(try refusal(watch, "dose.resolve", ["dose": first]) == "refused")
        #expect(try refusal(watch, "dose.correct", ["dose": first]) == "refused")
        try watch.call("dose.withdraw", ["dose": first])
        try expect("open", pair)
        #expect(try refusal(phone, "dose.withdraw", ["dose": first]) == "refused")
        let day = try #require(watch.call("dose.history")["doses"]?.array?.last?["day"])
        let snoozed = dose(
            try phone.call(
                "dose.record",
                [
                    "key": early, "action": "snoozed", "until_minute": 5_000_000, "day": day,
                    "minute": 0,
                ]))
        try expect("snoozed", pair)
        try watch.call("dose.correct", ["dose": snoozed, "amount": "1.5", "unit": "tablet"])
        try expect("taken", pair)
        let count = try phone.call("status")["doses"]?["count"]
        #expect(count == 6)
        #expect(
            try phone.call("status")["doses"]?["digest"]
                == watch.call("status")["doses"]?["digest"])
    }

    /// Face rule 5.
    @Test func two_taps_on_an_entry_of_a_face_count_once() throws {
        let pair = try pair()
        let (phone, watch) = (pair.phone, pair.watch)
        let shown = try #require(watch.call("face")["complication"]?["dose"])
        func tap(_ program: Program) throws -> (recorded: JSONValue, doses: JSONValue) {
            let reply = try program.call(
                "dose.record",
                [
                    "key": shown["key"] ?? .null, "day": shown["day"] ?? .null,
                    "entry": shown["entry"] ?? .null,
                ])
            return (reply["recorded"] ?? .null, reply["doses"] ?? .null)
        }
        let first = try tap(watch)
        #expect(first.recorded == 1 && first.doses.array?.count == 1)
        let second = try tap(watch)
        #expect(second.recorded == 0 && second.doses == first.doses)
        try phone.poll("status") { $0["doses"]?["count"] == 1 }
        let stale = try tap(phone)
        #expect(stale.recorded == 0 && stale.doses == first.doses)
        // After an undo the slot is open, and a tap counts again.
        try watch.call("dose.withdraw", ["dose": first.doses.array?.first ?? .null])
        let again = try tap(watch)
        #expect(again.recorded == 1 && again.doses != first.doses)
        #expect(try watch.call("status")["doses"]?["count"] == 3)
        let many = try refusal(
            watch, "dose.record", ["index": 0, "count": 2, "day": 2600, "entry": 0])
        #expect(many == "bad_field")
        #expect(try watch.call("status")["doses"]?["count"] == 3)
    }

    /// A caller that does not know the outcome repeats its command, a moment later.
    @Test func a_dose_that_is_repeated_under_its_identity_counts_once() throws {
        let watch = try pair().watch
        let act: JSONValue = ["index": 0, "dose": .string(String(repeating: "a", count: 32))]
        #expect(try watch.call("dose.record", act)["recorded"] == 1)
        usleep(5000)
        try watch.call("dose.record", act)
        #expect(try watch.call("status")["doses"]?["count"] == 1)
        let other = try refusal(
            watch, "dose.record",
            ["index": 0, "dose": .string(String(repeating: "a", count: 32)), "action": "skipped"])
        #expect(other == "refused")
    }

    @Test func doses_taken_as_needed_are_undone_one_by_one() throws {
        let pair = try pair()
        let seldom = try key(of: "Seldom", pair.phone)
        let one = dose(try pair.watch.call("dose.record", ["key": seldom]))
        let other = dose(try pair.watch.call("dose.record", ["key": seldom]))
        try pair.phone.poll("dose.history") { $0["count"] == 2 }
        try pair.phone.call("dose.withdraw", ["dose": one])
        #expect(try refusal(pair.phone, "dose.withdraw", ["dose": one]) == "refused")
        #expect(try refusal(pair.phone, "dose.resolve", ["dose": other]) == "refused")
        try pair.phone.call("dose.correct", ["dose": other, "action": "skipped"])
        try pair.watch.poll("dose.history") { $0["count"] == 4 }
    }
}
