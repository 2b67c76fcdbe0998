package import WatchProtoRecords

/// A face's family in the characters of a terminal.
package enum FaceTerminal {
    /// The drawing, as lines.
    ///
    /// - Parameters:
    ///   - content: the content.
    ///   - mode: the mode, which decides on the colours.
    ///   - style: whether there are colours.
    package static func draw(
        _ content: FaceContent, _ mode: FaceMode, _ style: TerminalStyle
    ) -> [String] {
        let shown = content.lines { place, text in
            TextWidth.columns(text) <= room(content.family, place)
        }
        func text(_ place: FacePlace) -> String? { shown.first { $0.place == place }?.text }
        let sign = painted(mark(content.sign), content.sign.tint, mode, style)
        switch content.family {
        case .inline: return [[sign, text(.headline) ?? ""].joined(separator: " ")]
        case .circular:
            let lines = [sign, text(.label) ?? "", text(.value) ?? "", bar(content.gauge, 11)]
            return box(lines.map { centered($0, 13) }, 13)
        case .rectangular:
            let first = [sign, text(.headline) ?? ""].joined(separator: " ")
            let lines = [first, text(.body), text(.detail)].compactMap { $0 }
            let rest = [String](repeating: "", count: 3 - lines.count)
            return box((lines + rest + [bar(content.gauge, 36)]).map { padded(" " + $0, 38) }, 38)
        case .corner:
            let lines = [text(.label) ?? "", bar(content.gauge, 26)]
            let value = [sign, text(.value) ?? ""].joined(separator: " ")
            return box(lines.map { padded(" " + $0, 28) } + [padded("", 28), right(value, 28)], 28)
        }
    }

    private static func room(_ family: FaceFamily, _ place: FacePlace) -> Int {
        switch (family, place) {
        case (.circular, _): 13
        case (.rectangular, .headline): 32
        case (.rectangular, _): 36
        case (.inline, _): 60
        case (.corner, .value): 12
        case (.corner, _): 26
        }
    }

    /// The sign in brackets: its characters differ without colour.
    private static func mark(_ sign: FaceSign) -> String {
        switch sign {
        case .nothing: "[-]"
        case .done: "[ok]"
        case .upcoming: "[>]"
        case .snoozed: "[z]"
        case .due: "[*]"
        case .unchecked: "[?]"
        case .overdue: "[!]"
        case .conflicting: "[<>]"
        }
    }

    private static func painted(
        _ text: String, _ tint: FaceTint, _ mode: FaceMode, _ style: TerminalStyle
    ) -> String {
        guard style == .coloured else { return text }
        let code =
            switch (mode, tint) {
            case (.tinted, _): "36"
            case (_, .calm): "32"
            case (_, .notice): "33"
            case (_, .alert): "31"
            }
        return "\u{1B}[\(mode == .alwaysOn ? "2;" : "")\(code)m\(text)\u{1B}[0m"
    }

    /// The gauge with its numbers; the numbers alone if there is no more room.
    private static func bar(_ gauge: FaceGauge?, _ room: Int) -> String {
        guard let gauge, gauge.total > 0 else { return "" }
        let numbers = "\(gauge.taken)/\(gauge.total)"
        let width = room - numbers.utf8.count - 1
        guard width > 2 else { return numbers }
        let filled = min(width, gauge.taken * width / gauge.total)
        let rest = String(repeating: "-", count: width - filled)
        return String(repeating: "#", count: filled) + rest + " " + numbers
    }

    // MARK: Boxes

    /// The columns of a text, colours aside.
    private static func columns(_ text: String) -> Int {
        var columns = 0
        var isCode = false
        for part in text.split(separator: "\u{1B}", omittingEmptySubsequences: false) {
            let shown = isCode ? part.drop { $0 != "m" }.dropFirst() : part
            columns += TextWidth.columns(String(shown))
            isCode = true
        }
        return columns
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - columns(text)))
    }

    private static func centered(_ text: String, _ width: Int) -> String {
        padded(String(repeating: " ", count: max(0, width - columns(text)) / 2) + text, width)
    }

    private static func right(_ text: String, _ width: Int) -> String {
        padded(String(repeating: " ", count: max(0, width - 1 - columns(text))) + text, width)
    }

    private static func box(_ lines: [String], _ width: Int) -> [String] {
        let edge = "+" + String(repeating: "-", count: width) + "+"
        return [edge] + lines.map { "|\($0)|" } + [edge]
    }
}
