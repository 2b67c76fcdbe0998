import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import Reports

/// Faces as they are drawn.
@Suite struct FaceDrawingTests {
    static let now = WallMinute(minutes: 2500 * 1440 + 570)
    static let zone = ZoneTimeline(.utc)

    static func scene(_ state: FaceState, drug: FaceDrug = FaceState.drug) -> FaceScene {
        state.scene(at: now, zone: zone, drug: drug)
    }

    static let accents: [FaceColor] = [
        0xFFFFFF, 0xFF3B30, 0x0000FF, 0x000000, 0x64D2FF, 0x5E5CE6, 0x8E8E93, 0x30D158,
    ].map { FaceColor($0) }

    static var palettes: [FacePalette] {
        FaceMode.allCases.flatMap { mode in accents.map { FacePalette(mode, accent: $0) } }
    }

    /// The values of an attribute in a drawing.
    static func values(_ name: String, _ svg: String) -> [String] {
        svg.split(separator: " \(name)=\"").dropFirst().compactMap {
            $0.split(separator: "\"").first.map(String.init)
        }
    }

    // MARK: Contrast

    @Test func `contrast is that of WCAG 2.2`() {
        let (white, black) = (FaceColor(0xFFFFFF), FaceColor(0))
        #expect(abs(white.contrast(with: black) - 21) < 0.001)
        #expect(abs(FaceColor(0x767676).contrast(with: white) - 4.54) < 0.01)
        #expect(abs(FaceColor(0x777777).contrast(with: white) - 4.48) < 0.01)
        #expect(abs(FaceColor(0xFF0000).contrast(with: white) - 3.998) < 0.01)
        #expect(white.contrast(with: white) == 1)
    }

    @Test func `text has a contrast of 4.5 and shapes one of 3, in every mode and tint`() {
        var count = 0
        for palette in Self.palettes {
            for text in [palette.text, palette.quiet] {
                #expect(text.contrast(with: palette.ground) >= FacePalette.textContrast)
                count += 1
            }
            for tint in FaceTint.allCases {
                let color = palette.color(tint)
                #expect(color.contrast(with: palette.ground) >= FacePalette.textContrast)
                // The gauge's part is told from its rest.
                #expect(color.contrast(with: palette.track) >= FacePalette.shapeContrast)
                count += 1
            }
        }
        #expect(count == 4 * 8 * 5)
        for step in 0..<4096 {
            let color = UInt32(step) &* 0x10_1F13 << 8 | 0xFF
            for mode in FaceMode.allCases {
                let palette = FacePalette(mode)
                let contrast = palette.swatch(color).contrast(with: palette.ground)
                #expect(contrast >= FacePalette.shapeContrast)
            }
        }
    }

    /// All colours of a drawing are those of the palette that the other test compares.
    @Test func `a drawing has no colour beside its palette`() {
        for palette in Self.palettes {
            var known: Set<String> = ["none", palette.ground.hex, palette.track.hex]
            known.formUnion([palette.text.hex, palette.quiet.hex])
            known.formUnion(FaceTint.allCases.map { palette.color($0).hex })
            for state in FaceState.allCases {
                for family in FaceFamily.allCases {
                    let content = FaceContent(family, Self.scene(state).seen(in: palette.mode))
                    let swatch = content.color.map { palette.swatch($0).hex }
                    let svg = FaceSVG.draw(content, palette)
                    for color in Self.values("fill", svg) + Self.values("stroke", svg) {
                        #expect(known.contains(color) || color == swatch, "\(color)")
                    }
                    // Text is of the first or the second rank.
                    for text in svg.split(separator: "<text ").dropFirst() {
                        let fill = Self.values("fill", " " + text).first
                        #expect(fill == palette.text.hex || fill == palette.quiet.hex)
                    }
                }
            }
        }
    }

    // MARK: Modes

