import WatchProtoCore

/// Codes medications one after the other, without their identities.
struct MedicationCoder {
    let reference: CodingReference
    var texts: TextCoder

    /// The values that this coding had before.
    var former = FormerMedications.none

    init(_ table: Vocabulary, _ reference: CodingReference) {
        texts = TextCoder(table)
        self.reference = reference
    }

    /// Codes all of a medication but its identity.
    mutating func code<C: SymbolCoder>(
        _ medication: inout LightweightMedication, _ c: inout C
    ) throws(C.Failure) {
        texts.begin()
        try code(&medication.schedule, &c)
        let hasSlots = !medication.schedule.slots.isEmpty
        try code(flags: &medication.flags, hasSlots, &c)
        try code(form: &medication.dosage.form, &c)
        try code(amount: &medication.dosage.amount, medication.dosage.form, &c)
        try code(edit: &medication.updatedAt, &c)
        var bits = UInt64(medication.revision)
        var length = 64 - bits.leadingZeroBitCount
        try former.revision.code(&length, &c)
        try c.number(&bits, length: length)
        medication.revision = UInt32(truncatingIfNeeded: bits)
        if try !former.color.code(&medication.color, &c) {
            try code(color: &medication.color, &c)
            former.color.add(medication.color)
        }
        var isPlanned = medication.nextDose != nil
        try former.hasNext[hasSlots ? 1 : 0].code(&isPlanned, &c)
        if isPlanned {
            var minute = medication.nextDose ?? WallMinute(minutes: reference.minute)
            try code(next: &minute, medication.schedule, &c)
            medication.nextDose = minute
        } else {
            medication.nextDose = nil
        }
        var isExtended = !medication.extensions.isEmpty
        try former.hasExtensions.code(&isExtended, &c)
        if isExtended { try code(extensions: &medication.extensions, medication, &c) }
        try code(name: &medication.name, &c)
        try code(strength: &medication.dosage.strength, &c)
        try code(instructions: &medication.instructions, &c)
    }

    private mutating func code<C: SymbolCoder>(
        name: inout String, _ c: inout C
    ) throws(C.Failure) {
        var exact = ExactText(text: name)
        if try !former.names.code(&exact, &c) {
            try texts.code(&exact.text, 0, &c)
            former.names.add(exact)
        }
        name = exact.text
    }

    private mutating func code<C: SymbolCoder>(
        strength: inout String, _ c: inout C
    ) throws(C.Failure) {
        var exact = ExactText(text: strength)
        if try !former.strengths.code(&exact, &c) {
            try texts.code(&exact.text, 1, &c)
            former.strengths.add(exact)
        }
        strength = exact.text
    }

    /// Codes instructions sentence by sentence.
    private mutating func code<C: SymbolCoder>(
        instructions: inout String, _ c: inout C
    ) throws(C.Failure) {
        var parts = C.isReading ? [] : Self.sentences(of: instructions)
        var count = parts.count
        try former.sentenceCount.code(&count, &c)
        for place in 0..<count {
            var sentence = ExactText(text: C.isReading ? "" : parts[place])
            if try !former.sentences.code(&sentence, &c) {
                try texts.code(&sentence.text, 2, &c)
                former.sentences.add(sentence)
            }
            if C.isReading { parts.append(sentence.text) }
        }
        if C.isReading { instructions = parts.joined(separator: ". ") }
    }

    /// The parts of a text between ". ", at most seven; none of an empty text.
    private static func sentences(of text: String) -> [String] {
        var sentences: [String] = []
        var rest = Array(text.utf8)[...]
        while sentences.count < 6,
            let end = rest.indices.dropLast().first(where: {
                rest[$0] == 0x2E && rest[$0 + 1] == 0x20
            })
        {
            sentences.append(String(decoding: rest[..<end], as: UTF8.self))
            rest = rest[(end + 2)...]
        }
        if !sentences.isEmpty || !rest.isEmpty {
            sentences.append(String(decoding: rest, as: UTF8.self))
        }
        return sentences
    }
}
