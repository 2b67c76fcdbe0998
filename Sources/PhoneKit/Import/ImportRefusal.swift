public import ControlKit

/// A file that was not imported, with everything that is wrong with it. Whoever wrote the file is
/// at fault; nothing was changed.
public struct ImportRefusal: Error, Hashable, Sendable {
    /// The file as its user named it.
    public var file: String
    /// The faults, in the order of their places; never empty.
    public var errors: [JSONError]

    /// Makes the refusal.
    public init(file: String, errors: [JSONError]) {
        self.file = file
        self.errors = errors.sorted { $0.position < $1.position }
    }
}

extension ImportRefusal: CustomStringConvertible {
    /// A line for each fault, `list.json:7:15: expected …, found …`, then how many there are.
    public var description: String {
        let lines = errors.map { $0.description(file: file) }
        return (lines + [summary]).joined(separator: "\n")
    }

    /// ``description`` with the faulty line of `source` under each fault and a mark below it.
    public func description(source: [UInt8]) -> String {
        let lines = errors.flatMap { error in
            [error.description(file: file)] + Self.excerpt(of: source, at: error)
        }
        return (lines + [summary]).joined(separator: "\n")
    }

    private var summary: String {
        "\(errors.count) \(errors.count == 1 ? "error" : "errors") in 1 file; nothing was imported."
    }

    /// The line of the fault and its mark; of long lines the part around it.
    private static func excerpt(of source: [UInt8], at error: JSONError) -> [String] {
        let offset = min(error.position.byteOffset, source.count)
        let start = source[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let end = source[offset...].firstIndex(of: 0x0A) ?? source.count
        let line = String(decoding: source[start..<end], as: UTF8.self)
        let column = error.position.column - 1
        let first = max(0, column - 60)
        let scalars = line.unicodeScalars.dropFirst(first).prefix(90).map { scalar in
            scalar.properties.generalCategory == .control ? " " : scalar
        }
        let shown = String(String.UnicodeScalarView(scalars))
        let number = "  \(error.position.line) | "
        let width = max(1, min(error.byteCount, scalars.count - (column - first)))
        let margin = String(repeating: " ", count: number.utf8.count + column - first)
        return [number + shown, margin + String(repeating: "^", count: width)]
    }
}
