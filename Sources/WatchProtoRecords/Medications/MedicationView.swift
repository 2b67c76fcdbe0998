package import WatchProtoCore

/// A medication read where it lies: nothing is copied, nothing allocated. It cannot outlive the
/// bytes it reads.
///
/// Making a view checks everything that decoding checks; reading from it cannot fail.
package struct MedicationView: ~Escapable {
    @usableFromInline let bytes: Span<UInt8>
    @usableFromInline let layout: MedicationLayout

    /// Reads `bytes`, all of them, as the encoding of one medication.
    ///
    /// - Throws: the rule that is broken and where; the maker of the bytes is at fault.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) throws(WireError) {
        let layout = try MedicationLayout(checking: bytes)
        try layout.checkTexts(in: bytes)
        self.layout = layout
        self.bytes = bytes
    }

    /// Which medication it is.
    @inlinable
    package var id: MedicationID {
        MedicationID(rawValue: bytes.identity(at: MedicationShape.headerBytes))
    }

    /// The name; `String(copying:)` makes a string of it. Each call looks for bytes beyond
    /// ASCII once more.
    package var name: UTF8Span {
        @_lifetime(copy self)
        get { nameBytes.checkedText }
    }

    /// The UTF-8 of the name: cheaper than ``name`` where bytes are enough.
    @inlinable
    package var nameBytes: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(layout.nameRange) }
    }

    /// The strength; `String(copying:)` makes a string of it. Each call looks for bytes beyond
    /// ASCII once more.
    package var strength: UTF8Span {
        @_lifetime(copy self)
        get { strengthBytes.checkedText }
    }

    /// The UTF-8 of the strength: cheaper than ``strength`` where bytes are enough.
    @inlinable
    package var strengthBytes: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(layout.strengthRange) }
    }

    /// The instructions; `String(copying:)` makes a string of it. Each call looks for bytes beyond
    /// ASCII once more.
    package var instructions: UTF8Span {
        @_lifetime(copy self)
        get { instructionsBytes.checkedText }
    }

    /// The UTF-8 of the instructions: cheaper than ``instructions`` where bytes are enough.
    @inlinable
    package var instructionsBytes: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(layout.instructionsRange) }
    }

    /// The dose form of the medicine.
    @inlinable package var form: DoseForm { layout.form }
    /// The amount of a dose, where that is stated.
    @inlinable package var amount: Amount? { layout.amount }
    /// When its doses are due.
    @inlinable package var schedule: DoseSchedule { layout.schedule }
    /// When the next dose is due, if one is planned.
    @inlinable package var nextDose: WallMinute? { layout.nextDose }
    /// Red, green, blue and alpha, red in the highest byte.
    @inlinable package var color: UInt32 { layout.color }
    /// Yes-or-no facts about it.
    @inlinable package var flags: MedicationFlags { layout.flags }
    /// Counts the edits of the medication; the higher one is newer.
    @inlinable package var revision: UInt32 { layout.revision }
    /// When it was last edited.
    @inlinable package var updatedAt: WallTime { layout.updatedAt }
    /// The fields that a newer version added, copied at each call.
    package var extensions: ExtensionFields { layout.extensions(in: bytes) }
}
