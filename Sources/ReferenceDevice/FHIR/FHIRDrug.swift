import ControlProtocol
import WatchProto

/// The drug of an order: a concept, a `Medication`, or only the words of a reference.
struct FHIRDrug {
    var name: String
    var strength = ""
    var form = DoseForm.unknown
    var ingredients: [Ingredient] = []
    var codes: [Code] = []
    var warnings: [String] = []

    /// The drug that a CodeableConcept names; nil when it has no words.
    init?(concept: JSONNode, reader: inout NodeReader) {
        guard let words = Self.words(of: concept, &reader) else { return nil }
        let parts = StrengthSeparation.separate(words)
        name = parts.name
        strength = parts.strength
        form = parts.form ?? .unknown
        for coding in reader.array(concept["coding"], "codings") {
            guard reader.object(coding, "a coding") != nil,
                let code = reader.string(coding["code"], "a code")
            else { continue }
            codes.append(
                Code(
                    system: reader.string(coding["system"], "a URI") ?? "", code: code,
                    display: reader.string(coding["display"], "a display") ?? ""))
        }
    }

    /// The drug of a `Medication` resource; nil when it says nothing of what it is.
    init?(resource: JSONNode, reader: inout NodeReader) {
        let contained = reader.array(resource["contained"], "contained resources")
        var parts: [Ingredient] = []
        for node in reader.array(resource["ingredient"], "ingredients") {
            guard reader.object(node, "an ingredient") != nil else { continue }
            var words = node["itemCodeableConcept"].flatMap { Self.words(of: $0, &reader) }
            if let target = reader.string(node["itemReference"]?["reference"], "a reference") {
                let item = contained.first { "#" + ($0["id"]?.string ?? "") == target }
                words = item?["code"].flatMap { Self.words(of: $0, &reader) }
            }
            guard let words else { continue }
            parts.append(
                Ingredient(name: words, strength: Self.ratio(node["strength"], &reader) ?? ""))
        }
        if let concept = reader.object(resource["code"], "a concept"),
            let drug = FHIRDrug(concept: concept, reader: &reader)
        {
            self = drug
        } else {
            guard !parts.isEmpty else { return nil }
            name = parts.map(\.name).joined(separator: " / ")
        }
        ingredients = parts
        let strengths = parts.map(\.strength)
        if strength.isEmpty, !QuantityScan.hasNumeral(name), !strengths.contains("") {
            strength = strengths.joined(separator: " / ")
        }
        if let node = resource["form"], let words = Self.words(of: node, &reader),
            let form = DoseForm(named: words)
        {
            self.form = form
        }
    }

    /// The drug of a reference that leads nowhere but has words; nil when it has none.
    init?(display: String, unresolved target: String) {
        guard display.contains(where: { !$0.isWhitespace }) else { return nil }
        let parts = StrengthSeparation.separate(display)
        name = parts.name
        strength = parts.strength
        form = parts.form ?? .unknown
        warnings = ["'\(target)' is not in the file; taken by its display"]
    }

    func fill(_ medication: inout Medication) {
        medication.strength = strength
        medication.form = form
        medication.ingredients = ingredients
        medication.codes = codes
    }

    /// The words of a CodeableConcept: its text, or its first coding's display, without the
    /// semantic tag of SNOMED CT (`(product)`).
    static func words(of concept: JSONNode, _ reader: inout NodeReader) -> String? {
        var words = reader.string(concept["text"], "a text") ?? ""
        for coding in reader.array(concept["coding"], "codings") where words.isEmpty {
            words = reader.string(coding["display"], "a display") ?? ""
        }
        for tag in ["product", "substance", "qualifier value", "finding", "disorder"] {
            let suffix = "(\(tag))"
            if words.lowercased().hasSuffix(suffix) { words.removeLast(suffix.count) }
        }
        let text = words.trimming(\.isWhitespace)
        return text.isEmpty ? nil : text
    }

    /// A ratio in words: `500 mg`, `250 mg/5 mL`. One of a piece goes without the piece.
    private static func ratio(_ node: JSONNode?, _ reader: inout NodeReader) -> String? {
        guard let node = reader.object(node, "a ratio"),
            let top = quantity(node["numerator"], &reader)
        else { return nil }
        guard let bottom = quantity(node["denominator"], &reader), bottom.unit != nil else {
            return top.text
        }
        let unit = bottom.unit ?? ""
        let isPiece = DoseForm(named: unit) != nil || DoseUnit.isPiece(unit)
        if bottom.number == "1" { return isPiece ? top.text : top.text + "/" + unit }
        return top.text + "/" + bottom.text
    }

    private static func quantity(
        _ node: JSONNode?, _ reader: inout NodeReader
    ) -> (number: String, unit: String?, text: String)? {
        guard let node = reader.object(node, "a quantity"),
            let value = reader.number(node["value"], "a value")
        else { return nil }
        let number = value.whole.map(String.init) ?? "\(value)"
        let unit =
            reader.string(node["unit"], "a unit") ?? reader.string(node["code"], "a unit's code")
        return (number, unit, unit.map { number + " " + $0 } ?? number)
    }
}
