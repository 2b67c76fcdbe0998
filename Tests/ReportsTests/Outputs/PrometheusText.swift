/// A strict reader of Prometheus' text format, version 0.0.4: what it does not expect is a fault.
struct PrometheusText {
    struct Sample: Hashable {
        var name: String
        var labels: [String: String]
        var value: Double
    }

    struct Fault: Error, CustomStringConvertible {
        var description: String
    }

    /// The type of each family, by its name.
    private(set) var types: [String: String] = [:]
    private(set) var samples: [Sample] = []
    private(set) var comments: [Substring] = []
    private var family: (name: String, type: String)?
    private var helped: String?

    init(_ text: String) throws {
        guard text.hasSuffix("\n"), !text.contains("\n\n") else {
            throw Fault(description: "lines")
        }
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            if line.hasPrefix("# HELP ") {
                guard words.count == 4, !words[3].isEmpty, helped == nil else {
                    throw Self.at(line)
                }
                helped = String(words[2])
            } else if line.hasPrefix("# TYPE ") {
                try begin(words, line)
            } else if line.hasPrefix("#") {
                comments.append(line)
            } else {
                try add(line)
            }
        }
        try checkHistograms()
    }

    /// The value of the only sample called `name` with at least `labels`.
    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        let found = samples.filter { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
        }
        return found.count == 1 ? found[0].value : nil
    }

    private static func at(_ line: Substring) -> Fault { Fault(description: String(line)) }

    private mutating func begin(_ words: [Substring], _ line: Substring) throws {
        let name = String(words[2])
        guard words.count == 4, helped == name, types[name] == nil,
            ["gauge", "counter", "histogram"].contains(words[3]),
            name.wholeMatch(of: #/[a-z][a-z0-9_]*/#) != nil
        else { throw Self.at(line) }
        helped = nil
        types[name] = String(words[3])
        family = (name, String(words[3]))
    }

    private mutating func add(_ line: Substring) throws {
        guard
            let match = line.wholeMatch(
                of: #/([a-z][a-z0-9_]*)\{((?:[^"}]|"(?:[^"\\]|\\[\\"n])*")*)\} (\S+)/#),
            let family, let value = Self.number(match.3)
        else { throw Self.at(line) }
        let name = String(match.1)
        var labels: [String: String] = [:]
        var rest = match.2
        while !rest.isEmpty {
            guard
                let pair = rest.prefixMatch(
                    of: #/([a-z_][a-z0-9_]*)="((?:[^"\\]|\\[\\"n])*)"(,|$)/#),
                labels.updateValue(Self.unescaped(pair.2), forKey: String(pair.1)) == nil
            else { throw Self.at(line) }
            rest = rest[pair.range.upperBound...]
            guard pair.3 != "," || !rest.isEmpty else { throw Self.at(line) }
        }
        let suffixes = family.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        let isBucket = name == family.name + "_bucket" && family.type == "histogram"
        guard suffixes.contains(where: { name == family.name + $0 }),
            (labels["le"] != nil) == isBucket
        else { throw Self.at(line) }
        let sample = Sample(name: name, labels: labels, value: value)
        guard !samples.contains(where: { $0.name == name && $0.labels == labels }) else {
            throw Self.at(line)
        }
        samples.append(sample)
    }

    /// Of each set of labels, buckets count up, their edges too, and the last holds everything.
    private func checkHistograms() throws {
        for (name, _) in types.filter({ $0.value == "histogram" }) {
            let buckets = samples.filter { $0.name == name + "_bucket" }
            let groups = Dictionary(grouping: buckets) { $0.labels.filter { $0.key != "le" } }
            guard !groups.isEmpty else { throw Fault(description: name) }
            for (labels, buckets) in groups { try check(buckets, of: name, labels) }
        }
    }

    private func check(_ buckets: [Sample], of name: String, _ labels: [String: String]) throws {
        func single(_ part: String) -> Double? {
            samples.first { $0.name == name + part && $0.labels == labels }?.value
        }
        let edges = buckets.compactMap { $0.labels["le"].flatMap { Self.number($0[...]) } }
        let counts = buckets.map(\.value)
        guard edges.count == buckets.count, edges == edges.sorted(), edges.last == .infinity,
            Set(edges).count == edges.count, counts == counts.sorted(),
            counts.last == single("_count"), single("_sum") != nil
        else { throw Fault(description: name) }
    }

    private static func number(_ text: Substring) -> Double? {
        text == "+Inf" ? .infinity : Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    private static func unescaped(_ text: Substring) -> String {
        var result = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                result.append(character == "n" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                result.append(character)
            }
        }
        return result
    }
}
