extension LinkAddress {
    /// The bytes that a Unix socket's path may have: `sun_path` holds 108 with the NUL.
    package static var pathLimitBytes: Int { 107 }

    /// The suffix of the path on the connecting side of a datagram pair.
    package static var datagramPeerSuffix: String { ".peer" }

    /// Reads an address as `--link` takes it.
    ///
    /// - Throws: ``LinkAddressError``, with what was expected.
    package init(_ text: String) throws(LinkAddressError) {
        if text == "stdio" {
            self = .standardIO
            return
        }
        guard let colon = text.firstIndex(of: ":") else {
            throw Self.schemes.contains(text)
                ? .missingValue(scheme: text) : .missingScheme(found: text)
        }
        let scheme = String(text[..<colon])
        let value = String(text[text.index(after: colon)...])
        guard Self.schemes.contains(scheme) else {
            throw .unknownScheme(scheme, didYouMean: Self.nearest(to: scheme))
        }
        if scheme == "stdio" { throw .unexpectedValue(scheme: scheme, found: value) }
        if value.isEmpty { throw .missingValue(scheme: scheme) }
        if value.utf8.contains(0) { throw .embeddedNUL(scheme: scheme) }
        switch scheme {
        case "unix": self = .unixStream(path: try Self.path(value, reserve: 0))
        case "unix-seqpacket": self = .unixSeqpacket(path: try Self.path(value, reserve: 0))
        case "unix-datagram":
            self = .unixDatagram(
                path: try Self.path(value, reserve: Self.datagramPeerSuffix.utf8.count))
        case "udp": self = .udp(try UDPEndpoint(value))
        case "fd": self = try Self.descriptors(value)
        default: self = .command(try Self.words(value))
        }
    }

    static let schemes = [
        "unix", "unix-seqpacket", "unix-datagram", "udp", "fd", "stdio", "exec",
    ]

    private static func path(_ value: String, reserve: Int) throws(LinkAddressError) -> String {
        let limit = pathLimitBytes - reserve
        guard value.utf8.count <= limit else {
            throw .pathTooLong(path: value, bytes: value.utf8.count, limitBytes: limit)
        }
        return value
    }

    private static func descriptors(_ value: String) throws(LinkAddressError) -> LinkAddress {
        let parts = value.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let read = Int32(parts[0]), let write = Int32(parts[1]), read >= 0,
            write >= 0
        else { throw .badDescriptors(found: value) }
        return .descriptors(read: read, write: write)
    }

    /// Splits at spaces. Quotes ('…' and "…") keep spaces, and a backslash keeps the next
    /// character.
    private static func words(_ value: String) throws(LinkAddressError) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in value {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if quote == nil, character == " " {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if quote != nil || isEscaped { throw .unfinishedQuote(found: value) }
        if let done = word { words.append(done) }
        if words.isEmpty { throw .missingValue(scheme: "exec") }
        return words
    }

    /// The known scheme with the fewest edits, if at most two, and fewer than half of its letters.
    private static func nearest(to scheme: String) -> String? {
        schemes.map { ($0, distance(Array(scheme.utf8), Array($0.utf8))) }
            .filter { $0.1 <= 2 && 2 * $0.1 < max(scheme.utf8.count, $0.0.utf8.count) }.min {
                $0.1 < $1.1
            }?.0
    }

    /// The number of insertions, deletions and substitutions between the two (Levenshtein).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        if left.count > 32 { return left.count }
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let substituted = diagonal + (a == b ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, diagonal + 1, row[j] + 1)
            }
        }
        return row[right.count]
    }
}

extension LinkAddress: CustomStringConvertible {
    /// The text as written after `--link`.
    package var description: String {
        switch self {
        case .unixStream(let path): "unix:\(path)"
        case .unixSeqpacket(let path): "unix-seqpacket:\(path)"
        case .unixDatagram(let path): "unix-datagram:\(path)"
        case .udp(let endpoint): "udp:\(endpoint)"
        case .descriptors(let read, let write): "fd:\(read),\(write)"
        case .standardIO: "stdio"
        case .command(let words):
            "exec:"
                + words.map { word in
                    word.isEmpty || word.contains { " '\"\\".contains($0) }
                        ? "\""
                            + word.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
                            + "\"" : word
                }.joined(separator: " ")
        }
    }
}
