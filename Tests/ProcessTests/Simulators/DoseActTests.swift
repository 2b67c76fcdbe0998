import ControlProtocol
import Testing

/// Undo, correction and resolution of doses by command. Either device sees what the other one did.
@Suite(.serialized, .timeLimit(.minutes(1))) struct DoseActTests {
    private let bench = Bench()

    /// Two devices with one planned dose a day and one medication taken as needed.
    private func pair() throws -> Pair {
        let pair = try Pair(
            bench, phone: Program("PhoneSim", ["--link", bench.link()]),
            watch: Program("WatchSim", ["--link", bench.link()]))
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
