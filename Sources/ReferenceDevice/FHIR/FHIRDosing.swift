import ControlProtocol
import WatchProto

/// The content of an order's dosages: how much, when, and the instructions in words.
struct FHIRDosing {
    /// The content of one dosage.
    private struct Part {
        var text = ""
        var dose = DosePerTime.unstated
        var schedule = MedicationSchedule()
        var isAsNeeded = false
        var limits = AsNeededLimits()
    }

    private let form: DoseForm
    private let ordered: LocalDate
    private var parts: [Part] = []
    private var instructions: [String] = []
    private var extras: [String] = []
    private var pharmacist: [String] = []
    private var route = ""
    var warnings: [String] = []
    /// Why the order is of no use; nil when it is of use.
    var refusal: (reason: ImportSummary.Reason, detail: String)?

    /// Makes what is known before any dosage is read.
    init(form: DoseForm, ordered: LocalDate) {
        self.form = form
        self.ordered = ordered
    }

    mutating func read(_ nodes: [JSONNode], reader: inout NodeReader) {
        let ordered = nodes.enumerated().sorted { left, right in
            let first = left.element["sequence"]?.integer ?? 0
            let second = right.element["sequence"]?.integer ?? 0
            return (first, left.offset) < (second, right.offset)
        }
        for (_, node) in ordered where reader.object(node, "a dosage") != nil {
            readOne(node, &reader)
        }
    }

    private mutating func readOne(_ node: JSONNode, _ reader: inout NodeReader) {
        var part = Part()
        func words(_ name: String) -> String {
            reader.string(node[name], "a dosage in words")?.trimming(\.isWhitespace) ?? ""
        }
        let text = words("text")
        let patient = words("patientInstruction")
        part.text = text.isEmpty ? patient : text
        instructions.append(patient.isEmpty ? text : patient)
        if !patient.isEmpty, !text.isEmpty { pharmacist.append(text) }
        for extra in reader.array(node["additionalInstruction"], "instructions") {
            if let words = FHIRDrug.words(of: extra, &reader) { extras.append(words) }
        }
        if let node = node["route"], let words = FHIRDrug.words(of: node, &reader) { route = words }

        part.isAsNeeded = reader.bool(node["asNeededBoolean"], "asNeededBoolean") ?? false
        if let reason = reader.object(node["asNeededCodeableConcept"], "a concept") {
            part.isAsNeeded = true
            if let words = FHIRDrug.words(of: reason, &reader) {
                pharmacist.append("As needed for: \(words)")
            }
        }
        if let timing = reader.object(node["timing"], "a timing") {
            var times = FHIRTiming(ordered: ordered)
            times.read(timing, reader: &reader)
            part.schedule = times.schedule
            if part.isAsNeeded { part.schedule.minutes = [] }
            if !part.isAsNeeded { warnings += times.warnings }
        }
        readDose(node, &part, &reader)
        if part.isAsNeeded {
            let stated = FHIRLimits(node, part.dose)
            part.limits = stated.limits
            if stated.isPartial { warnings.append("a maximum is left to the instructions") }
        }
        parts.append(part)
    }

    private mutating func readDose(
        _ node: JSONNode, _ part: inout Part, _ reader: inout NodeReader
    ) {
        let list = reader.array(node["doseAndRate"], "doses and rates")
        if list.count > 1 { warnings.append("of several kinds of dose the first is taken") }
        guard let first = list.first, reader.object(first, "a dose and rate") != nil else { return }
        let isRate = ["rateQuantity", "rateRatio", "rateRange"].contains { first[$0] != nil }
        if isRate {
            // An infusion: only its words say it all.
            if part.text.isEmpty {
                refusal = (.unusableAmount, "a rate without words")
            } else {
                part.dose = .text(part.text)
            }
        } else if let range = reader.object(first["doseRange"], "a range") {
            let bounds = ["low", "high"].map { range[$0] }
            let amounts = bounds.map { amount($0, part, &reader) }
            if let low = amounts[0], let high = amounts[1], low.unit == high.unit {
                part.dose = low == high ? .exact(low) : .range(low, high)
            } else if refusal == nil {
                // Half of a range, or one of two units: only the words say it all.
                if part.text.isEmpty {
                    refusal = (.unusableAmount, "a range without both bounds in one unit")
                } else {
                    part.dose = .text(part.text)
                    warnings.append("an incomplete range is left to the instructions")
                }
            }
        } else if let quantity = reader.object(first["doseQuantity"], "a quantity") {
            part.dose = amount(quantity, part, &reader).map(DosePerTime.exact) ?? .unstated
        }
    }