    @Test func `an always-on display is dimmer, and fills nothing large`() {
        let (dark, dimmed) = (FacePalette(.dark), FacePalette(.alwaysOn))
        #expect(dimmed.text.luminance < dark.text.luminance / 2)
        #expect(dimmed.quiet.luminance < dark.quiet.luminance / 2)
        for tint in FaceTint.allCases {
            #expect(dimmed.color(tint).luminance < dark.color(tint).luminance * 0.75)
        }
        for state in FaceState.allCases {
            for family in FaceFamily.allCases {
                func draw(_ palette: FacePalette) -> String {
                    FaceSVG.draw(
                        FaceContent(family, Self.scene(state).seen(in: palette.mode)), palette)
                }
                #expect(!draw(dimmed).contains("bold"))
                #expect(!draw(dimmed).contains("-width=\"8\""))
            }
        }
    }

    @Test func `without colour each sign has a shape of its own, drawn and in a terminal`() {
        let palette = FacePalette(.tinted)
        var shapes: [FaceSign: String] = [:]
        var marks: [FaceSign: String] = [:]
        for state in FaceState.allCases {
            let content = FaceContent(.inline, Self.scene(state))
            let svg = FaceSVG.draw(content, palette)
            shapes[content.sign] = svg.split(separator: "<g ").last?.split(separator: "</g>").first
                .map(String.init)
            marks[content.sign] = FaceTerminal.draw(content, .dark, .plain)[0].split(separator: " ")
                .first.map(String.init)
        }
        #expect(shapes.count == FaceSign.allCases.count)
        #expect(Set(shapes.values).count == FaceSign.allCases.count)
        #expect(Set(marks.values).count == FaceSign.allCases.count)
    }

    // MARK: Room

