import WatchProtoCore
import WatchProtoRecords

/// States of a face at half past nine, and the ways to show them.
struct FaceExamples {
    static let now = Faces.minute(570)
    static let drug = FaceDrug(
        name: "Metformin", strength: "500 mg", amount: "10 mL", among: ["Lisinopril", "Methyldopa"])

    /// A dose in a phase, due at eight.
    static func dose(
        _ phase: DoseDisplay.Phase, _ minute: Int = 480, isUnchecked: Bool = false,
        isDateSkipped: Bool = false
    ) -> FaceDose {
        FaceDose(
            slot: Faces.slot(1, 480), due: Faces.minute(minute), phase: phase,
            isUnchecked: isUnchecked, isDateSkipped: isDateSkipped)
    }

    /// A face of four doses, one of them taken.
    static func scene(
        _ dose: FaceDose?, drug: FaceDrug? = drug, asOf: Int? = nil,
        _ change: (inout FaceEntry) -> Void = { _ in }
    ) -> FaceScene {
        var entry = FaceEntry(at: now)
        entry.headline = dose
        entry.total = 4
        entry.taken = 1
        switch dose?.phase {
        case .due: entry.due = 1
        case .overdue: entry.overdue = 1
        case .snoozed: entry.snoozed = 1
        default: break
        }
        if dose?.isUnchecked == true { entry.unchecked = 1 }
        change(&entry)
        return FaceScene(
            ShownFace(entry, asOf: asOf.map { Faces.minute($0) }), drug: drug,
            checked: Faces.minute(435), now: now, zone: Faces.utc)
    }

    /// One state for each sign.
    static let signs: [(sign: FaceSign, scene: FaceScene)] = [
        (.nothing, scene(nil) { $0.total = 0 }),
        (.done, scene(dose(.upcoming, 1920)) { $0.taken = 4 }),
        (.upcoming, scene(dose(.upcoming, 720))),
        (.snoozed, scene(dose(.snoozed(Faces.minute(580))))),
        (.due, scene(dose(.due))),
        (.unchecked, scene(dose(.due, isUnchecked: true))),
        (.overdue, scene(dose(.overdue))),
        (.conflicting, scene(dose(.upcoming, 720)) { $0.conflicting = 1 }),
    ]

    /// All states, also with the end of the timeline over.
    static var scenes: [FaceScene] {
        signs.flatMap { one in
            var stale = one.scene
            stale.shown.asOf = Faces.minute(560)
            return [one.scene, stale]
        } + [
            scene(dose(.overdue, isUnchecked: true)), scene(dose(.due, isDateSkipped: true)),
            scene(dose(.upcoming, 720), asOf: -600),
            scene(dose(.overdue)) {
                $0.overdue = 3
                $0.due = 2
                $0.skipped = 1
                $0.notLogged = 1
                $0.conflicting = 2
            },
        ]
    }

    static func count(_ text: String) -> Int {
        text.unicodeScalars.count { $0 != "\u{2068}" && $0 != "\u{2069}" }
    }

    /// The lines of a family where each has room for so many characters.
    static func lines(_ family: FaceFamily, _ scene: FaceScene, _ room: Int) -> [String] {
        FaceContent(family, scene).lines { count($1) <= room }.map(\.text)
    }

    /// Every text that is shown in some family, at some width, or said.
    static func texts(_ scene: FaceScene) -> Set<String> {
        var texts: Set<String> = []
        for family in FaceFamily.allCases {
            let content = FaceContent(family, scene)
            texts.insert(content.accessibility)
            for room in stride(from: 0, through: 160, by: 5) {
                texts.formUnion(content.lines { count($1) <= room }.map(\.text))
            }
        }
        return texts
    }

    /// The isolated runs of a text; nil if its marks of direction are not pairs.
    static func isolated(_ text: String) -> [String]? {
        var runs: [String] = []
        var run: String?
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x2068:
                guard run == nil else { return nil }
                run = ""
            case 0x2069:
                guard let ended = run else { return nil }
                runs.append(ended)
                run = nil
            case 0x202A...0x202E, 0x2066, 0x2067, 0x200E, 0x200F, 0x61C, 0xA, 0xD, 0x85, 0x2028,
                0x2029:
                return nil
            default: run?.unicodeScalars.append(scalar)
            }
        }
        return run == nil ? runs : nil
    }

    static let hostile = [
        "\u{202E}gm 005 nimrofteM", "Met\u{2069}\u{2069}\u{202E}formin", "\u{2067}Metformin",
        "Metformin\u{2068}\u{2066}", "\u{200F}Metformin", "ميتفورمين", "מטפורמין",
        "Met\nformin\r\n\u{2029}500 g",
        "M" + String(repeating: "\u{336}\u{20DD}\u{301}", count: 40),
        "\u{301}\u{301}Metformin", "💊💊👩‍⚕️ Metformin",
        String(repeating: "Metformin ", count: 7), String(repeating: "x", count: 64),
        "\0\u{1B}[31mMetformin", "Met\u{AD}for\u{200B}min",
        "Vitamin B12", "Metformin ER", "Insulin 70/30", "二甲双胍缓释片", "\u{E0041}\u{FEFF}", "",
    ]
}
