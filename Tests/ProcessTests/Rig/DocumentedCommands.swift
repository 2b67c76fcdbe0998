import CommandLine
import Foundation
import ReferenceDevice
import WatchProtoCore

@testable import Rig

/// A command line that a document shows, or the help.
struct DocumentedCommand: Sendable, CustomStringConvertible {
    /// The document and the line.
    var place: String
    /// As it stands there, up to a pipe, a redirection or a remark.
    var text: String
    /// Whether it is a line of its own, to be typed as it stands.
    var isWhole: Bool

    var description: String { "\(place): \(text)" }

    /// The words, without the remark and what follows a pipe. `./run` is rig, with its main job
    /// where no verb is named.
    var words: [String] {
        // A shell reads the output of the command inside `source <(…)`.
        let inner = text.firstMatch(of: #/^source <\((.*?)\)/#).map { String($0.output.1) }
        var words = Self.split(inner ?? text).filter { $0 != "…" }
        if words.first == "sudo" { words.removeFirst() }
        if words.first == "./run" {
            words[0] = "rig"
            if words.count == 1 || words[1].hasPrefix("-") { words.insert("demo", at: 1) }
        }
        return words
    }

    /// The fault of the command; nil when there is none. A command that is not whole may lack
    /// anything.
    var complaint: String? {
        let words = words
        let tail = Array(words.dropFirst())
        switch words.first {
        case "rig": return Self.complaint(about: tail, Rig.Program().root, isWhole)
        case "PhoneSim":
            return Self.complaint(about: tail, SimulatorOptions.program(of: .phone), isWhole)
        case "WatchSim":
            return Self.complaint(about: tail, SimulatorOptions.program(of: .watch), isWhole)
        case let name? where name.hasPrefix("Examples/"):
            let path = "\(Self.root)/\(name)"
            guard FileManager.default.fileExists(atPath: path) else { return "there is no \(name)" }
            let isRunnable = !isWhole || FileManager.default.isExecutableFile(atPath: path)
            return isRunnable ? nil : "\(name) cannot be executed"
        case "./test", "python3":
            let files = words.filter { $0.hasPrefix("./") || $0.hasPrefix("Examples/") }
            let missing = files.first { name in
                !FileManager.default.fileExists(atPath: "\(Self.root)/\(name)")
            }
            return missing.map { "there is no \($0)" }
        default: return "no program of the package"
        }
    }

    private static func complaint(
        about words: [String], _ program: Verb, _ isWhole: Bool
    ) -> String? {
        do {
            _ = try program.parse(words)
            return nil
        } catch {
            let faults = error.faults.map(\.message).filter { message in
                // Capitals stand for a value.
                isWhole
                    || !message.hasPrefix("Missing") && message != "A verb is needed."
                        && !message.contains(#/^The value '[A-Z.]+' is invalid/#)
            }
            return faults.isEmpty ? nil : faults.joined(separator: " ")
        }
    }

    /// The package.
    static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        .dropLast(4).joined(separator: "/")

    /// Words as a shell splits them, up to a pipe, a redirection, a remark or an `&`.
    static func split(_ text: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + "\(character)" }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                words += [word].compactMap { $0 }
                word = nil
            } else if word == nil, "#|<>&;".contains(character) {
                break
            } else {
                word = (word ?? "") + "\(character)"
            }
        }
        return words + [word].compactMap { $0 }
    }
}

extension DocumentedCommand {
    private static let starts = [
        "rig ", "./run", "./test", "PhoneSim ", "WatchSim ", "python3 ", "source <(", "Examples/",
    ]
    /// The beginnings of commands that stand in a sentence.
    private static let spanStarts = [
        "rig ", "./run ", "PhoneSim ", "WatchSim ", "python3 Examples/", "Examples/python/",
    ]

    /// The commands of a line, which stand between its `&&`.
    private static func parts(of line: String) -> [String] {
        line.split(separator: " && ").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The commands of a document: lines of code blocks, and what stands in code within a sentence.
    static func all(in text: String, named name: String) -> [DocumentedCommand] {
        var found: [DocumentedCommand] = []
        var isFenced = false
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let place = "\(name):\(number + 1)"
            let plain = line.trimmingCharacters(in: .whitespaces)
            if plain.hasPrefix("```") {
                isFenced.toggle()
            } else if isFenced || line.hasPrefix("    ") {
                // The title of a report, a diagram and a synopsis are no commands.
                let isOther =
                    plain.contains(#/ rig \d+\.\d+\.\d+$/#) || plain.contains(" (process)")
                    || plain.contains(" [--")
                for part in parts(of: plain) where !isOther {
                    guard starts.contains(where: part.hasPrefix) else { continue }
                    let isWhole = !part.contains("…")
                    found.append(DocumentedCommand(place: place, text: part, isWhole: isWhole))
                }
            } else {
                for span in line.matches(of: #/`([^`]+)`/#).map({ String($0.output.1) })
                where spanStarts.contains(where: span.hasPrefix) {
                    found.append(DocumentedCommand(place: place, text: span, isWhole: false))
                }
            }
        }
        return found
    }

    /// Those of the README and of all articles.
    static let documented: [DocumentedCommand] = {
        let articles = ["Sources", "Tools"].flatMap { folder in
            let all = FileManager.default.enumerator(atPath: "\(root)/\(folder)")?.allObjects ?? []
            return all.compactMap { $0 as? String }.filter { $0.hasSuffix(".md") }.sorted()
                .map { "\(folder)/\($0)" }
        }
        return (["README.md"] + articles).flatMap { name in
            let text = (try? String(contentsOfFile: "\(root)/\(name)", encoding: .utf8)) ?? ""
            return all(in: text, named: name)
        }
    }()

    /// The commands that the help shows as examples, with the verbs that have none.
    static let examples: (commands: [DocumentedCommand], lacking: [String]) = {
        var commands: [DocumentedCommand] = []
        var lacking: [String] = []
        func walk(_ verb: Verb, _ above: [String]) {
            let path = (above + [verb.name]).joined(separator: " ")
            if verb.examples.isEmpty { lacking.append(path) }
            for example in verb.examples {
                commands.append(
                    DocumentedCommand(
                        place: "\(path) --help", text: example.command, isWhole: true))
            }
            for below in verb.verbs { walk(below, above + [verb.name]) }
        }
        walk(Rig.Program().root, [])
        for role in DeviceRole.allCases { walk(SimulatorOptions.program(of: role), []) }
        return (commands, lacking)
    }()
}
