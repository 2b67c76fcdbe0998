import WatchProtoCore
import WatchProtoRecords

/// Random values of every record, all axes exercised, from a seed.
struct RecordSamples {
    var random: SeededGenerator
    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func below(_ limit: Int) -> Int { Int(random.uniform(in: 0...UInt64(limit - 1))) }

    mutating func identity() -> UInt128 { UInt128(random.next()) << 64 | UInt128(random.next()) }

    /// Text of at most `limit` bytes, one to four bytes a scalar.
    mutating func text(_ limit: Int) -> String {
        let pieces = ["a", "Z", " ", "7", "é", "ß", "я", "錠", "€", "💊", "\u{0}", "e\u{301}"]
        let target = below(limit + 1)
        let isASCII = below(2) == 0
        var text = ""
        while true {
            let piece = pieces[below(isASCII ? 4 : pieces.count)]
            if text.utf8.count + piece.utf8.count > target { return text }
            text += piece
        }
    }

    mutating func minute() -> WallMinute? {
        switch below(4) {
        case 0: nil
        case 1: WallMinute(minutes: Int32(truncatingIfNeeded: random.next()))
        default: WallMinute(minutes: Int32(below(1 << 24)))
        }
    }

    mutating func moment() -> WallTime {
        switch below(6) {
        case 0: WallTime(milliseconds: Int64(bitPattern: random.next()))
        case 1:
            WallTime(
                milliseconds: RecordBase.milliseconds + [-1, 0, 1 << 40, (1 << 40) - 1][below(4)])
        default: WallTime(milliseconds: RecordBase.milliseconds + Int64(below(1 << 40)))
        }
    }

    mutating func color() -> UInt32 {
        let color = UInt32(truncatingIfNeeded: random.next())
        return below(4) == 0 ? color : color | 0xFF
    }

    mutating func amount() -> Amount? {
        guard below(2) == 0 else { return nil }
        let mantissa = UInt32(truncatingIfNeeded: random.next() >> UInt64(32 + below(32)))
        return Amount(
            mantissa: mantissa, scale: below(10), unit: DoseUnit(rawValue: UInt8(below(256))))
    }

    mutating func zone() -> ZoneRule {
        switch below(4) {
        case 0: .fixed(ZoneOffset(clamping: below(2161) - 1080))
        case 1: .absolute
        default: .floating
        }
    }

    mutating func extensions() -> ExtensionFields {
        var fields = ExtensionFields()
        guard below(3) == 0 else { return fields }
        for _ in 0..<below(4) {
            fields[UInt8(below(256))] = (0..<below(6)).map { _ in UInt8(below(256)) }
        }
        return fields
    }

    mutating func schedule() -> DoseSchedule {
        let slots = DoseSlots(minutes: (0..<below(9)).map { _ in below(1440) })!
        let days = below(3) == 0 ? Weekdays(rawValue: UInt8(below(128))) : nil
        return DoseSchedule(slots: slots, weekdays: days, zone: zone())
    }

    mutating func medication() -> LightweightMedication {
        LightweightMedication(
            id: MedicationID(rawValue: identity()), name: text(24),
            dosage: Dosage(
                strength: text(20), form: DoseForm(rawValue: UInt8(below(256))), amount: amount()),
            schedule: schedule(), nextDose: minute(), color: color(),
            flags: MedicationFlags(rawValue: UInt8(below(256))), instructions: text(60),
            revision: UInt32(truncatingIfNeeded: random.next() >> UInt64(32 + below(32))),
            updatedAt: moment(), extensions: extensions())
    }

    mutating func doseEvent() -> DoseEvent {
        let action = [DoseAction.record, .record, .correct, .withdraw, .resolve][below(5)]
        let count = action == .record ? 0 : below(3) == 0 ? below(8) + 1 : 1
        let planned =
            below(3) == 0
            ? nil
            : PlannedDose(
                day: UInt16(below(65536)), minute: below(1440),
                entry: below(2) == 0 ? nil : UInt16(below(65536)))
        var event = DoseEvent(
            id: DoseEventID(rawValue: identity()), medication: MedicationID(rawValue: identity()),
            planned: planned, action, status: doseStatus(action),
            replaces: (0..<count).map { _ in DoseEventID(rawValue: identity()) }.sorted(),
            time: doseTime())!
        event.extensions = extensions()
        return event
    }

    mutating func doseStatus(_ action: DoseAction) -> DoseStatus? {
        if action == .withdraw { return nil }
        switch below(action == .record ? 4 : 3) {
        case 0: return .skipped
        case 3: return .snoozed(until: minute() ?? WallMinute(minutes: 0))
        default: return .taken(amount(), at: minute())
        }
    }

    mutating func doseTime() -> DoseTime {
        let quarters = below(2) == 0
        var time = DoseTime(
            moment(),
            zoneOffset: ZoneOffset(
                clamping: quarters ? below(145) * 15 - 1080 : below(2161) - 1080))
        if below(2) == 0 { time.device = UInt32(truncatingIfNeeded: random.next()) }
        if below(2) == 0 {
            time.uptime = DoseUptime(
                boot: UInt32(truncatingIfNeeded: random.next()),
                milliseconds: random.next() >> UInt64(24 + below(40)))
        }
        if below(2) == 0 {
            time.phoneOffset = Int32(truncatingIfNeeded: random.next()) >> Int32(below(32))
        }
        return time
    }

    mutating func complication() -> ComplicationState {
        ComplicationState(
            name: text(30), amountText: text(20), color: color(), nextDose: minute(),
            taken: UInt8(below(256)), total: UInt8(below(256)), overdue: UInt8(below(256)),
            active: UInt8(below(256)), extensions: extensions())
    }

    /// `medication` with some of its fields drawn anew.
    mutating func edit(_ medication: LightweightMedication) -> LightweightMedication {
        var next = medication
        let other = self.medication()
        if below(3) != 0, next.revision < .max {
            next.revision += 1
        } else {
            next.revision = other.revision
        }
        if below(2) == 0 { next.nextDose = other.nextDose }
        switch below(4) {
        case 0: next.updatedAt = other.updatedAt
        case 1: next.updatedAt.milliseconds &+= Int64(below(1 << 34))
        case 2: next.updatedAt.milliseconds &+= Int64(below(1 << 24))
        default: break
        }
        if below(3) == 0 { next.flags = other.flags }
        if below(3) == 0 { next.flags.formSymmetricDifference(.isOverdue) }
        if below(6) == 0 { next.color = other.color }
        if below(6) == 0 { next.schedule = other.schedule }
        if below(6) == 0 { next.dosage.form = other.dosage.form }
        if below(6) == 0 { next.dosage.amount = other.dosage.amount }
        if below(6) == 0 { next.name = other.name }
        if below(6) == 0 { next.dosage.strength += "é" }
        if below(6) == 0 { next.instructions = String(next.instructions.dropFirst(3)) }
        if below(6) == 0 { next.extensions = other.extensions }
        return next
    }

    /// `state` with some of its fields drawn anew.
    mutating func edit(_ state: ComplicationState) -> ComplicationState {
        var next = state
        let other = complication()
        if below(2) == 0 { next.nextDose = other.nextDose }
        if below(2) == 0 { next.taken &+= 1 }
        if below(4) == 0 { next.total = other.total }
        if below(4) == 0 { next.overdue = other.overdue }
        if below(4) == 0 { next.active = other.active }
        if below(4) == 0 { next.color = other.color }
        if below(4) == 0 { next.name = other.name }
        if below(4) == 0 { next.amountText = "1 × " + next.amountText }
        if below(4) == 0 { next.extensions = other.extensions }
        return next
    }
}
