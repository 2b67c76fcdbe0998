import Testing

@testable import WatchProtoCore

/// Two sides joined by a pipe that loses, duplicates and reorders: every frame is acknowledged or
/// declared lost and sent again, and no more than that.
@Suite struct LossyPipeTests {
    /// A packet on its way.
    private struct Packet {
        var number: UInt64
        var at: Instant
        var frames: [UInt8]
        var ack: (AckFrame, ArrivalFrame)?
        var repair: RepairFrame?
        var elicitsAck: Bool
    }

    /// One side and what is on its way to it.
    private struct Side {
        var recovery = LossRecovery<TestReference>(
            limits: Limits(), initialTimeout: .milliseconds(300), sendInterval: .zero)
        var toSend: [UInt8] = []
        var inFlight: [UInt64: UInt8] = [:]
        var received: [UInt8] = []
        var incoming: [Packet] = []
        var repairs: [RepairFrame] = []
    }

    private struct World {
        var sides = [Side(), Side()]
        var now = Instant(nanoseconds: 1_000_000_000)
        var generator: SeededGenerator
        var lossShare: Double

        mutating func transmit(_ side: Int, _ packet: Packet) {
            for _ in 0..<(generator.chance(0.02) ? 2 : 1) where !generator.chance(lossShare) {
                var copy = packet
                let delay =
                    20_000_000 + generator.uniform(in: 0...(generator.chance(0.1) ? 40 : 2))
                    * 1_000_000
                copy.at = now.advanced(by: .nanoseconds(Int64(delay)))
                sides[1 - side].incoming.append(copy)
            }
        }

        /// Sends what may leave; each packet carries one byte as its frames.
        mutating func drain(_ side: Int) {
            while true {
                let number = sides[side].recovery.nextNumber
                var packet = Packet(
                    number: number, at: now, frames: [], ack: nil, repair: nil, elicitsAck: false)
                if !sides[side].repairs.isEmpty {
                    let repair = sides[side].repairs.removeFirst()
                    packet.repair = repair
                    packet.elicitsAck = true
                    sides[side].recovery.sent([.repair], at: now)
                    sides[side].recovery.cover(repair)
                    sides[side].recovery.sent(bytes: 60, at: now)
                } else if let byte = sides[side].toSend.first,
                    sides[side].recovery.mayTransmit(isUrgent: true, at: now)
                {
                    sides[side].toSend.removeFirst()
                    sides[side].inFlight[number] = byte
                    packet.frames = [byte, byte]
                    packet.elicitsAck = true
                    packet.ack = sides[side].recovery.received.makeAck(at: now)
                    sides[side].recovery.sent([.urgent, .plain(number)], at: now)
                    sides[side].recovery.sent(bytes: 40, at: now)
                    sides[side].recovery.protect(packet.frames, carrying: [.urgent])
                } else if sides[side].recovery.isBlockOpen {
                    sides[side].repairs = sides[side].recovery.takeRepairs(
                        limitBytes: 1200, at: now)
                    if sides[side].repairs.isEmpty { continue }
                    continue
                } else if let deadline = sides[side].recovery.received.ackDeadline, deadline <= now
                {
                    packet.ack = sides[side].recovery.received.makeAck(at: now)
                    sides[side].recovery.sent([], at: now)
                    sides[side].recovery.sent(bytes: 20, at: now)
                } else {
                    return
                }
                transmit(side, packet)
            }
        }

        mutating func take(_ side: Int, _ number: UInt64, _ frames: [UInt8]) {
            if let byte = frames.first { sides[side].received.append(byte) }
        }