    /// The amount of a quantity; nil where only words can say it, or with a refusal noted.
    private mutating func amount(
        _ node: JSONNode?, _ part: Part, _ reader: inout NodeReader
    ) -> Amount? {
        guard let node = reader.object(node, "a quantity"),
            let value = reader.number(node["value"], "a value")
        else { return nil }
        let code = reader.string(node["code"], "a unit's code")
        let name = reader.string(node["unit"], "a unit")
        let known = [code, name].compactMap { $0.flatMap(DoseUnit.init(named:)) }.first
        let isPiece = [code, name].compactMap { $0 }.allSatisfy(DoseUnit.isPiece)
        guard let unit = known ?? (isPiece ? DoseUnit(countedAs: form) : nil) else {
            let what = name ?? code ?? "none"
            if isPiece, !part.text.isEmpty {
                warnings.append("an amount without a unit is left to the instructions")
            } else {
                refusal = (.unknownUnit, "unit '\(what)'")
            }
            return nil
        }
        guard value > 0, let amount = Amount(number: value, unit: unit) else {
            let number = value.whole.map(String.init) ?? "\(value)"
            refusal = (.unusableAmount, "\(number) \(name ?? code ?? "")")
            return nil
        }
        return amount
    }

    mutating func fill(_ medication: inout Medication) {
        medication.instructions = Self.sentences(instructions + extras)
        medication.pharmacistInstructions = Self.sentences(pharmacist)
        medication.route = route
        guard let first = parts.first else { return }
        medication.isAsNeeded = parts.allSatisfy(\.isAsNeeded)
        medication.schedule = first.schedule
        medication.dose = first.dose
        medication.limits = first.limits
        guard parts.count > 1 else { return }
        if !parts.allSatisfy({ $0.limits == first.limits }) {
            medication.limits = AsNeededLimits()
            warnings.append("several limits of doses; they are left to the instructions")
        }

        if !parts.allSatisfy({ $0.dose == first.dose }) {
            let texts = parts.map { $0.text.isEmpty ? $0.dose.description : $0.text }
            medication.dose = .text(Self.sentences(texts))
            warnings.append("several amounts; they are kept in words")
        }
        let isAnyAssumed = parts.contains { $0.schedule.isAssumed }
        var common = first.schedule
        common.minutes = []
        let isOne = parts.allSatisfy { part in
            var schedule = part.schedule
            schedule.minutes = []
            return schedule == common && part.isAsNeeded == first.isAsNeeded
        }
        // Which of several amounts belongs to an assumed time, nobody said.
        if isOne, !isAnyAssumed || medication.dose == first.dose {
            common.minutes = Array(Set(parts.flatMap(\.schedule.minutes))).sorted()
        } else {
            warnings.append("several timings; they are left to the instructions")
        }
        medication.schedule = common
    }

    /// The texts one after the other, each a sentence, none twice.
    private static func sentences(_ texts: [String]) -> String {
        var kept: [String] = []
        for text in texts.map({ $0.trimming(\.isWhitespace) }) where !text.isEmpty {
            let isClosed = text.last.map { ".!?。！？।؟".contains($0) } ?? true
            let sentence = isClosed ? text : text + "."
            if !kept.contains(sentence) { kept.append(sentence) }
        }
        return kept.joined(separator: " ")
    }
}
