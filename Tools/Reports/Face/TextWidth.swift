/// How wide texts are: in the columns of a terminal, and about how wide in a drawing.
package enum TextWidth {
    /// The columns of a text in a terminal: two for wide characters (Unicode, East Asian Width W
    /// and F) and emoji, none for marks and for invisible characters.
    package static func columns(_ text: String) -> Int {
        text.reduce(0) { columns, character in
            columns + (character.unicodeScalars.map { width(of: $0) }.max() ?? 0)
        }
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        if (0x1160...0x11FF).contains(scalar.value) { return 0 }
        return isWide(scalar) ? 2 : 1
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isEmojiPresentation { return true }
        switch scalar.value {
        case 0x1100...0x115F, 0x2329, 0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF,
            0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
            0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF,
            0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            return true
        default: return false
        }
    }

    /// The width of a text in thousandths of its size, in a usual face without serifs. The widths
    /// are those of DejaVu Sans, rounded up; the type of watches is narrower. Bold type is wider by
    /// 15 %.
    ///
    /// | Characters | Width |
    /// | --- | --- |
    /// | marks, and invisible ones | 0 |
    /// | ASCII | 320 to 1010, in nine classes |
    /// | other Latin letters and signs | 845 |
    /// | letters of other scripts | 1080 |
    /// | wide ones (Unicode, East Asian Width W and F) | 1010 |
    /// | emoji | 1400 |
    package static func thousandths(_ text: String, isBold: Bool = false) -> Int {
        let width = text.reduce(0) { width, character in
            width + (character.unicodeScalars.map { thousandths(of: $0) }.max() ?? 0)
        }
        return isBold ? width * 115 / 100 : width
    }

    /// The classes of ASCII.
    private static let classes: [(width: Int, characters: String)] = [
        (320, #" ',.IJijl"#), (420, #"!()-/:;[\]frt|"#), (530, #""*_`sz"#), (600, "?FLckvxy"),
        (640, "$0123456789EPSTYabdeghnopqu{}"), (700, "ABCKRVXZ"), (800, "&DGHNOQU"),
        (860, "#+<=>^w~"), (1010, "%@MWm"),
    ]

    private static let widths: [Int] = {
        var widths = [Int](repeating: 1010, count: 128)
        for one in classes {
            for byte in one.characters.utf8 { widths[Int(byte)] = one.width }
        }
        return widths
    }()

    private static func thousandths(of scalar: Unicode.Scalar) -> Int {
        if width(of: scalar) == 0 { return 0 }
        if scalar.isASCII { return widths[Int(scalar.value)] }
        if scalar.properties.isEmojiPresentation { return 1400 }
        if isWide(scalar) || scalar == "…" { return 1010 }
        if scalar == "·" { return 320 }
        return scalar.value > 0x24F && scalar.properties.isAlphabetic ? 1080 : 845
    }
}
