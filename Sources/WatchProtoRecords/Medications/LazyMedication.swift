package import WatchProtoCore

/// A medication that keeps its encoding and makes a text on each access. It is for lists of which
/// most is never read.
///
/// It retains the whole received buffer, so making it copies nothing. Equality and hashing use the
/// encoding: equal bytes are equal medications.
package struct LazyMedication: Sendable {
    @usableFromInline let buffer: [UInt8]
    @usableFromInline let start: Int
    @usableFromInline let count: Int
    @usableFromInline let layout: MedicationLayout

    /// Reads `buffer[range]`, or all of it, as the encoding of one medication, with all checks of
    /// decoding. A range outside the buffer is the caller's fault.
    ///
    /// - Throws: the broken rule and its offset from the start of the range; the maker of the bytes
    ///   is at fault.
    package init(_ buffer: [UInt8], _ range: Range<Int>? = nil) throws(WireError) {
        let range = range ?? 0..<buffer.count
        let bytes = buffer.span.extracting(range)
        let layout = try MedicationLayout(checking: bytes)
        try layout.checkTexts(in: bytes)
        self.layout = layout
        self.buffer = buffer
        start = range.lowerBound
        count = range.count
    }

    /// The identity of the medication.
    @inlinable
    package var id: MedicationID {
        MedicationID(rawValue: buffer.span.identity(at: start &+ MedicationShape.headerBytes))
    }

    /// The name, made anew at each call.
    package var name: String { text(layout.nameRange) }

    /// The strength, made anew at each call.
    package var strength: String { text(layout.strengthRange) }

    /// The instructions, made anew at each call.
    package var instructions: String { text(layout.instructionsRange) }

    /// The strength, the form and the amount; the strength is made anew at each call.
    package var dosage: Dosage {
        Dosage(strength: strength, form: layout.form, amount: layout.amount)
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
    package var extensions: ExtensionFields {
        layout.extensions(in: buffer.span.extracting(start..<(start &+ count)))
    }

    /// The medication as a separate value, which does not retain the buffer.
    package var medication: LightweightMedication {
        do {
            return try LightweightMedication(
                decoding: buffer.span.extracting(start..<(start &+ count)))
        } catch {
            preconditionFailure("a checked encoding was refused: \(error)")
        }
    }

    /// The encoding.
    package var encoded: [UInt8] {
        [UInt8](copying: buffer.span.extracting(start..<(start &+ count)))
    }

    private func text(_ range: Range<Int>) -> String {
        let part = buffer.span.extracting(
            (start &+ range.lowerBound)..<(start &+ range.upperBound))
        return String(copying: part.checkedText)
    }
}

extension LazyMedication: Hashable {
    /// Whether both have the same encoding, at any place.
    package static func == (left: LazyMedication, right: LazyMedication) -> Bool {
        guard left.layout == right.layout, left.count == right.count else { return false }
        let (one, other) = (left.buffer.span, right.buffer.span)
        return (0..<left.count).allSatisfy { one[left.start + $0] == other[right.start + $0] }
    }

    /// Mixes in the identity, the revision and the time of the last edit.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(revision)
        hasher.combine(updatedAt)
    }
}
