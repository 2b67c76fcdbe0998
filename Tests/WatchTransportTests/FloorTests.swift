import Testing
import WatchProto
import WatchSecurity
import WatchTransport

/// The benchmarks' machinery works; how fast is for the report to say.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FloorTests {
    @Test("the raw floor gives as many samples as rounds")
    func floor() throws {
        var options = RawPingPong.Options()
        options.rounds = 500
        options.warmUpRounds = 10
        let samples = try RawPingPong.run(options)
        #expect(samples.count == 500)
        #expect(samples.allSatisfy { $0 > 0 })
    }

    @Test("the driver's echo gives both directions, and as many samples as rounds")
    func echo() throws {
        var options = LoopbackEcho.Options()
        options.rounds = 500
        options.warmUpRounds = 10
        let result = try LoopbackEcho.run(options) { _ in Unsealed() }
        #expect(result.isComplete)
        #expect(result.oneWayNanoseconds.count == 500)
        #expect(result.roundTripNanoseconds.count == 500)
        for (there, both) in zip(result.oneWayNanoseconds, result.roundTripNanoseconds) {
            #expect(there < both)
        }
    }
}
