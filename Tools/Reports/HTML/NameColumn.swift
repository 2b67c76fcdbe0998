import ControlProtocol

/// Names that mostly differ by a number that counts up, `medication, context 233`: each is the
/// place of what stands before the number, and how far the number is from the last of those, where
/// that is not one.
struct NameColumn {
    private var texts: [String] = []
    private var places: [String: Int] = [:]
    private var prefixTexts: [String] = []
    private var last: [Int: Int64] = [:]

    /// Appends `name`.
    mutating func append(_ name: String) {
        let (prefix, number) = Self.split(name)
        let place = places[prefix] ?? prefixTexts.count
        if place == prefixTexts.count {
            prefixTexts.append(prefix)
            places[prefix] = place
        }
        let step = number.map { $0 - last[place, default: 0] }
        last[place] = number ?? last[place]
        let digits = step.map { String($0, radix: 36) } ?? ""
        texts.append(String(place, radix: 36) + (step == 1 ? "" : ":\(digits)"))
    }

    /// The text before numbers.
    var prefixes: JSONValue { .array(prefixTexts.map { .string($0) }) }

    /// The names, in order.
    var column: JSONValue { Self.joined(texts) }

    /// A column of `texts`; none of them has a comma.
    static func joined(_ texts: [String]) -> JSONValue {
        .string(texts.joined(separator: ","))
    }

    private static func split(_ name: String) -> (prefix: String, number: Int64?) {
        guard let space = name.lastIndex(of: " ") else { return (name, nil) }
        let digits = name[name.index(after: space)...]
        guard let number = Int64(digits), number >= 0, String(number) == digits else {
            return (name, nil)
        }
        return (String(name[...space]), number)
    }
}
