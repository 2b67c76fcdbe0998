import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// Parity leaves at the pace of what is urgent, and does not wait for anybody's answer.
@Suite struct ParityDepartureTests {
    /// A phone that knows its path: 100 kB a second, 20 ms each way, one packet of seven lost.
    private static func paced() -> PairInABox {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        box.advance(by: .seconds(5))
        var line = MeasuredLine(
            bytesPerSecond: 100_000, way: .milliseconds(20), at: box.now)
        line.burst(20, lost: 1)
        box.phone.peer.repair?.path = line.path
        box.advance(by: box.now.duration(to: line.now) + .seconds(1))
        return box
    }

    @Test func all_parity_of_a_flight_leaves_though_nothing_is_heard() throws {
        let box = Self.paced()
        box.loses = { _ in true }
        for key in UInt128(1)...6 {
            _ = try box.phone.send(
                RecordDraft(
                    lane: .complication, kind: .complication, key: RecordKey(rawValue: key),
                    payload: [UInt8](repeating: UInt8(key), count: 900)), at: box.now)
        }
        box.phone.drain(at: box.now)
        box.settle()
        // Six packets and some of parity, 10 ms each, the first of them at once; a time-out comes
        // later.
        box.advance(by: .milliseconds(75))
        #expect(box.phone.counters.paritySent >= 4)
        let waiting = box.phone.peer.parityDue.count
        #expect(waiting == 0)
    }
}
