/// A side's offer to code values, in its hello. If both sides offer the same table, each may code
/// its values against it and its own reference.
package struct CodingOffer: WireCoded, Hashable, Sendable {
    /// The version of the table.
    package var table: UInt32
    /// The clock of this side.
    package var reference: CodingReference

    /// Bytes of an offer.
    static let size = 10

    init() { self.init(table: 0, reference: CodingReference()) }

    /// Makes the offer.
    package init(table: UInt32, reference: CodingReference) {
        self.table = table
        self.reference = reference
    }

    /// The reference, if the other side has the same table.
    func reference(as other: CodingOffer?) -> CodingReference? {
        other?.table == table ? reference : nil
    }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        var number = UInt64(table)
        try c.fixed(&number, 4, "version of the table")
        table = UInt32(truncatingIfNeeded: number)
        number = UInt64(UInt32(bitPattern: reference.minute))
        try c.fixed(&number, 4, "minute of the reference")
        reference.minute = Int32(bitPattern: UInt32(truncatingIfNeeded: number))
        number = UInt64(UInt16(bitPattern: reference.offset))
        try c.fixed(&number, 2, "offset of the reference")
        reference.offset = Int16(bitPattern: UInt16(truncatingIfNeeded: number))
    }
}
