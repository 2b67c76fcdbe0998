internal import WatchProtoCore

extension UDPEndpoint {
    /// Reads the text after `udp:`.
    ///
    /// - Throws: ``LinkAddressError``; the author of the text is at fault.
    init(_ text: String) throws(LinkAddressError) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts[0]
        guard let colon = place.lastIndex(of: ":"), place.last != "]" else {
            throw .badEndpoint(found: text)
        }
        let host = String(place[..<colon])
        let digits = place[place.index(after: colon)...]
        self.init(try Self.host(host, in: text), port: try Self.port(digits, in: text))
        guard parts.count > 1 else { return }
        var seen: [Substring] = []
        for option in parts[1].split(separator: "&", omittingEmptySubsequences: false) {
            let pair = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard !seen.contains(pair[0]) else {
                throw .badOption(found: String(option), expected: "each option once")
            }
            seen.append(pair[0])
            try take(pair[0], pair.count > 1 ? pair[1] : "", of: option)
        }
    }

    private mutating func take(
        _ name: Substring, _ value: Substring, of option: Substring
    ) throws(LinkAddressError) {
        switch name {
        case "datagram":
            let range = Self.smallestDatagramBytes...Self.largestDatagramBytes
            guard let bytes = Int(value), range.contains(bytes), value.allSatisfy(\.isNumber)
            else {
                throw .badOption(
                    found: String(option),
                    expected: "the largest packet in bytes, \(range.lowerBound) (Bluetooth Low "
                        + "Energy) to \(range.upperBound) (what UDP holds)")
            }
            datagramBytes = bytes
        case "interval":
            let digits = value.hasSuffix("ms") ? value.dropLast(2) : ""
            guard let milliseconds = Int64(digits), digits.allSatisfy(\.isNumber),
                .milliseconds(milliseconds) <= Self.longestInterval
            else {
                throw .badOption(
                    found: String(option),
                    expected: "how often the link gets to send, with its unit: 0ms to 4000ms")
            }
            sendInterval = .milliseconds(milliseconds)
        default:
            throw .badOption(
                found: String(option), expected: "'datagram=BYTES' or 'interval=TIME' behind '?'")
        }
    }

    private static func host(_ text: String, in whole: String) throws(LinkAddressError) -> Host {
        if text == "[::1]" { return .v6 }
        if text.isEmpty || text.hasPrefix("[") != text.hasSuffix("]") || text.contains(" ") {
            throw .badEndpoint(found: whole)
        }
        // Four numbers, and none of them octal to some readers and decimal to others.
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = numbers.compactMap { part in
            part.count > 1 && part.first == "0" || !part.allSatisfy(\.isNumber)
                ? nil : UInt8(part)
        }
        guard numbers.count == 4, bytes.count == 4, bytes[0] == 127 else {
            throw .notLoopback(found: text)
        }
        return .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
    }

    private static func port(
        _ digits: Substring, in whole: String
    ) throws(LinkAddressError) -> UInt16 {
        guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }) else {
            throw .badEndpoint(found: whole)
        }
        guard let port = UInt16(digits), ports.contains(port) else {
            throw .badPort(found: String(digits))
        }
        return port
    }
}
