import WatchProtoCore
import WatchProtoRecords

extension CodedExample {
    /// Updates of a medication.
    static var updates: [CodedExample] {
        var base = RecordExamples.usual
        base.name = "Metoprolol (Zyxtor)"
        base.dosage.amount = Amount(mantissa: 1, unit: .tablet)
        base.course = DoseCourse(firstDay: 2_240)
        let due = base.nextDose!.wallTime.milliseconds
        var list: [CodedExample] = []
        func add(
            _ name: String, from base: LightweightMedication,
            _ change: (inout LightweightMedication) -> Void
        ) {
            var next = base
            next.revision &+= 1
            next.updatedAt.milliseconds += 61_234
            change(&next)
            list.append(CodedExample(name: "update: " + name, medications: [next], base: base))
        }
        func add(_ name: String, _ change: (inout LightweightMedication) -> Void) {
            add(name, from: base, change)
        }
        add("an edit alone") { _ in }
        add("a dose taken") {
            $0.nextDose?.minutes += 240
            $0.updatedAt.milliseconds = due + 61_234
        }
        add("a dose taken early") {
            $0.nextDose?.minutes += 240
            $0.updatedAt.milliseconds = due - 1
        }
        add("a dose left out") { $0.nextDose?.minutes += 1_440 }
        add("the third dose") { $0.nextDose?.minutes += 1_680 }
        add("a dose moved") { $0.nextDose?.minutes -= 7 }
        add("no further dose") { $0.nextDose = nil }
        add("overdue") { $0.flags.formUnion(.isOverdue) }
        add("another flag") { $0.flags.formSymmetricDifference(.asNeeded) }
        add("several flags") { $0.flags = MedicationFlags(rawValue: 0xC2) }
        add("an older revision") { $0.revision = 3 }
        add("an edit long after") { $0.updatedAt.milliseconds += 1 << 40 }
        add("an edit before") { $0.updatedAt.milliseconds -= 1 << 30 }
        add("another colour") { $0.color = 0xFF3B_30FF }
        add("other times") {
            $0.schedule.slots = DoseSlots(minutes: [540, 1201])!
            $0.nextDose = WallMinute(minutes: 3_230_940)
        }
        add("another form") { $0.dosage.form = .capsule }
        add("another amount") { $0.dosage.amount = Amount(mantissa: 5, scale: 1, unit: .tablet) }
        add("no amount") { $0.dosage.amount = nil }
        add("no newer fields") { $0.extensions = ExtensionFields() }
        add("other newer fields") { $0.extensions[7] = [1] }
        add("a longer name") { $0.name = "Metoprolol succinate (Zyxtor) XR (Metoprolol)" }
        add("a shorter name") { $0.name = "METOPROLOL" }
        add("another strength") { $0.dosage.strength = "100 mg" }
        add("longer instructions") { $0.instructions = "Take with food. Metoprolol, Zyxtor" }
        add("no instructions") { $0.instructions = "" }
        add("everything") {
            $0 = RecordExamples.medications[3].value
            $0.instructions = "Take with Food. Take with food"
        }
        var weekly = base
        weekly.schedule.weekdays = [.monday, .thursday]
        weekly.schedule.zone = .fixed(ZoneOffset(minutes: -210)!)
        weekly.course = DoseCourse()
        weekly.nextDose = WallMinute(minutes: 2_244 * 1_440 + 480 + 210)
        add("a dose of some weekdays", from: weekly) {
            $0.nextDose = WallMinute(minutes: 2_245 * 1_440 + 480 + 210)
        }
        var third = base
        third.course = DoseCourse(firstDay: 2_240, lastDay: 2_246, everyDays: 3)
        third.nextDose = WallMinute(minutes: 2_243 * 1_440 + 1_200 - 60)
        add("a dose of every third day", from: third) {
            $0.nextDose = WallMinute(minutes: 2_246 * 1_440 + 1_200 - 60)
        }
        add("a dose after the course", from: third) { $0.nextDose?.minutes += 8_640 }
        for (first, every, day) in [
            (2_241, 3, 2_244), (nil, 2, 2_244), (2_241, 802, 3_043), (2_242, 802, 3_044),
        ] as [(UInt16?, UInt16, Int32)] {
            third.course = DoseCourse(firstDay: first, everyDays: every)
            add("a dose every \(every) days", from: third) {
                $0.nextDose = WallMinute(minutes: day * 1_440 + 480 - 60)
            }
        }
        var stopped = base
        stopped.nextDose = nil
        stopped.extensions = ExtensionFields()
        add("a first dose", from: stopped) { $0.nextDose = base.nextDose }
        stopped.schedule = DoseSchedule()
        add("a first dose without times", from: stopped) {
            $0.nextDose = WallMinute(minutes: 3_230_123)
            $0.course = DoseCourse(lastDay: 2_243)
        }
        var last = base
        last.revision = .max
        add("the first revision after the last one", from: last) { _ in }
        for next in RecordExamples.medications[1..<8] {
            list.append(
                CodedExample(
                    name: "update: to " + next.name, medications: [next.value],
                    base: RecordExamples.usual))
            list.append(
                CodedExample(
                    name: "update: from " + next.name, medications: [RecordExamples.usual],
                    base: next.value))
        }
        return list
    }

