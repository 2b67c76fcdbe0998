import WatchProtoCore
import WatchProtoRecords

/// A coding of the vectors: medications, or one with its base, and the clock of their coder.
struct CodedExample {
    var name: String
    var medications: [LightweightMedication]
    var base: LightweightMedication?
    var reference = Self.usual

    static let usual = CodingReference(minute: 3_230_000, offset: 60)

    /// All of them, in the order of the fixture.
    static var all: [CodedExample] {
        // The coding has no last edit that is further than 2^51 ms from 2020.
        let records = RecordExamples.medications.filter {
            ($0.value.updatedAt.milliseconds &- RecordBase.milliseconds).magnitude < 1 << 51
        }
        return records.map { CodedExample(name: $0.name, medications: [$0.value]) }
            + texts + facts + updates + batches + references
    }

    /// A medication with little but its texts.
    static func medication(
        _ name: String, _ strength: String = "", _ instructions: String = ""
    ) -> LightweightMedication {
        LightweightMedication(
            id: MedicationID(rawValue: 0x10), name: name,
            dosage: Dosage(strength: strength, form: .tablet), color: 0xFF95_00FF,
            flags: .isActive, instructions: instructions, revision: 1,
            updatedAt: WallTime(milliseconds: RecordBase.milliseconds + 3_229_990 * 60_000))
    }

    /// Texts that a decoder can easily read amiss.
    static let rareTexts: [(name: String, strength: String, instructions: String)] = [
        ("METFORMIN HYDROCHLORIDE", "1,000 MG", "TAKE WITH FOOD"),
        ("metFORMIN", "500mg", "Take 1 tablet twice a day. Do not crush. Keep dry"),
        ("LEVOthyroxine sodium", "88 mcg", "aB Ab aBC ABc aBcD ABCDe"),
        ("McDonald's Own", "½ tablet", "e.g. 1/2 at 8:00"),
        ("Lévothyrox", "50 µg", "À jeun, une fois par jour. Éviter le café"),
        ("Παρακεταμόλη", "500 mg", "Πάρτε ένα δισκίο ΜΕΤΑ το φαγητό. Σίσυφος"),
        ("Метопролол", "25 мг", "Принимать после еды. Не разжёвывать. ЁЛКА"),
        ("タケキャブ錠", "20mg", "1日1回 朝食後に服用"),
        ("阿司匹林肠溶片", "100毫克", "每日一次，饭后服用。"),
        ("아스피린", "100 mg", "하루에 한 번"),
        ("אקמול", "500 מ\"ג", "קח עם אוכל"),
        ("باراسيتامول", "٥٠٠ ملغ", "خذ مع الطعام"),
        ("पैरासिटामोल", "500 mg", "भोजन के बाद"),
        ("พาราเซตามอล", "500 มก.", "หลังอาหาร"),
        ("💊 Pill 👨‍👩‍👧", "1️⃣", "☀️ and 🌙"),
        ("Warfarin Warfarin", "warfarin WARFARIN", "Warfarin. warfarin. Warfarin warfarin"),
        ("Zyxtor", "Zyxtor 5", "Zyxtor zyxtor ZYXTOR Zyxtor 5 mg. Zyxtor 5 mg. Zyxtor"),
        ("Advil (ibuprofen) (Advil)", "200 mg", "Advil (ibuprofen) (Advil), Advil"),
        ("Ibuprofen 200 mg (Ibuprofen 200 mg)", "(Ibuprofen", "ibuprofen 200 mg"),
        ("  A   B    C     ", "\t\n", " . .  ! ? A! B? C .D"),
        ("12", "1.5.2", "1, 2. 3,4 5,,6 7..8 1,000,000.25 007 00"),
        ("123456789", "98765.4321", "3 4 17 29 365 1024 2,5"),
        ("A", "a", "A a AA aa AAa aAA 1A A1 a1a"),
        ("Co-trimoxazole", "12-hour", "Extended-release omega-3 covid-19"),
        ("ABCDEFGHIJKLMNOPw", "abcdefghijklmnopQ", "ABCDEFGHIJKLMNOPQr abcdefghijklmnoQ"),
        ("e\u{301}E\u{301}", "Å ÅÅ åÅ", "ß SSß Sß ẞ ſ ǅ Ǆ ǆ İ ı"),
        ("ĲĳŸÿ", "ŹźŽžĹĺŁł", "ΆΈΊ άέί ЀЏ ѐџ"),
        ("", "", ". "),
        ("", ".", "A. . B. . C. D. E. F. G"),
        ("$^", "\u{0}\u{7F}", "€ £ ¥ ₽ ‰ № ℞ ™ \u{2191}"),
        ("々ー々", "㍉ﾐﾘ", "錠ｶﾌﾟｾﾙ 𠮷野家"),
        ("Aspirin錠mg", "錠 1 錠", "1錠2錠Aspirin 錠Aspirin"),
        ("(Aspirin)", " (Aspirin", "[a / b; c - d, e]: (f), (g). (h) + 5% i"),
        ("Vitamin D3 B12", "1000IU", "D3K2 5mg/5mL 2x - 3×4"),
        ("Ibuprofen-ratiopharm", "400 mg", "Nach dem Essen mit viel Wasser einnehmen"),
        ("Tylenol Extra Strength Tylenol", "325 mg / 5 mL", "Tylenol. Extra. Tylenol. Extra"),
        ("\u{10FFFF}\u{E000}\u{FFFD}", "\u{800}", "\u{FFFF}\u{7FF}\u{1F600}"),
        ("Caf\u{E9}", "Cafe\u{301}", "Caf\u{E9}. Cafe\u{301}. Caf\u{E9}"),
        ("Take  two   spaces", "a b", "Two\nlines.\nThree\ttabs"),
        ("Hydrochloride Tartrate Hydrochloride", "tartrate", "XR Tartrate"),
        ("SßS STRAßE", "AB\u{301}C", "A\u{301}B A\u{301}b aA\u{301}b"),
        (" (Zyxtor) (Zyxtor)", "(", "Zyxtor (Zyxtor)"),
    ]

