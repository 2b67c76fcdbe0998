import Locks
import Testing
import WatchProtoCore
import WatchProtoTransport

@testable import Bench

/// The benchmarks' machinery works; how fast is for the report to say.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct LowerBoundTests {
    @Test("the raw baseline gives as many samples as rounds")
    func baseline() throws {
        var options = RawPingPong.Options()
        options.rounds = 500
        options.warmUpRounds = 10
        let samples = try RawPingPong.run(options)
        #expect(samples.count == 500)
        #expect(samples.allSatisfy { $0 > 0 })
    }

    @Test("the raw baseline between two who meet at a path, as two processes would")
    func meeting() async throws {
        let directory = TemporaryDirectory()
        let path = directory.file("baseline")
        var options = RawPingPong.Options()
        options.rounds = 500
        options.warmUpRounds = 10
        let failure = Mutex<LinkError?>(nil)
        let serving = try SystemThread(pinnedCPU: nil) { [options] in
            do throws(LinkError) {
                try RawPingPong.serve(at: path, options)
            } catch {
                failure.withLock { $0 = error }
            }
        }
        var samples: [UInt64] = []
        let isMeasured = await eventually {
            // Nobody may be there yet.
            samples = (try? RawPingPong.measure(at: path, options)) ?? []
            return !samples.isEmpty || failure.withLock { $0 != nil }
        }
        try #require(isMeasured)
        serving.join()
        #expect(failure.withLock { $0 } == nil)
        #expect(samples.count == 500)
        #expect(samples.allSatisfy { $0 > 0 })
        #expect(directory.names == [], "the socket file is gone")
    }

    @Test("the raw baseline says when nobody serves, and when the path cannot be had")
    func nobody() {
        let directory = TemporaryDirectory()
        #expect(throws: LinkError.self) { try RawPingPong.measure(at: directory.file("baseline")) }
        #expect(throws: LinkError.self) { try RawPingPong.serve(at: directory.file("no/baseline")) }
    }

    @Test("a driver's thread looks before it sleeps, unless it is told not to")
    func busyPolling() throws {
        var options = LoopbackEcho.Options()
        options.rounds = 500
        options.warmUpRounds = 10
        // So long that no answer is slower, however busy the machine is.
        for duration in [Duration.seconds(1), .zero] {
            options.busyPollDuration = duration
            let result = try LoopbackEcho.run(options) { testSecurity($0) }
            #expect(result.isComplete)
            for counters in [result.phone, result.watch] {
                let found = counters.busyPollWakeUps
                #expect(duration == .zero ? found == 0 : found > 100, "\(duration): \(counters)")
                #expect(found <= counters.wakeUps)
            }
        }
    }

    @Test("the driver's echo gives both directions, and as many samples as rounds")
    func echo() throws {
        var options = LoopbackEcho.Options()
        options.rounds = 500
        options.warmUpRounds = 10
        let result = try LoopbackEcho.run(options) { testSecurity($0) }
        #expect(result.isComplete)
        #expect(result.oneWayNanoseconds.count == 500)
        #expect(result.roundTripNanoseconds.count == 500)
        for (there, both) in zip(result.oneWayNanoseconds, result.roundTripNanoseconds) {
            #expect(there < both)
        }
    }

    @Test("the durable baseline gives as many samples as rounds, and leaves no file")
    func durable() throws {
        let directory = TemporaryDirectory()
        var options = DurableBaseline.Options(directory: directory.path)
        options.rounds = 20
        options.warmUpRounds = 2
        options.floodRecords = 2_048
        let samples = try DurableBaseline.run(options)
        #expect(samples.count == 20)
        #expect(samples.allSatisfy { $0 > 0 })
        #expect(try DurableBaseline.flood(options) > 0)
        #expect(directory.names.isEmpty)
    }

    @Test("the durable baseline says which file it cannot make")
    func unwritable() throws {
        let directory = TemporaryDirectory()
        let options = DurableBaseline.Options(directory: directory.path + "/missing")
        let error = #expect(throws: LinkError.self) { try DurableBaseline.run(options) }
        #expect("\(error!)".contains("/missing/baseline-"))
    }
}
