/// Turns the lines of a run's trace, which hold values as Swift prints them, into plain words.
enum TraceWords {
    /// `line` without names of types, brackets and labels of nothing.
    static func plain(_ line: String) -> String {
        var text = line
        text = text.replacing(#/Instant\(nanoseconds: (-?\d+)\)/#) { match in
            seconds(Int64(match.1) ?? 0)
        }
        // Types and modules before a value.
        text = text.replacing(#/\b(?:[A-Z]\w*\.)+/#, with: "")
        while let match = text.firstMatch(of: #/Optional\(([^()]*(?:\([^()]*\))?[^()]*)\)/#) {
            text.replaceSubrange(match.range, with: match.1)
        }
        text = text.replacing(#/,? ?\w+: nil/#, with: "")
        text = text.replacing(#/\bside: ([01])\b/#) { $0.1 == "0" ? "phone" : "watch" }
        text = text.replacing(#/(\d) seconds\b/#) { "\($0.1) s" }
        text = text.replacing(#/\b[A-Z]?[a-z]+(?:[A-Z][a-z]+)+\b/#) { words(String($0.0)) }
        text = text.replacing("()", with: "").replacing("[]", with: "none")
        text = text.replacing(#/(\w)\((?:, )?/#) { "\($0.1) " }
        text = text.replacing(#/[()\[\]]/#, with: "")
        return text.replacing(#/(\w): /#) { "\($0.1) " }
    }

    /// `recoveryCrash` is `recovery crash`.
    private static func words(_ name: String) -> String {
        String(name.flatMap { $0.isUppercase ? [" ", Character($0.lowercased())] : [$0] })
            .trimmed
    }

    private static func seconds(_ nanoseconds: Int64) -> String {
        let digits = String(abs(nanoseconds) % 1_000_000_000 + 1_000_000_000).dropFirst()
        return "\(nanoseconds < 0 ? "-" : "")\(abs(nanoseconds) / 1_000_000_000).\(digits) s"
    }
}

extension String {
    fileprivate var trimmed: String { first == " " ? String(dropFirst()) : self }
}
