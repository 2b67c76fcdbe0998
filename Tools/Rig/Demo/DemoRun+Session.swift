import CommandLine
import Reports
import WatchProtoCore
import WatchProtoSecurity

extension DemoRun {
    /// Measures what sessions cost in this process, both sides together and without a link: the
    /// pairing, a reconnection, and sealing and opening a record.
    func measureSession() throws(RigFailure) {
        progress.step("measuring sealed sessions")
        do {
            var pairings = LatencySeries("pairing")
            var pair = try SimulatedPair(seed: options.seed)
            for round in 0..<Self.pairings {
                try pairings.time(since: start) {
                    pair = try SimulatedPair(seed: options.seed &+ UInt64(round))
                }
            }
            evaluate("pairing", pairings)
            var reconnections = LatencySeries("reconnection")
            var phone = pair.security(of: .phone, life: 1)
            var watch = pair.security(of: .watch, life: 1)
            var ends: SessionEnds?
            for _ in 0..<Self.reconnections {
                try reconnections.time(since: start) { ends = try SessionEnds(&phone, &watch) }
            }
            evaluate("reconnection", reconnections)
            if let ends { try measureRecord(ends) }
        } catch let failure as RigFailure {
            throw failure
        } catch {
            throw RigFailure(.software, "Sealed sessions could not be measured: \(error)")
        }
    }

    private static let pairings = 100
    private static let reconnections = 300
    /// Records sealed and opened for one sample: a clock costs as much as a good part of one.
    private static let recordsPerSample = 100

    /// A record of 200 bytes and one of a kilobyte, filled up, sealed, opened, and the padding
    /// taken off.
    private func measureRecord(_ given: SessionEnds) throws(RigFailure) {
        var ends = given
        var number: UInt64 = 0
        for (id, bytes) in [("session.record", 200), ("session.kilobyte", 1024)] {
            let record = [UInt8](repeating: 0x5A, count: bytes)
            var series = LatencySeries("session seal")
            for _ in 0..<300 {
                var packets = Array(repeating: record, count: Self.recordsPerSample)
                let begin = MonotonicClock.nowNanoseconds
                var good = 0
                for index in packets.indices {
                    ends.sending.pad(&packets[index], from: 0, atMost: Self.packetBytes)
                    ends.sending.seal(&packets[index], from: 0, number: number)
                    if ends.receiving.open(&packets[index], from: 0, number: number),
                        SessionSealer.unpad(&packets[index], from: 0)
                    {
                        good += 1
                    }
                    number += 1
                }
                let nanoseconds = MonotonicClock.nowNanoseconds - begin
                guard good == packets.count, packets.last == record else {
                    throw RigFailure(.software, "A sealed record did not open.")
                }
                series.record(
                    nanoseconds / UInt64(packets.count), message: "record",
                    atNanoseconds: begin - min(start, begin))
            }
            evaluate(id, series)
        }
        var filled = [UInt8](repeating: 0x5A, count: 200)
        ends.sending.pad(&filled, from: 0, atMost: Self.packetBytes)
        found("session.padding", Double(filled.count - 200))
    }

    /// The room in a packet, in bytes.
    private static let packetBytes = 1400
}
