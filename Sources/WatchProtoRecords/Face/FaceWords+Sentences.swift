/// The face in sentences, for a screen reader.
extension FaceWords {
    var sentences: String {
        // A question mark is for the eye; a sentence of its own says why.
        var text = FaceText(phrase.hasSuffix("?") ? String(phrase.dropLast()) : phrase)
        if let drug {
            text = text + FaceText(": ") + drug.line(isWhole: true, hasAmount: true)
        }
        var sentences = [text.plain]
        if sign == .done, let moment { sentences.append("Next dose \(moment.text)") }
        if drug == nil, scene.isPrivate, scene.drug != nil {
            sentences.append("Unlock to see the medication")
        }
        sentences += others.map(Self.capitalized)
        if entry.total > 0 { sentences.append("\(entry.taken) of \(entry.total) doses taken") }
        sentences += marks.map(Self.capitalized)
        if let age { sentences.append(Self.capitalized(age)) }
        return sentences.map { $0 + "." }.joined(separator: " ")
    }

    private static func capitalized(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }
}