    private static var texts: [CodedExample] {
        rareTexts.map { texts in
            CodedExample(
                name: "text",
                medications: [medication(texts.name, texts.strength, texts.instructions)])
        }
    }

    /// Facts in numbers that have a form of their own.
    private static var facts: [CodedExample] {
        var list: [CodedExample] = []
        func add(
            _ name: String, _ reference: CodingReference = usual,
            _ change: (inout LightweightMedication) -> Void
        ) {
            var value = medication("Aspirin")
            change(&value)
            list.append(CodedExample(name: name, medications: [value], reference: reference))
        }
        let lists = [
            [480], [1], [1439], [480, 1200], [1438, 1439], [480, 840, 1200], [0, 30, 45],
            [420, 660, 900, 1140, 1380], [0, 1, 2, 3, 4, 5, 6], [60, 61, 62, 63, 64, 65, 70, 1380],
        ]
        for minutes in lists {
            add("times \(minutes.map(String.init).joined(separator: " "))") {
                $0.schedule = DoseSchedule(slots: DoseSlots(minutes: minutes)!)
                $0.nextDose = WallMinute(minutes: 3_229_920 + Int32(minutes[0]) - 60)
            }
        }
        for days in [1, 21, 36, 64, 100, 127] as [UInt8] {
            add("days \(days)") {
                $0.schedule = DoseSchedule(
                    slots: DoseSlots(minutes: [480])!, weekdays: Weekdays(rawValue: days))
            }
        }
        for (offset, day) in [(-1080, -2), (-210, -1), (330, 0), (1080, 14), (0, 15)] {
            add("next dose on day \(day) of the offset \(offset)") {
                $0.schedule = DoseSchedule(
                    slots: DoseSlots(minutes: [5, 1200])!,
                    zone: .fixed(ZoneOffset(minutes: offset)!))
                let today = (3_230_000 + offset) / 1440
                $0.nextDose = WallMinute(minutes: Int32((today + day) * 1440 + 1200 - offset))
            }
        }
        add("next dose in UTC, before 2020", CodingReference(minute: -500, offset: -330)) {
            $0.schedule = DoseSchedule(slots: DoseSlots(minutes: [480])!, zone: .absolute)
            $0.nextDose = WallMinute(minutes: -960)
            $0.updatedAt.milliseconds = RecordBase.milliseconds - 30_060_001
        }
        add("next dose without times") { $0.nextDose = WallMinute(minutes: 3_229_000) }
        for milliseconds in [
            0, -86_400_000, 2243 * 86_400_000, 3_230_001 * 60_000, 3_230_002 * 60_000 + 1,
            3_230_000 * 60_000 + 59_000, 1 << 51 - 1, 1 - 1 << 51,
        ] as [Int64] {
            add("edited at \(milliseconds) ms") {
                $0.updatedAt.milliseconds = RecordBase.milliseconds + milliseconds
            }
        }
        for color in [0x8080_80FF, 0xFF3B_30FE, 0xE573_73FF, 0x0102_0300, 0x1234_56FF] as [UInt32] {
            add("colour \(color)") { $0.color = color }
        }
        for form in [0, 3, 11, 18, 25, 27, 28, 255] as [UInt8] {
            add("an amount of the form \(form)") {
                $0.dosage.form = DoseForm(rawValue: form)
                $0.dosage.amount = Amount(mantissa: 15, scale: Int(form % 3), unit: .tablet)
            }
        }
        add("a course") { $0.course = DoseCourse(firstDay: 2_240, lastDay: 2_750, everyDays: 3) }
        add("a course from long ago") { $0.course = DoseCourse(firstDay: 9, everyDays: 21) }
        add("other newer fields") {
            $0.extensions[1] = [1, 0]
            $0.extensions[2] = [7]
            $0.extensions[3] = [0xA0, 0x45, 0x31, 0]
            $0.extensions[4] = [240, 0, 4]
        }
        add("newer fields beside a late edit") {
            $0.updatedAt.milliseconds = RecordBase.milliseconds + (1 << 50)
            $0.extensions[2] = [0xFF, 0xFF, 1, 0, 0, 0]
            $0.extensions[3] = [0xA0, 0x45, 0x31, 0]
        }
        add("a minute of adding before 2020") { $0.extensions[3] = [0xFF, 0xFF, 0xFF, 0xFF] }
        return list
    }
}
