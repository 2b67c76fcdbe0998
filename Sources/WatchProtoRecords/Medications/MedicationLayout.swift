public import WatchProtoCore

/// The positions of the parts of one medication's encoding, and the values of its numbers. All
/// parts but the text are checked.
///
/// A view, a lazy record and a decoded one all start from it.
@usableFromInline
struct MedicationLayout: BitwiseCopyable, Hashable, Sendable {
    /// The seven bytes before the id, lowest first: shape, shape, flags, form, three text lengths.
    @usableFromInline var header: UInt64
    @usableFromInline var updatedAtMilliseconds: Int64
    @usableFromInline var slotsLow: UInt64
    @usableFromInline var slotsHigh: UInt32 = 0
    @usableFromInline var color: UInt32
    @usableFromInline var nextMinutes: Int32
    @usableFromInline var revision: UInt32
    @usableFromInline var mantissa: UInt32 = 0
    @usableFromInline var zoneMinutes: Int16 = 0
    @usableFromInline var unit: UInt8 = 0
    @usableFromInline var scale: UInt8 = 0
    @usableFromInline var weekdayMask: UInt8
    @usableFromInline var textStart: UInt8
    @usableFromInline var extensionLength: UInt8 = 0

    @inlinable var first: UInt8 { UInt8(truncatingIfNeeded: header) }
    @inlinable var second: UInt8 { UInt8(truncatingIfNeeded: header >> 8) }
    @inlinable var nameLength: Int { Int(truncatingIfNeeded: header >> 32) & 0xFF }
    @inlinable var strengthLength: Int { Int(truncatingIfNeeded: header >> 40) & 0xFF }
    @inlinable var instructionsLength: Int { Int(truncatingIfNeeded: header >> 48) & 0xFF }
    @inlinable var slotCount: Int { Int(second & MedicationShape.slotCount) }
    @inlinable var textLength: Int { nameLength &+ strengthLength &+ instructionsLength }

    /// The bytes of all three texts.
    @inlinable
    var textRange: Range<Int> {
        Int(textStart)..<(Int(textStart) &+ textLength)
    }

    @inlinable
    var nameRange: Range<Int> { Int(textStart)..<(Int(textStart) &+ nameLength) }

    @inlinable
    var strengthRange: Range<Int> {
        nameRange.upperBound..<(nameRange.upperBound &+ strengthLength)
    }

    @inlinable
    var instructionsRange: Range<Int> { strengthRange.upperBound..<textRange.upperBound }

    @inlinable
    var flags: MedicationFlags {
        MedicationFlags(rawValue: UInt8(truncatingIfNeeded: header >> 16))
    }

    @inlinable
    var form: DoseForm { DoseForm(rawValue: UInt8(truncatingIfNeeded: header >> 24)) }

    @inlinable
    var nextDose: WallMinute? {
        second & MedicationShape.nextDose == 0 ? nil : WallMinute(minutes: nextMinutes)
    }

    @inlinable
    var updatedAt: WallTime { WallTime(milliseconds: updatedAtMilliseconds) }

    @inlinable
    var amount: Amount? {
        guard first & MedicationShape.amount != 0 else { return nil }
        return Amount(
            checkedMantissa: mantissa, scale: scale, unit: DoseUnit(rawValue: unit))
    }

    @inlinable
    var schedule: DoseSchedule {
        DoseSchedule(
            slots: DoseSlots(checkedLow: slotsLow, high: slotsHigh, count: slotCount),
            checkedWeekdays: weekdayMask, zone: zone)
    }

    @inlinable
    var zone: ZoneRule {
        switch first & MedicationShape.zone {
        case MedicationShape.fixedZone: .fixed(ZoneOffset(checked: zoneMinutes))
        case MedicationShape.absoluteZone: .absolute
        default: .floating
        }
    }

    /// The fields of newer versions, at the end of the encoding.
    func extensions(in bytes: Span<UInt8>) -> ExtensionFields {
        guard extensionLength > 0 else { return ExtensionFields() }
        return ExtensionFields(
            checked: [UInt8](copying: bytes.extracting(textRange.upperBound..<bytes.count)))
    }

    /// Lays out `bytes`, the usual case fast.
    @inline(__always)
    init(checking bytes: Span<UInt8>) throws(WireError) {
        if let layout = MedicationLayout(usual: bytes) {
            self = layout
        } else {
            try self.init(reading: bytes)
        }
    }
}
