/// The bits of a medication's two shape bytes: the presence and the width of later parts.
@usableFromInline
enum MedicationShape {
    /// Shape, flags, form and text lengths: the bytes before the id.
    @usableFromInline static let headerBytes = 7

    // First byte: flags of rare members. A usual medication has 1 here, the version.
    @usableFromInline static let version: UInt8 = 1
    @usableFromInline static let extensions: UInt8 = 4
    @usableFromInline static let amount: UInt8 = 8
    @usableFromInline static let fixedZone: UInt8 = 16
    @usableFromInline static let absoluteZone: UInt8 = 32
    @usableFromInline static let zone: UInt8 = 48
    @usableFromInline static let weekdays: UInt8 = 64
    @usableFromInline static let alpha: UInt8 = 128

    // Second byte: counts and widths. Bits 4 and 5 hold the width of the revision less one.
    @usableFromInline static let slotCount: UInt8 = 15
    @usableFromInline static let nextDose: UInt8 = 64
    @usableFromInline static let wide: UInt8 = 128
}
