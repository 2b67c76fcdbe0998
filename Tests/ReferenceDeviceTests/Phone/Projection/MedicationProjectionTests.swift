import Foundation
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// A hostile pharmacist reads what the watch shows.
@Suite struct MedicationProjectionTests {
    private let now = WallTime(iso8601: "2026-02-14T08:00:00Z")!

    private func make(
        _ name: String = "Aspirin", _ strength: String = "100 mg", dose: DosePerTime = .unstated,
        _ instructions: String = ""
    ) -> Medication {
        var medication = Medication(
            id: MedicationID(derivedFrom: name), name: name, createdAt: now)
        medication.strength = strength
        medication.form = .tablet
        medication.dose = dose
        medication.instructions = instructions
        return medication
    }

    private let tablet = DosePerTime.exact(Amount(mantissa: 1, unit: .tablet)!)

    @Test(arguments: [
        "Take 1.5 tablets every morning with a big glass of water and nothing else at all",
        "Take 1-2 tablets every 4-6 hours as needed for pain of the back and of the legs",
        "Take 1/2 tablet at night and the other half of it in the morning with the food",
        "Nimm 2,5 mg am Morgen und 10 000 Einheiten am Abend mit dem Essen und mit Wasser",
        "تناول ١٠ ملغ كل صباح مع الطعام ثم ٢٠ ملغ كل مساء قبل النوم مع الماء ولا تزد على ذلك",
        "सुबह १० मि.ग्रा. और रात को २० मि.ग्रा. भोजन के साथ लें और इससे अधिक कभी न लें कभी भी नहीं",
        "Take q6h with the food for the pain in the back and in the legs and in the arms",
        "Do NOT take with the milk or with the juice of the grapefruit or with the wine",
        "Take with the food unless the doctor who knows you told you to take it alone",
        "Never chew the tablet and never crush it and never break it into the parts of it",
        "Take four tablets once weekly on the day that the nurse wrote on the box for you",
        "Stop the medicine if the skin turns red or if the lips swell or if you cannot breathe",
        "Älä ota maidon kanssa äläkä mehun kanssa äläkä viinin kanssa äläkä kahvin kanssa",
        "Nie przyjmować z mlekiem ani z sokiem ani z winem ani z kawą ani z herbatą nigdy",
    ])
    func `A sentence that must not be cut is whole or absent at every length`(sentence: String) {
        let texts = [
            sentence, sentence + ".", "Shake well. " + sentence + ". Keep in the fridge.",
            sentence + ". Wash your hands with soap and dry them with a towel in the air.",
        ]
        for text in texts {
            for room in 0...text.utf8.count {
                guard let shown = InstructionShortening.shorten(text, room: room) else {
                    #expect(room < 3)
                    continue
                }
                #expect(shown.utf8.count <= room)
                let isWhole = shown.contains(sentence)
                let start = sentence.prefix(9)
                #expect(isWhole || !shown.contains(start), "\(room): \(shown)")
            }
        }
    }

    @Test func `A plain sentence may end at a word, marked`() {
        let text = "Apply to the clean and dry skin of the upper arm and wash your hands with soap"
        let shown = InstructionShortening.shorten(text, room: 51)
        #expect(shown == "Apply to the clean and dry skin of the upper arm…")
        #expect(InstructionShortening.shorten(text, room: 10) == "…")
        #expect(InstructionShortening.shorten(text, room: text.utf8.count) == text)
    }

    @Test(arguments: [
        ("Take 1.5 mg. Then rest.", 2), ("Ask Dr. Patel. Then rest.", 2),
        ("Take approx. 5 mL daily.", 1), ("Take (not more. Never!) daily. Rest.", 2),
        ("Take b.i.d. With food.", 1), ("毎日服用。牛乳と飲まない。", 2), ("रोज़ लें। दूध के साथ नहीं।", 2),
        ("Line one\nLine two", 1), ("Line one\n \nLine two", 2),
        ("Wait! Then take 1. 2 more at night.", 2),
    ])
    func `Sentences end only where they do`(text: String, count: Int) {
        #expect(Sentences.split(text).count == count)
    }

