package import WatchProtoCore

/// Reads a medication in place: nothing is copied or allocated. It cannot outlive the bytes that it
/// reads.
///
/// Making a view checks everything that decoding checks; reading from it cannot fail.
package struct MedicationView: ~Escapable {
    @usableFromInline let bytes: Span<UInt8>
    @usableFromInline let layout: MedicationLayout

    /// Reads all of `bytes` as the encoding of one medication.
    ///
    /// - Throws: the broken rule and its offset; the maker of the bytes is at fault.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) throws(WireError) {
        let layout = try MedicationLayout(checking: bytes)
        try layout.checkTexts(in: bytes)
        self.layout = layout
        self.bytes = bytes
    }

    /// The identity of the medication.
    @inlinable
    package var id: MedicationID {
        MedicationID(rawValue: bytes.identity(at: MedicationShape.headerBytes))
    }

    /// The name; `String(copying:)` makes a string of it. Each call tests again for bytes beyond
    /// ASCII.
    package var name: UTF8Span {
        @_lifetime(copy self)
        get { nameBytes.checkedText }
    }

    /// The UTF-8 of the name: cheaper than ``name`` if bytes are enough.
    @inlinable
    package var nameBytes: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(layout.nameRange) }
    }

    /// The strength; `String(copying:)` makes a string of it. Each call tests again for bytes
    /// beyond ASCII.
    package var strength: UTF8Span {
        @_lifetime(copy self)
        get { strengthBytes.checkedText }
    }

    /// The UTF-8 of the strength: cheaper than ``strength`` if bytes are enough.
    @inlinable
    package var strengthBytes: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(layout.strengthRange) }
    }

    /// The instructions; `String(copying:)` makes a string of it. Each call tests again for bytes
    /// beyond ASCII.
    package var instructions: UTF8Span {
        @_lifetime(copy self)
        get { instructionsBytes.checkedText }
    }

    /// The UTF-8 of the instructions: cheaper than ``instructions`` if bytes are enough.
    @inlinable
    package var instructionsBytes: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(layout.instructionsRange) }
    }

    /// The dose form of the medication.
    @inlinable package var form: DoseForm { layout.form }
    /// The amount of a dose, if it is stated.
    @inlinable package var amount: Amount? { layout.amount }
    /// When its doses are due.
    @inlinable package var schedule: DoseSchedule { layout.schedule }
    /// When the next dose is due, if one is planned.
    @inlinable package var nextDose: WallMinute? { layout.nextDose }
    /// Red, green, blue and alpha, red in the highest byte.
    @inlinable package var color: UInt32 { layout.color }
    /// Boolean facts about it.
    @inlinable package var flags: MedicationFlags { layout.flags }
    /// The number of the medication's edits; the higher one is newer.
    @inlinable package var revision: UInt32 { layout.revision }
    /// The time of the last edit.
    @inlinable package var updatedAt: WallTime { layout.updatedAt }
    /// The fields that a newer version added, copied at each call.
    package var extensions: ExtensionFields { layout.extensions(in: bytes) }
}
