package import ControlProtocol
package import Foundation

/// Bytes as fixtures write them.
package enum Hex {
    /// The bytes as hexadecimal digits.
    package static func string(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
    }

    /// The bytes of `text`; nil when it is no even number of hexadecimal digits.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[index...index + 1], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}

/// The package's own fixtures.
package enum FixtureFiles {
    /// The package's folder.
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The lines of a tab-separated fixture, without comments and the empty ones.
    /// Throws when it cannot be read.
    package static func rows(_ path: String) throws -> [[String]] {
        let text = try String(
            contentsOf: root.appendingPathComponent("Fixtures/" + path), encoding: .utf8)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// The lines of a tab-separated fixture, written anew first with `lines` below `head` where
    /// that was asked for. Throws when it cannot be read or written.
    package static func rows(
        _ path: String, _ head: String, _ lines: [[String]]
    ) throws -> [[String]] {
        if isWriting {
            let text = ([head] + lines.map { $0.joined(separator: "\t") }).joined(separator: "\n")
            try (text + "\n").write(
                to: root.appendingPathComponent("Fixtures/" + path), atomically: true,
                encoding: .utf8)
        }
        return try rows(path)
    }

    /// Whether fixtures, and generated tables of articles, are written anew.
    package static var isWriting: Bool {
        ProcessInfo.processInfo.environment["WATCHPROTO_WRITE_FIXTURES"] != nil
    }

    /// The vectors of a fixture below `wire`, written anew first where that was asked for.
    /// Throws when it cannot be read or written.
    package static func vectors(_ path: String, _ lines: [JSONValue]) throws -> [JSONValue] {
        let file = root.appendingPathComponent("Fixtures/wire/" + path)
        if isWriting {
            let text = lines.map { JSONWriter.text($0) }.joined(separator: ",\n")
            try ("[\n" + text + "\n]\n").write(to: file, atomically: true, encoding: .utf8)
        }
        return try JSONParser.parse([UInt8](Data(contentsOf: file))).value.array ?? []
    }
}
