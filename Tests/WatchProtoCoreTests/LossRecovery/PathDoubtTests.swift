import Testing

@testable import WatchProtoCore

/// Sessions on a path that brings nothing to the counterpart.
@Suite struct PathDoubtTests {
    /// How many bytes leave before anything is acknowledged.
    private static func start(_ path: PathEstimate) -> Int {
        var bytes = 0
        while path.mayLeave(
            isUrgent: false, inFlightBytes: bytes, roundTrip: nil, at: Instant(nanoseconds: 1 << 60)
        ) { bytes += path.datagramBytes }
        return bytes
    }

    @Test("Sessions without an answer send less and less, and one answer ends that")
    func sessionsWithoutAnAnswerSendLess() {
        var line = MeasuredLine(
            PathEstimate(datagramBytes: 244), bytesPerSecond: 100_000, way: .milliseconds(20))
        let first = Self.start(line.path)
        #expect(first == 2440)
        var starts: [Int] = []
        for _ in 0..<20 {
            line.path.beginSession()
            starts.append(Self.start(line.path))
            line.path.endSession(roundTrip: nil, wasHeard: true)
        }
        #expect(starts.prefix(3).allSatisfy { $0 == first }, "\(starts)")
        #expect(starts[3] == 1220 && starts[4] == 732 && starts[5] == 488, "\(starts)")
        #expect(starts.last == 488, "two packets go in any case")
        var unheard = PathEstimate(datagramBytes: 244)
        for _ in 0..<20 {
            unheard.beginSession()
            unheard.endSession(roundTrip: nil)
        }
        #expect(Self.start(unheard) == first, "nobody was there")
        line.path.beginSession()
        line.burst(2, lost: 0)
        line.path.endSession(roundTrip: nil)
        line.path.beginSession()
        #expect(Self.start(line.path) >= first)
    }
}