    @Test func `A strength is carried byte for byte or the record is refused`() throws {
        for length in 0...255 {
            let strength = String(repeating: "9", count: length)
            do throws(ProjectionRefusal) {
                let record = try MedicationProjection.project(
                    make("Aspirin", strength, dose: tablet, "Take with food. Rest."),
                    nextDose: WallMinute(now))
                #expect(record.dosage.strength == strength)
                #expect(record.encodedSize <= 196)
                #expect(record.name == "Aspirin")
            } catch {
                #expect(error.field == .strength)
                #expect(error.budget == 196)
                #expect(error.needed > 196)
            }
        }
        let refusal = #expect(throws: ProjectionRefusal.self) {
            try MedicationProjection.project(make("A", String(repeating: "9", count: 300)))
        }
        #expect(refusal?.field == .strength)
    }

    @Test(arguments: [0x202A...0x202E, 0x2066...0x2069].joined())
    func `No text turns the strength beside it round`(mark: UInt32) throws {
        let mark = String(try #require(Unicode.Scalar(mark)))
        let record = try MedicationProjection.project(
            make("Aspirin" + mark, "1" + mark + "00 mg", dose: tablet, mark + "Rest."))
        #expect(record.name == "Aspirin" && record.dosage.strength == "100 mg")
        #expect(record.instructions == "Rest.")
    }

    @Test func `Instructions give way before the name`() throws {
        let name = "Acetaminophen / Dextromethorphan hydrobromide / Doxylamine succinate"
        let text = "Rest in the bed. " + String(repeating: "Drink tea with honey. ", count: 9)
        let medication = make(name, "21.7 mg/mL / 1 mg/mL / 0.417 mg/mL", dose: tablet, text)
        let record = try MedicationProjection.project(medication)
        #expect(record.name == name)
        #expect(record.flags.contains(.instructionsShortened))
        #expect(!record.flags.contains(.nameShortened))
        #expect(record.instructions.hasSuffix(" …"))
        ShorteningRules.expectSafeInstructions(record.instructions, of: text)
    }

    @Test func `A name loses no number that the strength does not hold`() throws {
        let filler = String(repeating: " compound", count: 20)
        let lost = make("Acetaminophen combination" + filler + " 500 mg", "325 mg", dose: tablet)
        let refusal = #expect(throws: ProjectionRefusal.self) {
            try MedicationProjection.project(lost)
        }
        #expect(refusal?.field == .name)
        let kept = make("Acetaminophen combination" + filler + " 500 mg", "500 mg", dose: tablet)
        let record = try MedicationProjection.project(kept)
        #expect(record.flags.contains(.nameShortened))
        ShorteningRules.expectSafeName(record.name, of: kept)
        // 5 mg is not found inside 25 mg or 5 mg/mL.
        for strength in ["1500 mg", "500 mg/mL", "0.500 mg", "500"] {
            let other = make("Acetaminophen combination" + filler + " 500 mg", strength)
            #expect(throws: ProjectionRefusal.self) { try MedicationProjection.project(other) }
        }
        let release = make("Metoprolol succinate tablets" + filler + " extended release", "100 mg")
        #expect(throws: ProjectionRefusal.self) { try MedicationProjection.project(release) }
    }

    @Test func `Amounts that only words state are carried whole`() throws {
        let range = DosePerTime.range(
            Amount(mantissa: 1, unit: .tablet)!, Amount(mantissa: 2, unit: .tablet)!)
        let filler = String(repeating: " Drink tea with honey.", count: 12)
        var record = try MedicationProjection.project(make(dose: range, "Rest." + filler))
        #expect(record.instructions.hasPrefix("1–2 tablet. Rest. Drink"))
        let taper = "Days 1-3: 8 tablets; days 4-6: 4 tablets"
        record = try MedicationProjection.project(make(dose: .text(taper), taper + "." + filler))
        #expect(record.instructions.hasPrefix(taper + ". Drink"))
        // A text that only looks like the amount's beginning is no place to leave it.
        record = try MedicationProjection.project(
            make(dose: .text("Take 10"), "Take 100 drops." + filler))
        #expect(record.instructions.hasPrefix("Take 10. Take 100 drops. Drink"))
        let long = String(repeating: "9 tablets then ", count: 12)
        let refusal = #expect(throws: ProjectionRefusal.self) {
            try MedicationProjection.project(make(dose: .text(long)))
        }
        #expect(refusal?.field == .amount)
        // No amount stated: the first sentence that has one is not left out.
        let words = "Rest. Take two tablets at night. " + filler
        record = try MedicationProjection.project(make(words))
        let unstated = make("Aspirin", "100 mg", words + filler + filler)
        record = try MedicationProjection.project(unstated)
        #expect(record.instructions.hasPrefix("Rest. Take two tablets at night."))
    }

    /// They are kept whole where they may say how much to take.
    @Test func `Instructions that cannot be cut are named as such`() {
        let long = "Take 2" + String(repeating: " of the white tablets and", count: 12) + " rest."
        let refusal = #expect(throws: ProjectionRefusal.self) {
            try MedicationProjection.project(make("Aspirin", "100 mg", long))
        }
        #expect(refusal.map { "\($0)".contains("its instructions cannot") } == true)
    }

    @Test func `More times a day than a watch holds are refused`() {
        var medication = make()
        medication.schedule.minutes = Array(stride(from: 0, to: 1440, by: 120))
        let refusal = #expect(throws: ProjectionRefusal.self) {
            try MedicationProjection.project(medication)
        }
        #expect(refusal?.field == .schedule)
        #expect(refusal?.needed == 12)
    }

    @Test func `Any text at all gives a record that fits and keeps the rules`() throws {
        var generator = SeededGenerator(seed: 7)
        let words = [
            "take", "Apply", "the", "to", "1.5", "½", "٥", "१०", "mg", "not", "Never", "skin.",
            "two",
            "é́", "👩🏽‍⚕️", "漢字。", "(see", "leaflet)", "if", "with", "and", "food,", "10 000", "IU;",
            "\n", "\n\n",
            "weekly.", "Rest!", "1-2", "tablets", "or", "XR", "/",
        ]
        var projected = 0
        for _ in 0..<4000 {
            func text(_ limit: UInt64) -> String {
                let count = generator.uniform(in: 0...limit)
                return (0..<count).map { _ in
                    words[Int(generator.uniform(in: 0...UInt64(words.count - 1)))]
                }.joined(separator: " ")
            }
            let name = "Name " + text(30)
            let medication = make(name, text(8), dose: tablet, text(60))
            guard
                let record = try? MedicationProjection.project(
                    medication, nextDose: WallMinute(now))
            else { continue }
            projected += 1
            #expect(record.encodedSize <= 196)
            #expect(record.dosage.strength == medication.strength)
            #expect(record.dosage.amount == medication.dose.amount)
            ShorteningRules.expectSafeName(record.name, of: medication)
            ShorteningRules.expectSafeInstructions(
                record.instructions, of: medication.instructions)
            #expect(
                record.flags.contains(.instructionsShortened)
                    == (record.instructions != medication.instructions))
        }
        #expect(projected > 2000)
    }

    @Test(arguments: [
        (
            "24 HR metoprolol succinate 100 MG Extended Release Oral Tablet",
            "24 HR metoprolol succinate Extended Release", "100 MG", DoseForm.tablet
        ),
        (
            "Acetaminophen 325 MG / Hydrocodone Bitartrate 7.5 MG Oral Tablet",
            "Acetaminophen / Hydrocodone Bitartrate", "325 MG / 7.5 MG", .tablet
        ),
        ("Amoxicillin 250mg/5ml Suspension", "Amoxicillin", "250mg/5ml", .suspension),
        ("Enoxaparin 40 mg/0.4 mL injection", "Enoxaparin", "40 mg/0.4 mL", .injection),
        ("Enoxaparin 40 mg/0.4 injection", "", "", .injection),
        ("Salbutamol 2 mg / 5 mL syrup", "", "", .syrup),
        ("Morphine 10 mg 20 mg tablet", "", "", .tablet),
        ("Vitamin B 12 5 MG/ML Injectable Solution", "", "", .injection),
        ("Norethindrone 0.35 MG 28 Day Pack", "", "", .unknown),
        ("Vicodin 5/500 Oral Tablet", "", "", .tablet),
    ])
    func `A strength is taken out of a name only where all is understood`(
        line: String, name: String, strength: String, form: DoseForm
    ) {
        let parts = StrengthSeparation.separate(line)
        #expect(parts.name == (name.isEmpty ? line : name))
        #expect(parts.strength == strength)
        #expect((parts.form ?? .unknown) == form)
    }
}
