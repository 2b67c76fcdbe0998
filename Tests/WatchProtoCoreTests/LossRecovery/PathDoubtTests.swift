import Testing

@testable import WatchProtoCore

/// Sessions on a path that brings nothing to the counterpart.
@Suite struct PathDoubtTests {
    /// How many bytes leave before anything is acknowledged.
    private static func flight(_ path: PathEstimate) -> Int {
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
        let first = Self.flight(line.path)
        #expect(first == 2440)
        var flights: [Int] = []
        for _ in 0..<20 {
            line.path.beginSession()
            flights.append(Self.flight(line.path))
            line.path.endSession(roundTrip: nil, wasHeard: true)
        }
        #expect(flights.prefix(3).allSatisfy { $0 == first }, "\(flights)")
        #expect(flights[3] == 1220 && flights[4] == 732 && flights[5] == 488, "\(flights)")
        #expect(flights.last == 488, "two packets go in any case")
        var unheard = PathEstimate(datagramBytes: 244)
        for _ in 0..<20 {
            unheard.beginSession()
            unheard.endSession(roundTrip: nil)
        }
        #expect(Self.flight(unheard) == first, "nobody was there")
        line.path.beginSession()
        line.burst(2, lost: 0)
        line.path.endSession(roundTrip: nil)
        line.path.beginSession()
        #expect(Self.flight(line.path) >= first)
    }
}
