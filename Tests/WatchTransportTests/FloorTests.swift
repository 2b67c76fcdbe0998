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

    @Test("the durable floor gives as many samples as rounds, and leaves no file")
    func durable() throws {
        let directory = TemporaryDirectory()
        var options = DurableFloor.Options(directory: directory.path)
        options.rounds = 20
        options.warmUpRounds = 2
        options.floodRecords = 2_048
        let samples = try DurableFloor.run(options)
        #expect(samples.count == 20)
        #expect(samples.allSatisfy { $0 > 0 })
        #expect(try DurableFloor.flood(options) > 0)
        #expect(directory.names.isEmpty)
    }

    @Test("the durable floor says which file it cannot make")
    func unwritable() throws {
        let directory = TemporaryDirectory()
        let options = DurableFloor.Options(directory: directory.path + "/missing")
        let error = #expect(throws: LinkError.self) { try DurableFloor.run(options) }
        #expect("\(error!)".contains("/missing/floor-"))
    }
}
