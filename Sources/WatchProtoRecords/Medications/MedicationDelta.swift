import WatchProtoCore

/// The delta between two states of one medication: a mask of the changes, frequent ones first. A
/// dose that was taken costs six or seven bytes.
enum MedicationDelta {
    /// Bits of the first mask. Bits 1 and 2 are a ``NextDoseChange``, bits 3 and 4 the width of
    /// the time stamp's advance; bit 7 is zero.
    private enum First {
        static let revision: UInt8 = 1
        static let overdue: UInt8 = 32
        static let second: UInt8 = 64
        static let unused: UInt8 = 128
    }

    /// Bits of the second mask, in the order of its data.
    private enum Second {
        static let flags: UInt8 = 1
        static let color: UInt8 = 2
        static let schedule: UInt8 = 4
        static let dosage: UInt8 = 8
        static let name: UInt8 = 16
        static let strength: UInt8 = 32
        static let instructions: UInt8 = 64
        static let extensions: UInt8 = 128
    }

    /// The delta from `base` to `next`; nil if they are two medications.
    static func make(_ base: LightweightMedication, _ next: LightweightMedication) -> [UInt8]? {
        guard base.id == next.id else { return nil }
        let advance = UInt64(
            bitPattern: next.updatedAt.milliseconds &- base.updatedAt.milliseconds)
        let advanceCode: UInt8 =
            advance == 0 ? 0 : advance >> 24 == 0 ? 1 : advance >> 32 == 0 ? 2 : 3
        let flips = base.flags.rawValue ^ next.flags.rawValue
        let otherFlips = flips & ~MedicationFlags.isOverdue.rawValue
        let isNextRevision = base.revision < .max && next.revision == base.revision + 1

        var second: UInt8 = 0
        if otherFlips != 0 { second |= Second.flags }
        if base.color != next.color { second |= Second.color }
        if base.schedule != next.schedule { second |= Second.schedule }
        if base.dosage.form != next.dosage.form || base.dosage.amount != next.dosage.amount {
            second |= Second.dosage
        }
        if !base.name.hasSameBytes(as: next.name) { second |= Second.name }
        if !base.dosage.strength.hasSameBytes(as: next.dosage.strength) {
            second |= Second.strength
        }
        if !base.instructions.hasSameBytes(as: next.instructions) { second |= Second.instructions }
        if base.extensions != next.extensions { second |= Second.extensions }

        var first = NextDoseChange.code(base.nextDose, next.nextDose) << 1 | advanceCode << 3
        if !isNextRevision { first |= First.revision }
        if flips != otherFlips { first |= First.overdue }
        if second != 0 { first |= First.second }

        var writer = WireWriter()
        writer.byte(first)
        if second != 0 { writer.byte(second) }
        if !isNextRevision { writer.varint(UInt64(next.revision)) }
        writer.nextDoseChange(base.nextDose, next.nextDose)
        switch advanceCode {
        case 0: break
        case 1: writer.fixed(advance, count: 3)
        case 2: writer.fixed(advance, count: 4)
        default: writer.uint64(UInt64(bitPattern: next.updatedAt.milliseconds))
        }
        if second & Second.flags != 0 { writer.byte(otherFlips) }
        if second & Second.color != 0 { writer.fixed(UInt64(next.color.byteSwapped), count: 4) }
        if second & Second.schedule != 0 { writer.schedule(next.schedule) }
        if second & Second.dosage != 0 {
            writer.byte(next.dosage.form.rawValue)
            writer.optionalAmount(next.dosage.amount)
        }
        if second & Second.name != 0 { writer.textEdit(base.name, next.name) }
        if second & Second.strength != 0 {
            writer.textEdit(base.dosage.strength, next.dosage.strength)
        }
        if second & Second.instructions != 0 {
            writer.textEdit(base.instructions, next.instructions)
        }
        if second & Second.extensions != 0 { writer.extensionFields(next.extensions) }
        return writer.bytes
    }

