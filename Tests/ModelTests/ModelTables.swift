import Foundation
import Testing

/// A row of `verified.txt`: a configuration in which no invariant breaks.
struct Configuration: CustomTestStringConvertible {
    var model: String
    var engine: String
    var states: Int
    var isQuick: Bool
    var flags: [String]

    var testDescription: String { ([model] + flags).joined(separator: " ") }

    static let all: [Configuration] = ModelTable.rows("verified.txt").compactMap { words, _ in
        guard words.count > 4, let states = Int(words[2]) else { return nil }
        return Configuration(
            model: words[0], engine: words[1], states: states, isQuick: words[3] == "quick",
            flags: Array(words[4...]))
    }
}

/// A row of `mutants.txt`: a planted mistake, and what finds it.
struct PlantedMistake: CustomTestStringConvertible {
    var model: String
    var name: String
    /// No invariant breaks without the rule: it is caution.
    var isCaution: Bool
    /// Of the counterexample; of the search, if the mistake is not found.
    var number: Int
    var isQuick: Bool
    var flags: [String]
    var finding: String

    var testDescription: String { ([model, name] + flags).joined(separator: " ") }

    static let all: [PlantedMistake] = ModelTable.rows("mutants.txt").compactMap { words, finding in
        guard words.count > 5, let number = Int(words[3]) else { return nil }
        return PlantedMistake(
            model: words[0], name: words[1], isCaution: words[2] == "caution", number: number,
            isQuick: words[4] == "quick", flags: Array(words[5...]), finding: finding)
    }
}

/// A row of `walks.txt`: random walks that keep every invariant.
struct Walks: CustomTestStringConvertible {
    var model: String
    var walks: Int
    var steps: Int
    var flags: [String]

    var testDescription: String { ([model] + flags).joined(separator: " ") }

    static let all: [Walks] = ModelTable.rows("walks.txt").compactMap { words, _ in
        guard words.count > 3, let walks = Int(words[1]), let steps = Int(words[2]) else {
            return nil
        }
        return Walks(model: words[0], walks: walks, steps: steps, flags: Array(words[3...]))
    }
}

/// A row of `limits.txt`: a history in which the design breaks an invariant, or does not any more.
struct Limit: CustomTestStringConvertible {
    var model: String
    /// The number that the model gives to the invariant; 0 if none is broken.
    var violation: Int
    var flags: [String]
    var path: [String]

    var testDescription: String { ([model] + flags).joined(separator: " ") }

    static let all: [Limit] = ModelTable.rows("limits.txt").compactMap { words, path in
        guard words.count > 2, let violation = Int(words[1]) else { return nil }
        return Limit(
            model: words[0], violation: violation, flags: Array(words[2...]),
            path: path.split(separator: " ").map(String.init))
    }
}

/// The tables of the models: words, and what stands behind a bar.
enum ModelTable {
    static func rows(_ name: String) -> [(words: [String], rest: String)] {
        let file = ModelTools.folder.appending(path: name)
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let halves = line.split(separator: "|", maxSplits: 1)
            let rest = halves.count > 1 ? halves[1].trimmingCharacters(in: .whitespaces) : ""
            return (halves[0].split(separator: " ").map(String.init), rest)
        }
    }
}
