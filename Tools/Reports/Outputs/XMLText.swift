/// Text that an XML 1.0 document holds; characters that it must not hold are U+FFFD.
enum XMLText {
    /// As the content of an element.
    static func content(_ text: String) -> String {
        escaped(text) { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            // Only `]]>` must not stand there; all are escaped.
            case ">": "&gt;"
            // A reader would take it for a line feed.
            case "\r": "&#13;"
            default: nil
            }
        }
    }

    /// As an attribute's value between double quotes. A reader takes bare white space of any kind
    /// for a space.
    static func attribute(_ text: String) -> String {
        escaped(text) { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "\t": "&#9;"
            case "\n": "&#10;"
            case "\r": "&#13;"
            default: nil
            }
        }
    }

    private static func escaped(
        _ text: String, _ replacement: (Unicode.Scalar) -> String?
    ) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let text = replacement(scalar) {
                result += text.unicodeScalars
            } else {
                result.append(isAllowed(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return String(result)
    }

    /// `Char` of XML 1.0, section 2.2.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
