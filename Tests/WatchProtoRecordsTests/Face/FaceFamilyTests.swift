import Testing
import WatchProtoCore
import WatchProtoRecords

/// The contents of the families of a face.
@Suite struct FaceFamilyTests {
    @Test func `FF-1: names and strengths are isolated, and nothing else turns the direction`() {
        #expect(FaceExamples.isolated("a \u{2068}b\u{2069}") == ["b"])
        #expect(FaceExamples.isolated("a \u{2068}b") == nil)
        #expect(FaceExamples.isolated("\u{202E}a") == nil)
        var count = 0
        for name in FaceExamples.hostile {
            for strength in ["500 mg", "\u{202E}005 mg", "50\u{2069}\n0 mg", "٥ ملغ", ""] {
                let drug = FaceDrug(name: name, strength: strength, amount: "2\u{202E} mL")
                for scene in FaceExamples.scenes {
                    var scene = scene
                    scene.drug = drug
                    for text in FaceExamples.texts(scene) {
                        #expect(FaceExamples.isolated(text) != nil, "\(text.debugDescription)")
                        count += 1
                    }
                }
            }
        }
        #expect(count > 5_000)
    }

    @Test func `FF-2: a face that names a medication shows its strength whole`() throws {
        let strengths = ["500 mg", "12.5 mg/5 mL", "1 000 000 IU", "0.5 %"]
        var cut = 0
        for strength in strengths {
            let drug = FaceDrug(name: "Metformin hydrochloride", strength: strength)
            for room in 0...80 {
                for family in FaceFamily.allCases {
                    let scene = FaceExamples.scene(FaceExamples.dose(.overdue), drug: drug)
                    let lines = FaceExamples.lines(family, scene, room)
                    let runs = try lines.flatMap { try #require(FaceExamples.isolated($0)) }
                    let names = runs.filter { $0.hasPrefix("Metf") }
                    #expect(runs.count == names.count * 2, "\(lines)")
                    #expect(names.isEmpty || runs.contains(strength), "\(lines)")
                    cut += names.contains { $0.hasSuffix("…") } ? 1 : 0
                }
            }
        }
        #expect(cut > 100)
    }

    @Test func `FF-3: two strengths never look alike, nor two medications that begin alike`() {
        func drugs(_ all: [(String, String)]) -> [FaceDrug] {
            all.map { one in
                FaceDrug(name: one.0, strength: one.1, among: all.map(\.0))
            }
        }
        /// The pairs of different medications that some width shows alike.
        func alike(_ drugs: [FaceDrug]) -> Int {
            var count = 0
            for family in FaceFamily.allCases {
                for room in 0...60 {
                    let shown = drugs.map { drug in
                        FaceExamples.lines(
                            family, FaceExamples.scene(FaceExamples.dose(.due), drug: drug), room)
                    }.filter { lines in lines.contains { $0.contains("\u{2068}") } }
                    count += shown.count - Set(shown).count
                }
            }
            return count
        }
        let list = [
            ("Warfarin sodium", "1 mg"), ("Warfarin sodium", "10 mg"),
            ("Warfarin sodium", "1.0 mg"), ("Hydroxyzine", "25 mg"), ("Hydralazine", "25 mg"),
            ("Metformin", "500 mg"), ("Metformin ER", "500 mg"), ("Insulin 70/30", "100 IU/mL"),
            ("Insulin 50/50", "100 IU/mL"), ("Vitamin B12", "1 mg"), ("Vitamin B6", "1 mg"),
        ]
        #expect(alike(drugs(list)) == 0)
        var careless = drugs(list)
        for place in careless.indices { careless[place].least = 1 }
        #expect(alike(careless) > 0)
    }

    @Test func `FF-4: a name loses no numeral and keeps how it is released`() {
        for name in ["Vitamin B12", "Metformin ER", "Insulin Mix 30", "Morphine prolonged release"]
        {
            let text = FaceText.name(name, least: 4)
            #expect(text.fitted { FaceExamples.count($0) < name.count } == nil, "\(name)")
        }
        let long = FaceText.name("Acetylsalicylic acid", least: 4)
        #expect(long.fitted { FaceExamples.count($0) <= 9 } == "\u{2068}Acetylsa…\u{2069}")
        #expect(long.fitted { FaceExamples.count($0) <= 4 } == nil)
        #expect(FaceText.strength("500 mg").fitted { FaceExamples.count($0) < 6 } == nil)
    }

    @Test func `FF-5: a locked face names no medication`() {
        for scene in FaceExamples.scenes {
            var scene = scene
            scene.isPrivate = true
            for text in FaceExamples.texts(scene) {
                #expect(!text.contains("Met") && !text.contains("mg") && !text.contains("mL"))
                #expect(!text.contains("\u{2068}"))
            }
            for family in FaceFamily.allCases {
                #expect(FaceContent(family, scene).color == nil)
            }
        }
        let open = FaceExamples.scene(FaceExamples.dose(.due))
        #expect(FaceExamples.texts(open).contains { $0.contains("Metformin") })
        #expect(FaceContent(.corner, open).color != nil)
    }

    @Test func `FF-6: a stale face says as of, in every family and at every width`() {
        var count = 0
        for scene in FaceExamples.scenes {
            for family in FaceFamily.allCases {
                let content = FaceContent(family, scene)
                #expect(content.isStale == (scene.shown.asOf != nil))
                #expect(content.accessibility.contains("As of") == content.isStale)
                for room in 0...120 {
                    let lines = FaceExamples.lines(family, scene, room)
                    if lines.isEmpty { continue }
                    #expect(lines.contains { $0.contains("as of") } == content.isStale, "\(lines)")
                    count += 1
                }
            }
        }
        #expect(count > 5_000)
    }

    @Test func `FF-7: a dose that may be closed elsewhere is never shown as plainly due`() {
        let scene = FaceExamples.scene(FaceExamples.dose(.due, isUnchecked: true))
        for family in FaceFamily.allCases {
            for room in 0...120 {
                let lines = FaceExamples.lines(family, scene, room)
                #expect(
                    lines.isEmpty || lines.contains { $0.contains("not checked") }, "\(lines)")
            }
            let said = FaceContent(family, scene).accessibility
            #expect(said.contains("Not checked since 07:15."))
        }
        // Beside every other state: a dose of today that is not logged may be taken elsewhere.
        for var other in FaceExamples.scenes where other.shown.asOf == nil {
            other.shown.entry.unchecked = 1
            for family in FaceFamily.allCases {
                for room in 0...120 {
                    let lines = FaceExamples.lines(family, other, room)
                    #expect(
                        lines.isEmpty || lines.contains { $0.contains("not checked") }, "\(lines)")
                }
            }
        }
        var never = scene
        never.checked = nil
        #expect(FaceContent(.inline, never).accessibility.contains("Never checked."))
    }

    @Test func `FF-8: signs differ in words, and every family has sentences for a screen reader`() {
        for family in FaceFamily.allCases {
            var seen: Set<[String]> = []
            for (sign, scene) in FaceExamples.signs {
                let content = FaceContent(family, scene)
                #expect(content.sign == sign)
                #expect(seen.insert(FaceExamples.lines(family, scene, 40)).inserted, "\(sign)")
                #expect(content.accessibility.hasSuffix("."))
                #expect(sign == .nothing || content.accessibility.contains("of 4 doses taken"))
            }
            #expect(seen.count == FaceSign.allCases.count)
        }
        #expect(
            FaceContent(.circular, FaceExamples.scenes[12]).accessibility
                == "Overdue since 08:00: \u{2068}Metformin\u{2069} \u{2068}500 mg\u{2069}, "
                + "\u{2068}10 mL\u{2069}. 1 of 4 doses taken.")
    }

    @Test func `FF-10: a time of another date is never shown without that date`() {
        let friday = FaceExamples.dose(.upcoming, 1920)
        let yesterday = FaceExamples.dose(.overdue, -120, isUnchecked: true)
        let scenes = [
            FaceExamples.scene(friday) { $0.total = 0 }, FaceExamples.scene(yesterday),
            FaceExamples.scene(FaceExamples.dose(.overdue, -120)),
            FaceExamples.scene(FaceExamples.dose(.snoozed(Faces.minute(1920)))) { $0.total = 0 },
        ]
        var count = 0
        for scene in scenes {
            let isFriday = scene.shown.entry.headline?.minute == Faces.minute(1920)
            let (day, clock) = isFriday ? ("Fri", "08:00") : ("Wed", "22:00")
            for family in FaceFamily.allCases {
                for room in 0...120 {
                    let lines = FaceExamples.lines(family, scene, room)
                    guard lines.contains(where: { $0.contains(clock) }) else { continue }
                    #expect(lines.contains { $0.contains(day) }, "\(lines)")
                    count += 1
                }
            }
        }
        #expect(count > 1_000)
    }

    @Test func `FF-9: a dimmed display shows nothing that changes within a minute`() {
        func texts(_ age: Int, isDimmed: Bool) -> Set<String> {
            var scene = FaceExamples.scene(FaceExamples.dose(.upcoming, 720))
            scene.isDimmed = isDimmed
            scene.age = age
            return FaceExamples.texts(scene)
        }
        for second in 1..<60 {
            #expect(texts(second, isDimmed: true) == texts(0, isDimmed: true))
            #expect(texts(second, isDimmed: false) != texts(0, isDimmed: false))
        }
        #expect(texts(130, isDimmed: true).contains("1 of 4 taken, checked 09:28"))
        #expect(texts(130, isDimmed: false).contains("1 of 4 taken, checked 2 min ago"))
    }
}
