import WatchProtoCore
import WatchProtoRecords

/// Random dose events from a seed, which replace each other, of few doses and with all fields.
struct DoseSamples {
    private var random: SeededGenerator
    private let medications: [MedicationID]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        var generator = random
        medications = (0..<3).map { _ in
            MedicationID(rawValue: UInt128(generator.next()) << 64 | UInt128(generator.next()))
        }
    }

    /// `count` events with different identities; those that fit an encoding.
    mutating func events(_ count: Int) -> [DoseEvent] {
        let ids = (0..<count).map { _ in identity() }
        return ids.map { id in
            while true {
                let event = event(id, ids)
                if event.encodedSize <= DoseEvent.byteBudget { return event }
            }
        }
    }

    private mutating func event(_ id: DoseEventID, _ ids: [DoseEventID]) -> DoseEvent {
        let action = [DoseAction.record, .record, .correct, .withdraw, .resolve][below(5)]
        var replaces: Set<DoseEventID> = []
        if action != .record {
            for _ in 0...(below(4) == 0 ? below(8) : 0) {
                replaces.insert(below(4) == 0 ? identity() : ids[below(ids.count)])
            }
            replaces.remove(id)
            if replaces.isEmpty { replaces.insert(identity()) }
        }
        var event = DoseEvent(
            id: id, medication: medications[below(3)], planned: planned(), action,
            status: status(action), replaces: replaces.sorted(), time: time())!
        if below(4) == 0 {
            for _ in 0...below(3) {
                event.extensions[UInt8(below(256))] = (0..<below(5)).map { _ in UInt8(below(256)) }
            }
        }
        return event
    }

    private mutating func planned() -> PlannedDose? {
        switch below(6) {
        case 0: nil
        case 1:
            PlannedDose(
                day: [0, .max][below(2)], minute: [0, 1439][below(2)], entry: [0, .max][below(2)])
        default: PlannedDose(day: 2500, minute: 480, entry: [480, 1200][below(2)])
        }
    }

    private mutating func status(_ action: DoseAction) -> DoseStatus? {
        if action == .withdraw { return nil }
        switch below(action == .record ? 4 : 3) {
        case 0: return .skipped
        case 3: return .snoozed(until: minute())
        default: return .taken(amount(), at: below(2) == 0 ? nil : minute())
        }
    }

    private mutating func amount() -> Amount? {
        if below(3) == 0 { return nil }
        let mantissa = below(8) == 0 ? .max : UInt32(truncatingIfNeeded: bits(32))
        let unit = below(3) == 0 ? below(256) : 1 + below(19)
        return Amount(
            mantissa: mantissa, scale: below(10), unit: DoseUnit(rawValue: UInt8(unit)))
    }

    private mutating func minute() -> WallMinute {
        switch below(6) {
        case 0: WallMinute(minutes: [.min, .max, 0][below(3)])
        case 1: WallMinute(minutes: Int32(truncatingIfNeeded: random.next()))
        default: WallMinute(minutes: Int32(3_600_000 + below(1 << 20)))
        }
    }

    private mutating func time() -> DoseTime {
        let wall: Int64 =
            switch below(8) {
            case 0: [Int64.min, .max, 0, -62_135_596_800_000, 253_402_300_799_999][below(5)]
            case 1: Int64(bitPattern: random.next())
            default: 1_790_000_000_000 + Int64(below(1 << 30))
            }
        let zone = [0, 60, -210, 345, 840, -840, 841, 1080, -1080, 1, below(2161) - 1080][below(11)]
        var time = DoseTime(
            WallTime(milliseconds: wall), zoneOffset: ZoneOffset(clamping: zone))
        if below(2) == 0 { time.device = below(8) == 0 ? .max : UInt32(below(1 << 32)) }
        if below(2) == 0 {
            time.uptime = DoseUptime(
                boot: UInt32(truncatingIfNeeded: random.next()), milliseconds: bits(40))
        }
        if below(2) == 0 {
            time.phoneOffset =
                below(8) == 0
                ? [.min, .max, 0][below(3)]
                : Int32(truncatingIfNeeded: random.next()) >> Int32(below(32))
        }
        return time
    }

    /// A number of up to `count` bits, small ones as often as large ones.
    private mutating func bits(_ count: Int) -> UInt64 {
        random.next() >> UInt64(64 - count + below(count))
    }

    private mutating func identity() -> DoseEventID {
        DoseEventID(rawValue: UInt128(random.next()) << 64 | UInt128(random.next()))
    }

    mutating func below(_ limit: Int) -> Int { Int(random.uniform(in: 0...UInt64(limit - 1))) }
}