        mutating func receive(_ side: Int, _ packet: Packet) throws {
            let isNew = sides[side].recovery.arrived(
                packet.number, elicitsAck: packet.elicitsAck, at: now)
            guard isNew else { return }
            sides[side].recovery.received.store(packet.number, packet.frames)
            take(side, packet.number, packet.frames)
            if let repair = packet.repair {
                sides[side].recovery.received.take(repair, in: packet.number)
            }
            for recovered in sides[side].recovery.received.takeRecovered() {
                let isNew = sides[side].recovery.arrived(
                    recovered.number, elicitsAck: true, at: now)
                if isNew { take(side, recovered.number, recovered.frames) }
            }
            if let (ack, arrival) = packet.ack {
                let result = try sides[side].recovery.acknowledged(ack, arrival, at: now)
                settle(side, result.acknowledged, result.lost)
            }
        }

        mutating func settle(_ side: Int, _ acked: [TestReference], _ lost: [TestReference]) {
            for case .plain(let number) in acked { sides[side].inFlight[number] = nil }
            for case .plain(let number) in lost {
                if let byte = sides[side].inFlight.removeValue(forKey: number) {
                    sides[side].toSend.append(byte)
                }
            }
        }

        var nextEvent: Instant? {
            var earliest: Instant?
            func consider(_ moment: Instant?) {
                guard let moment else { return }
                earliest = min(earliest ?? moment, moment)
            }
            for side in sides {
                for packet in side.incoming { consider(packet.at) }
                consider(side.recovery.lossDeadline)
                consider(side.recovery.received.ackDeadline)
                if !side.toSend.isEmpty { consider(side.recovery.nextDeparture(isUrgent: true)) }
            }
            return earliest
        }

        /// Runs until nothing is outstanding; false after a minute.
        mutating func run() throws -> Bool {
            let end = now.advanced(by: .seconds(60))
            while now < end {
                drain(0)
                drain(1)
                let isIdle = sides.allSatisfy { $0.toSend.isEmpty && $0.inFlight.isEmpty }
                if isIdle { return true }
                guard let next = nextEvent else { return false }
                now = max(now, next)
                for side in 0...1 {
                    let due = sides[side].incoming.filter { $0.at <= now }
                    sides[side].incoming.removeAll { $0.at <= now }
                    for packet in due { try receive(side, packet) }
                    settle(side, [], sides[side].recovery.expire(at: now))
                }
            }
            return false
        }
    }

    /// LR-5, LR-7, LR-10.
    @Test("Every frame arrives through a lossy pipe", arguments: [0.0, 0.02, 0.1, 0.3])
    func everyFrameArrives(lossShare: Double) throws {
        var recovered: UInt64 = 0
        var lost: UInt64 = 0
        for seed in UInt64(1)...6 {
            var world = World(generator: SeededGenerator(seed: seed), lossShare: lossShare)
            let all = (0..<100).map { UInt8($0) }
            world.sides[0].toSend = all
            world.sides[1].toSend = all.reversed()
            let isDone = try world.run()
            #expect(isDone, "seed \(seed)")
            for side in world.sides {
                #expect(Set(side.received) == Set(all), "seed \(seed)")
                recovered += side.recovery.received.recoveredPackets
                lost += side.recovery.lostPackets
            }
        }
        #expect(lossShare == 0 || recovered > 0, "\(recovered) recovered, \(lost) lost")
    }

    /// LR-4: nothing but what elicits an acknowledgement brings one.
    @Test("Two sides with nothing to send fall silent")
    func silence() throws {
        var world = World(generator: SeededGenerator(seed: 3), lossShare: 0)
        world.sides[0].toSend = [1]
        let isDone = try world.run()
        #expect(isDone)
        let numbers = world.sides.map { $0.recovery.nextNumber }
        for _ in 0..<50 {
            guard let next = world.nextEvent else { break }
            world.now = max(world.now, next)
            for side in 0...1 {
                let due = world.sides[side].incoming.filter { $0.at <= world.now }
                world.sides[side].incoming.removeAll { $0.at <= world.now }
                for packet in due { try world.receive(side, packet) }
                _ = world.sides[side].recovery.expire(at: world.now)
                world.drain(side)
            }
        }
        #expect(world.nextEvent == nil)
        for (before, side) in zip(numbers, world.sides) {
            #expect(side.recovery.nextNumber <= before + 3)
        }
    }
}
