// Uses the generic types of the core with concrete arguments, since Embedded Swift compiles a generic
// type only where it is used. Built together with Sources/WatchProtoCore by scripts/embedded, once as
// Embedded Swift and once as usual: both print the same number.

/// What the packets of the probe carry.
enum ProbeReference: PacketReference {
    case record(Int)
    case repair

    var isWorthRepair: Bool { self != .repair }
    var isUrgent: Bool { self == .record(0) }
}

/// The timers of the probe.
enum ProbeTimer: Int, CaseIterable {
    case first = 0
    case second
}

@main struct Probe {
    static func main() {
        var digest = ContentHash.start
        func add(_ value: UInt64) { digest = ContentHash.continued(digest, with: value) }
        for value in basics() { add(value) }
        for value in lossRecovery() { add(value) }
        for value in liveness() { add(value) }
        for value in complications() { add(value) }
        print(digest)
    }

    // MARK: Basics

    static func basics() -> [UInt64] {
        var generator = SeededGenerator(seed: 1)
        var table = OrderedTable<RecordKey, UInt64>()
        var records = RecordTable<UInt64>()
        var runs = RecordRuns<UInt8>()
        var ranges = NumberRanges()
        var timers = TimerTable<ProbeTimer>()
        var limiter = RateLimiter(burst: 3, perSecond: 10)
        var taken: UInt64 = 0
        for step in UInt64(1)...400 {
            let number = generator.uniform(in: 1...100)
            let id = RecordID(
                epoch: EpochID(rawValue: 7), channel: .background, number: RecordNumber(number))
            table[RecordKey(rawValue: UInt128(number))] = generator.chance(0.3) ? nil : step
            table.modifyAll { _, value in value &+= 1 }
            if generator.chance(0.5) { records.set(id, step) } else { records.remove(id) }
            if generator.chance(0.7) { runs.set(id, UInt8(step % 3)) } else { runs.remove(id) }
            ranges.insert(number * 3)
            let now = Instant(nanoseconds: step * 40_000_000)
            timers[.second] = now
            if limiter.take(at: now) { taken += 1 }
        }
        let kinds = RecordKinds([
            RecordKind(
                ContentKind(rawValue: 9), byteLimit: 100,
                makeDelta: { base, next in [UInt8(truncatingIfNeeded: base.count + next.count)] })
        ])
        let bytes: [UInt8] = [1, 2, 3]
        let delta = kinds[ContentKind(rawValue: 9)]?.makeDelta?(bytes.span, bytes.span)
        return table.values + records.values + runs.entries.map { UInt64($0.value) }
            + ranges.ranges.map { $0.upperBound } + [
                timers.nextDeadline?.nanoseconds ?? 0, taken, UInt64(delta?.first ?? 0),
            ]
    }

    // MARK: Loss recovery

    /// Sends 100 packets of which every seventh is lost, and reads every frame from its bytes.
    static func lossRecovery() -> [UInt64] {
        let limits = Limits(.watch)
        var sender = LossRecovery<ProbeReference>(
            limits: limits, initialTimeout: .milliseconds(500), sendInterval: .zero)
        var receiver = LossRecovery<ProbeReference>(
            limits: limits, initialTimeout: .milliseconds(500), sendInterval: .zero)
        var now = Instant(nanoseconds: 1_000_000)
        var acknowledged = 0
        var lost = 0
        var refused: UInt64 = 0
        for step in 0..<100 {
            let number = sender.nextNumber
            let frames = [UInt8](repeating: UInt8(step), count: step % 40 + 1)
            sender.sent([.record(step)], at: now)
            sender.sent(bytes: frames.count + 20, at: now)
            sender.protect(frames, carrying: [.record(step)])
            if step % 7 != 3 {
                _ = receiver.arrived(number, elicitsAck: true, at: now)
                receiver.received.store(number, frames)
            }
            if step % 5 == 4 {
                for repair in sender.takeRepairs(limitBytes: 1000, at: now) {
                    sender.sent([.repair], at: now)
                    sender.cover(repair)
                    var writer = WireWriter()
                    repair.write(to: &writer)
                    var reader = WireReader(writer.bytes.span)
                    do throws(WireError) {
                        _ = try reader.byte("type")
                        let frame = try RepairFrame.read(&reader)
                        receiver.received.take(frame, in: sender.nextNumber - 1)
                    } catch {
                        refused += 1
                    }
                }
                for packet in receiver.received.takeRecovered() {
                    _ = receiver.arrived(packet.number, elicitsAck: true, at: now)
                }
            }
            now = now.advanced(by: .milliseconds(15))
            if let (ack, arrival) = receiver.received.makeAck(at: now) {
                var writer = WireWriter()
                ack.write(to: &writer)
                arrival.write(to: &writer)
                var reader = WireReader(writer.bytes.span)
                do throws(WireError) {
                    _ = try reader.byte("type")
                    let ack = try AckFrame.read(&reader)
                    _ = try reader.byte("type")
                    let arrival = try ArrivalFrame.read(&reader)
                    let result = try sender.acknowledged(ack, arrival, at: now)
                    acknowledged += result.acknowledged.count
                    lost += result.lost.count
                } catch {
                    refused += 1
                }
            }
            lost += sender.expire(at: now).count
        }
        let memory = sender.path.memory(roundTrip: sender.roundTrip.smoothed)
        return [
            UInt64(acknowledged), UInt64(lost), refused, receiver.received.recoveredPackets,
            memory?.roundTripMicroseconds ?? 0,
        ]
    }

    // MARK: Liveness

    static func liveness() -> [UInt64] {
        var machine = Reachability(keepAlive: .seconds(60))
        var now = Instant(nanoseconds: 5)
        machine.activated(at: now)
        _ = machine.heard(at: now)
        var values: [UInt64] = []
        while let deadline = machine.nextDeadline, values.count < 20 {
            now = deadline
            let (change, action) = machine.wake(at: now)
            values.append(now.nanoseconds)
            if change?.isReachable == false { values.append(1) }
            if action == .stalled { _ = machine.down(.linkDown, at: now) }
        }
        var estimator = LinkQualityEstimator()
        let quality = LinkQuality(
            roundTrip: .milliseconds(100), lossShare: 0.01, bytesPerSecond: 1e6)
        let step = estimator.measured(
            quality, isWhole: true, roundTrip: .milliseconds(100), at: now)
        values.append(UInt64(step?.rawValue ?? 99))
        var pacer = StreamPacer()
        while pacer.bulkAllowance(at: now) > 0 {
            if let token = pacer.sentBulk(bytes: 700, at: now) { values.append(token) }
        }
        return values
    }

    // MARK: Complications

    static func complications() -> [UInt64] {
        var pacer = ComplicationPacer()
        var now = Instant(nanoseconds: 5)
        var values: [UInt64] = []
        for step in 0..<20 {
            pacer.mark(RecordKey(rawValue: UInt128(step % 3)))
            while let key = pacer.next(at: now, isChanged: { _ in true }) {
                values.append(UInt64(key.rawValue))
                pacer.sent(key)
            }
            now = now.advanced(by: .milliseconds(40))
        }
        let clock = WallClock(time: WallTime(milliseconds: 1_000_000), zoneOffsetMinutes: 60)
        var budget = ComplicationBudget(perDay: 50, clock: clock)
        _ = budget.spend()
        values.append(UInt64(budget.remaining))
        values.append(budget.deadline(clock: clock, readAt: now).nanoseconds)
        return values
    }
}
