import ControlProtocol

/// The facts of a page about link, host and versions: the members of `host` as in `results.json`,
/// but with units.
enum HTMLFacts {
    /// The rows of a list of definitions, a line each.
    static func rows(of report: Report) -> String {
        var facts: [(name: String, text: String)] = [
            ("rig", report.version), ("link", report.link),
        ]
        if let seed = report.seed { facts.insert(("seed", "\(seed)"), at: 1) }
        for member in report.host.members { facts += flat(member.name, member.value) }
        return facts.map { name, text in
            "<dt>\(HTMLText.escaped(name))</dt><dd>\(HTMLText.escaped(text))</dd>\n"
        }.joined()
    }

    /// The members of objects below `name`, one a line: `network conditions up delay`.
    private static func flat(_ name: String, _ value: JSONValue) -> [(String, String)] {
        guard case .object(let object) = value else {
            return value == .null ? [] : [fact(name, value)]
        }
        return object.members.flatMap { flat("\(name) \($0.name)", $0.value) }
    }

    /// The unit at the end of a name goes to the number: `delay_ns` 250000000 is `delay` 250 ms.
    /// Numbers of network conditions without a unit are chances, from 0 to 1.
    private static func fact(_ name: String, _ value: JSONValue) -> (String, String) {
        if let count = value.unsigned {
            for (ending, text) in units where name.hasSuffix(ending) {
                return (String(name.dropLast(ending.utf8.count)), text(count))
            }
        }
        if name.hasPrefix("conditions "), let share = value.number {
            return (name, "\(Decimals.shortest(share * 100, decimals: 4)) %")
        }
        return (name, words(value))
    }

    private static let units: [(ending: String, text: @Sendable (UInt64) -> String)] = [
        ("_ns", { Duration.nanoseconds(Int64(clamping: $0)).meaning }),
        ("_bits_per_s", { BitRate(bitsPerSecond: $0).meaning }),
        ("_bytes", { "\($0) B" }), ("_packets", { "\($0) \($0 == 1 ? "packet" : "packets")" }),
    ]

    private static func words(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .bool(let flag): flag ? "yes" : "no"
        default: JSONWriter.text(value)
        }
    }
}