    /// Applies `delta` to `base`.
    static func apply(
        _ delta: Span<UInt8>, to base: LightweightMedication
    ) throws(WireError) -> LightweightMedication {
        var reader = WireReader(delta)
        var next = base
        let first = try reader.byte("the mask of a medication's delta")
        guard first & First.unused == 0 else {
            throw WireError(
                .unknownCode, at: 0, expected: "a mask below 128", found: UInt64(first))
        }
        let second = first & First.second != 0 ? try reader.byte("the second mask of a delta") : 0
        if first & First.revision != 0 {
            let revision = try reader.varint("a revision", atMost: UInt64(UInt32.max))
            next.revision = UInt32(revision)
        } else {
            next.revision &+= 1
        }
        next.nextDose = try reader.nextDose(first >> 1 & 3, after: base.nextDose)
        switch first >> 3 & 3 {
        case 0: break
        case 3:
            let bits = try reader.uint64("a time stamp of eight bytes")
            next.updatedAt.milliseconds = Int64(bitPattern: bits)
        case let code:
            let advance = try reader.fixed(Int(code) + 2, "the advance of a time stamp")
            next.updatedAt.milliseconds &+= Int64(advance)
        }
        var flips = first & First.overdue != 0 ? MedicationFlags.isOverdue.rawValue : 0
        if second & Second.flags != 0 { flips ^= try reader.byte("the flags that flip") }
        next.flags = MedicationFlags(rawValue: base.flags.rawValue ^ flips)
        if second & Second.color != 0 {
            next.color = UInt32(try reader.fixed(4, "a colour")).byteSwapped
        }
        if second & Second.schedule != 0 { next.schedule = try reader.schedule() }
        if second & Second.dosage != 0 {
            next.dosage.form = DoseForm(rawValue: try reader.byte("a dose form"))
            next.dosage.amount = try reader.optionalAmount()
        }
        if second & Second.name != 0 { next.name = try reader.editedText(base.name) }
        if second & Second.strength != 0 {
            next.dosage.strength = try reader.editedText(base.dosage.strength)
        }
        if second & Second.instructions != 0 {
            next.instructions = try reader.editedText(base.instructions)
        }
        if second & Second.extensions != 0 { next.extensions = try reader.wholeExtensions() }
        try reader.finish("the end of a delta")
        return next
    }
}

extension WireWriter {
    /// A schedule as a whole: a shape byte (slot count, zone rule, whether a weekday mask
    /// follows), the mask, the slots, the zone offset.
    fileprivate mutating func schedule(_ schedule: DoseSchedule) {
        let count = schedule.slots.count
        let hasWeekdays = schedule.weekdays != DoseSchedule.usualWeekdays(count)
        var shape = UInt8(count)
        switch schedule.zone {
        case .floating: break
        case .fixed: shape |= MedicationShape.fixedZone
        case .absolute: shape |= MedicationShape.absoluteZone
        }
        if hasWeekdays { shape |= MedicationShape.weekdays }
        byte(shape)
        if hasWeekdays { byte(schedule.weekdays.rawValue) }
        let size = DoseSlots.packedBytes(count)
        fixed(schedule.slots.low, count: min(size, 8))
        fixed(UInt64(schedule.slots.high), count: max(size, 8) - 8)
        if case .fixed(let offset) = schedule.zone { uint16(UInt16(bitPattern: offset.minutes)) }
    }

    /// A byte that is 0 without an amount and 1 with, then the amount.
    fileprivate mutating func optionalAmount(_ amount: Amount?) {
        byte(amount == nil ? 0 : 1)
        guard let amount else { return }
        byte(amount.unit.rawValue)
        let width = byteWidth(amount.mantissa)
        byte(amount.scale << 4 | UInt8(width - 1))
        fixed(UInt64(amount.mantissa), count: width)
    }
}

extension WireReader {
    /// A schedule as a whole.
    fileprivate mutating func schedule() throws(WireError) -> DoseSchedule {
        let start = offset
        let shape = try byte("the shape of a schedule")
        let count = Int(shape & MedicationShape.slotCount)
        guard count <= DoseSlots.largestCount, shape & MedicationShape.zone != MedicationShape.zone,
            shape < 0x80
        else {
            throw WireError(
                .unknownCode, at: start, expected: "the shape of a schedule", found: UInt64(shape))
        }
        var weekdays = DoseSchedule.usualWeekdays(count)
        if shape & MedicationShape.weekdays != 0 {
            weekdays = Weekdays(rawValue: try byte("a weekday mask"))
        }
        let slots = try slots(count)
        let zone: ZoneRule =
            switch shape & MedicationShape.zone {
            case MedicationShape.fixedZone: .fixed(try zoneOffset())
            case MedicationShape.absoluteZone: .absolute
            default: .floating
            }
        return DoseSchedule(slots: slots, weekdays: weekdays, zone: zone)
    }

    /// An amount that may be absent.
    fileprivate mutating func optionalAmount() throws(WireError) -> Amount? {
        let start = offset
        let presence = try byte("whether there is an amount")
        guard presence <= 1 else {
            throw WireError(.unknownCode, at: start, expected: "0 or 1", found: UInt64(presence))
        }
        return presence == 1 ? try amount() : nil
    }
}