    @Test func `widths are approximate and never too small for common letters`() {
        // Advances of DejaVu Sans, in thousandths.
        let advances: [(String, Int)] = [
            ("i", 278), ("l", 278), ("t", 392), ("r", 411), ("a", 613), ("n", 634), ("0", 636),
            ("m", 974), ("w", 818), ("M", 863), ("W", 989), ("%", 950), ("A", 684), ("Q", 787),
            (" ", 318), (":", 337), ("…", 1000), ("µ", 636), ("é", 615), ("Ж", 1077), ("×", 838),
        ]
        for (text, width) in advances { #expect(TextWidth.thousandths(text) >= width, "\(text)") }
        #expect(TextWidth.thousandths("e\u{301}") == TextWidth.thousandths("e"))
        #expect(TextWidth.thousandths("\u{2068}a\u{2069}") == TextWidth.thousandths("a"))
        #expect(TextWidth.thousandths("a", isBold: true) > TextWidth.thousandths("a"))
    }

    @Test func `every state has its words in every family`() {
        for state in FaceState.allCases {
            for scene in [Self.scene(state), Self.scene(.asOf)] {
                for family in FaceFamily.allCases {
                    let content = FaceContent(family, scene)
                    let drawing = FaceDrawing(family)
                    #expect(!content.lines(drawing.fits).isEmpty, "\(state) \(family)")
                }
            }
        }
        let many = FaceContent(.rectangular, Self.scene(.many)).lines(
            FaceDrawing(.rectangular).fits)
        #expect(many.last?.text == "2 more overdue, 2 more due")
        // The longest numbers.
        var scene = Self.scene(.overdue)
        scene.shown.entry.overdue = .max
        scene.shown.entry.total = .max
        #expect(!FaceContent(.circular, scene).lines(FaceDrawing(.circular).fits).isEmpty)
    }

    @Test(arguments: [
        ("abc", 3), ("", 0), ("e\u{301}", 1), ("二甲", 4), ("한", 2), ("💊", 2), ("👩‍⚕️", 2),
        ("\u{2068}a\u{2069}", 1), ("ﾊ", 1), ("Ａ", 2), ("\u{0E01}\u{0E34}", 1), ("×", 1),
    ])
    func `a terminal's columns follow from Unicode`(text: String, columns: Int) {
        #expect(TextWidth.columns(text) == columns)
    }

    @Test func `boxes of a terminal have straight edges, whatever the name`() {
        for name in ["Metformin", "二甲双胍", "💊 Pill", "ميتفورمين", "Zoe\u{308}\u{301}", "x\n\ny"] {
            let drug = FaceDrug(name: name, strength: "5 mg")
            for state in FaceState.allCases {
                for family in FaceFamily.allCases where family != .inline {
                    for mode in FaceMode.allCases {
                        let content = FaceContent(family, Self.scene(state, drug: drug))
                        let lines = FaceTerminal.draw(content, mode, .plain)
                        #expect(Set(lines.map(TextWidth.columns)).count == 1, "\(lines)")
                        let painted = FaceTerminal.draw(content, mode, .coloured)
                        #expect(painted.map(Self.withoutColour) == lines)
                    }
                }
            }
        }
    }

    private static func withoutColour(_ text: String) -> String {
        var plain = ""
        for (place, part) in text.split(separator: "\u{1B}", omittingEmptySubsequences: false)
            .enumerated()
        {
            plain += place == 0 ? part : part.drop { $0 != "m" }.dropFirst()
        }
        return plain
    }

    // MARK: Text

    @Test func `markup in a name is text`() {
        let drug = FaceDrug(name: "<script>&\"]]>", strength: "5 < 6 mg")
        for family in FaceFamily.allCases {
            let svg = FaceSVG.draw(
                FaceContent(family, Self.scene(.due, drug: drug)), FacePalette(.dark))
            #expect(!svg.contains("<script"))
            #expect(svg.contains("&lt;script&gt;&amp;"))
        }
        let page = FacePage.html(
            [FacePage.Row("<b>", Self.scene(.due, drug: drug))], FaceFamily.allCases,
            [FacePalette(.light)])
        #expect(!page.contains("<script") && !page.contains("<b>"))
    }

    @Test func `every drawing has a title, and a locked one has no name in any form`() {
        for state in FaceState.allCases {
            for family in FaceFamily.allCases {
                for palette in FaceMode.allCases.map({ FacePalette($0) }) {
                    var scene = Self.scene(state)
                    scene.isPrivate = true
                    let content = FaceContent(family, scene)
                    let svg = FaceSVG.draw(content, palette)
                    #expect(svg.contains("<title>") && !svg.contains("<title></title>"))
                    let terminal = FaceTerminal.draw(content, palette.mode, .coloured)
                    for text in [svg, terminal.joined()] {
                        #expect(!text.contains("Metf") && !text.contains("Acetyl"))
                        #expect(!text.contains(" mg"))
                    }
                    let swatch = palette.swatch(FaceState.drug.color)
                    #expect(palette.mode == .tinted || !svg.contains(swatch.hex))
                }
            }
        }
    }

    @Test func `a face in a terminal`() {
        func lines(_ family: FaceFamily, _ state: FaceState) -> [String] {
            FaceTerminal.draw(FaceContent(family, Self.scene(state)), .dark, .plain).map { line in
                line.filter { $0 != "\u{2068}" && $0 != "\u{2069}" }
            }
        }
        #expect(
            lines(.circular, .overdue) == [
                "+-------------+", "|     [!]     |", "|   overdue   |", "|    08:15    |",
                "| #------ 1/4 |", "+-------------+",
            ])
        #expect(
            lines(.rectangular, .unchecked)[1...3] == [
                "| [?] Due since 09:20?                 |",
                "| Metformin 2 × 500 mg                 |",
                "| not checked since 08:35              |",
            ])
        #expect(
            lines(.inline, .asOf) == [
                "[!] Overdue since 08:15, as of 09:10 · Metformin 2 × 500 mg"
            ])
        #expect(lines(.corner, .locked)[1] == "| due                        |")
    }
}
