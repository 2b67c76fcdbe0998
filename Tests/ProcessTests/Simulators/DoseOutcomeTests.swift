import ControlProtocol
import Glibc
import Testing

/// Commands about doses whose outcome is unknown, because the journal's disk failed.
@Suite(.serialized, .timeLimit(.minutes(2))) struct DoseOutcomeTests {
    private let bench = Bench()

    private func id(_ number: Int) -> JSONValue {
        .string(String(repeating: "0", count: 31) + "\(number)")
    }

    /// Names the planned dose that an error tells of, if it tells of any.
    private func name(_ fields: inout JSONValue, as error: JSONValue?) throws {
        guard let error, error["dose"] != nil else { return }
        #expect(error["minute"] == 480 || error["minute"] == 1200, "\(error)")
        #expect(error["entry"] == nil, "\(error)")
        var named = try #require(fields.object)
        (named["day"], named["minute"]) = (error["day"], error["minute"])
        fields = .object(named)
    }

    @Test("A dose, an undo and a correction that are repeated after a failure count once")
    func repeated() throws {
        let acts: [(command: String, fields: JSONValue)] = [
            ("dose.record", ["index": 0, "dose": id(1)]),
            ("dose.withdraw", ["dose": id(1), "new_dose": id(2)]),
            ("dose.record", ["index": 1, "dose": id(3)]),
            ("dose.correct", ["dose": id(3), "new_dose": id(4), "action": "skipped"]),
        ]
        let list = JSONValue.string(bench.plannedList())
        var unknown: Set<String> = []
        for number in 24...48 {
            let options = [
                "--link", bench.link(), "--unsealed", "--journal", bench.path("p\(number)"),
                "--log-pages-ahead", "0", "--disk-fault", "io:sync:\(number)",
            ]
            // With some numbers the disk fails before there is a device, or a list.
            guard let phone = try? Program("PhoneSim", options) else { continue }
            guard let taken = try? phone.request("import", ["path": list]) else {
                #expect(try phone.awaitEnd() == .exited(71), "fault \(number)")
                continue
            }
            guard taken["ok"] == true else { continue }
            for (command, act) in acts {
                var fields = act
                var reply = try phone.request(command, fields)
                for _ in 0..<400 where reply["ok"] != true {
                    try #require(reply["error"]?["code"] == "journal_failed", "\(reply)")
                    #expect(reply["error"]?["outcome"] != nil, "\(reply)")
                    if reply["error"]?["outcome"] == "unknown" { unknown.insert(command) }
                    if command == "dose.record" { try name(&fields, as: reply["error"]) }
                    // The session opens the journal again by itself.
                    usleep(20_000)
                    reply = try phone.request(command, fields)
                }
                #expect(reply["ok"] == true && reply["recorded"] == 1, "\(reply)")
                #expect(try phone.call(command, fields)["doses"] == reply["doses"])
            }
            #expect(try phone.call("status")["doses"]?["count"] == 4, "fault \(number)")
            // The identity of an act is of no other one.
            for (dose, taken) in [(id(3), id(2)), (id(4), id(3))] {
                let other = try phone.request("dose.withdraw", ["dose": dose, "new_dose": taken])
                #expect(other["error"]?["code"] == "refused")
                #expect(other["error"]?["dose"] == taken)
            }
            #expect(try phone.call("status")["doses"]?["count"] == 4)
            try phone.call("quit")
            _ = try phone.awaitEnd()
        }
        #expect(unknown == Set(acts.map(\.command)))
    }
}
