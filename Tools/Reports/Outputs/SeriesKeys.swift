extension Report {
    /// A word for each of ``latencies``, in their order, no two alike, of the characters that a tag
    /// and the name of a metric may hold: `a` to `z`, digits and underscores. `sync, durable` is
    /// `sync_durable`.
    var seriesKeys: [String] {
        var taken: Set<String> = []
        return latencies.map { series in
            let word = Self.key(for: series.name)
            var key = word
            var number = 2
            while !taken.insert(key).inserted {
                key = "\(word)_\(number)"
                number += 1
            }
            return key
        }
    }

    private static func key(for name: String) -> String {
        let words = name.lowercased().utf8.split { byte in
            !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        let key = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_")
        return key.isEmpty ? "series" : key
    }
}

extension String {
    /// On one line: control characters, line breaks among them, are spaces.
    var onOneLine: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    let isControl = scalar.properties.generalCategory == .control
                    let isBreak = scalar.value == 0x2028 || scalar.value == 0x2029
                    return isControl || isBreak ? " " : scalar
                }))
    }
}