    /// Batches, which remember values.
    static var batches: [CodedExample] {
        func batch(_ medications: [LightweightMedication]) -> CodedExample {
            var list = medications
            for place in list.indices {
                list[place].id = MedicationID(rawValue: UInt128(place + 1))
            }
            return CodedExample(name: "batch of \(list.count)", medications: list)
        }
        let texts = rareTexts.map { medication($0.name, $0.strength, $0.instructions) }
        let plain = RecordExamples.medications.prefix(10).map(\.value)
        let once = medication("Zyxtor", "5 mg", "Take with food. Take with food")
        var twice = once
        twice.name = "Zyxtor Advil aspirin"
        twice.updatedAt.milliseconds -= 1
        return [
            batch([once, once]), batch([once, twice, once, twice]), batch(plain),
            batch([once, medication("Zyxtor", "Zyxtor 5 mg", "Take Zyxtor with food")]),
            batch(Array(texts[15...20])), batch(Array(texts.suffix(9))),
            batch((0..<20).map { [once, twice, plain[0], plain[3], texts[17]][$0 * 7 % 5] }),
            batch(hundred),
        ]
    }

    /// The largest batch, with so many names that the flag whether one is remembered is halved, and
    /// one name so often that its frequency stays as it is.
    private static var hundred: [LightweightMedication] {
        let names = [
            "biotin", "codeine", "digoxin", "fentanyl", "heparin", "insulin", "lithium",
            "morphine", "nicotine", "warfarin",
        ]
        return (0..<100).map { place in
            let others = (0..<8).map { names[(place + 3 * $0) % names.count] }
            let first = others.prefix(3).map { "aspirin " + $0 }
            return medication(
                "Zyxtor", "\(place % 7) mg",
                (["\(place)"] + first + others.dropFirst(3)).joined(separator: " "))
        }
    }

    /// Codings with other clocks than the usual one, as that of devices far from it.
    static var references: [CodedExample] {
        let base = RecordExamples.usual
        var next = base
        next.revision &+= 1
        next.nextDose?.minutes += 240
        next.updatedAt.milliseconds += 61_234
        var planned = medication("Aspirin", "81 mg", "Take with food")
        planned.schedule = DoseSchedule(slots: DoseSlots(minutes: [480])!)
        planned.nextDose = WallMinute(minutes: 3_229_920 + 480 - 60)
        // The identities of a batch follow each other, as those of the fuzzer's seeds do.
        planned.id = MedicationID(rawValue: base.id.rawValue + 1)
        let clocks: [(minute: Int32, offset: Int16)] = [
            (0, 0), (3_229_919, 0), (3_229_920, -1_080), (3_231_359, 1_080), (4_000_000, 345),
            (.min, -60), (.max, 60),
        ]
        return clocks.flatMap { clock in
            let reference = CodingReference(minute: clock.minute, offset: clock.offset)
            let name = "clock \(clock.minute) \(clock.offset)"
            return [
                CodedExample(name: name, medications: [planned], reference: reference),
                CodedExample(
                    name: name + ": update", medications: [next], base: base,
                    reference: reference),
                CodedExample(
                    name: name + ": batch", medications: [base, planned], reference: reference),
            ]
        }
    }
}
