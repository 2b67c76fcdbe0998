import ControlProtocol
import Foundation
import Testing

/// The dose events of a test. `WATCHPROTO_DOSES=100000` makes more of them, and takes minutes.
private let doseCount =
    ProcessInfo.processInfo.environment["WATCHPROTO_DOSES"].flatMap { Int($0) } ?? 20_000

/// The most dose events that a phone and a watch are asked to exchange at once.
@Suite(.serialized, .timeLimit(.minutes(2 * max(1, doseCount / 20_000)))) struct ManyDosesTests {
    private let bench = Bench()

    private func start(_ name: String) throws -> Program {
        try Program(name, ["--link", bench.link(), "--journal", bench.path(name)])
    }

    /// Doses of another program, one a minute from 2024 on.
    private func doses() -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let lines = (0..<doseCount).map { number -> String in
            let day = number / 1_440
            let time =
                "2024-\(two(1 + day / 28))-\(two(1 + day % 28))T\(two(number / 60 % 24)):"
                + "\(two(number % 60)):00Z"
            return
                #"{"resourceType":"MedicationAdministration","id":"\#(number)","#
                + #""status":"completed","effectiveDateTime":"\#(time)","#
                + #""medicationCodeableConcept":{"text":"Medicine \#(number % 50) 5 MG"}}"#
        }
        let name = bench.path("doses.ndjson")
        bench.write(lines.joined(separator: "\n") + "\n", to: name)
        return name
    }

    @Test func the_doses_of_years_that_a_phone_imports_are_on_the_watch() throws {
        let pair = try Pair(bench, phone: start("PhoneSim"), watch: start("WatchSim"))
        let (phone, watch) = (pair.phone, pair.watch)
        let count = JSONValue.integer(Int64(doseCount))
        let path = JSONValue.string(doses())
        let seconds = 30.0 * Double(max(1, doseCount / 20_000))
        let reply = try phone.call("dose.import", ["path": path], within: seconds)
        #expect(reply["recorded"] == count && reply["known"] == 0)
        try watch.poll("status", times: 50 * Int(seconds)) { $0["doses"]?["count"] == count }
        let digest = try #require(phone.call("status")["doses"]?["digest"])
        #expect(try watch.call("status")["doses"]?["digest"] == digest)
        #expect(try watch.call("store")["doses"] == count)
        // None of them goes back, and a second import adds none.
        #expect(try phone.call("dose.import", ["path": path], within: seconds)["known"] == count)
        #expect(try phone.call("status")["doses"]?["digest"] == digest)
        try watch.call("quit")
        _ = try watch.awaitEnd()
        #expect(try start("WatchSim").call("status")["doses"]?["digest"] == digest)
    }
}
