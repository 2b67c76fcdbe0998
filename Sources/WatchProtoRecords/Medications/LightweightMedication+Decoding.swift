public import WatchProtoCore

extension LightweightMedication {
    /// Decodes the medication from all of `bytes`.
    ///
    /// - Throws: the broken rule and its offset; the maker of the bytes is at fault.
    public init(decoding bytes: Span<UInt8>) throws(WireError) {
        let layout = try MedicationLayout(checking: bytes)
        // Each text by itself: cutting a text checked as a whole costs more than two more checks.
        do {
            let name = try UTF8Span(validating: bytes.extracting(layout.nameRange))
            let strength = try UTF8Span(validating: bytes.extracting(layout.strengthRange))
            let instructions = try UTF8Span(validating: bytes.extracting(layout.instructionsRange))
            // Nothing throws from here on, so that the parts are made where they stay.
            id = MedicationID(rawValue: bytes.identity(at: MedicationShape.headerBytes))
            self.name = String(copying: name)
            dosage = Dosage(
                strength: String(copying: strength), form: layout.form, amount: layout.amount)
            self.instructions = String(copying: instructions)
        } catch {
            throw layout.textError(in: bytes)
        }
        schedule = layout.schedule
        nextDose = layout.nextDose
        color = layout.color
        flags = layout.flags
        revision = layout.revision
        updatedAt = layout.updatedAt
        extensions = layout.extensions(in: bytes)
    }
}
