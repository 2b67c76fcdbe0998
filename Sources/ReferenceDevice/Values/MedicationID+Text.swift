package import WatchProto

extension MedicationID {
    /// Reads a UUID in its usual form of 8-4-4-4-12 hexadecimal digits, with or without
    /// `urn:uuid:`; nil for anything else.
    package init?(uuid text: String) {
        var digits = Substring(text)
        if digits.hasPrefix("urn:uuid:") { digits = digits.dropFirst(9) }
        let groups = digits.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
            groups.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isHexDigit } }),
            let value = UInt128(groups.joined(), radix: 16)
        else { return nil }
        self.init(rawValue: value)
    }

    /// Makes the identity of something that has a name but no UUID: the same name gives the same
    /// identity on every import and every device.
    ///
    /// Two 64-bit FNV-1a fingerprints of the name's UTF-8, the second over the bytes `2` and the
    /// name, fill the 128 bits; then version 8 and variant 10 of RFC 9562 are set, so that no such
    /// identity equals a random UUID.
    package init(derivedFrom name: String) {
        let high = ContentHash.of(Array(name.utf8))
        let low = ContentHash.of([UInt8(ascii: "2")] + Array(name.utf8))
        let version = high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000
        let variant = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        self.init(rawValue: UInt128(version) << 64 | UInt128(variant))
    }

    /// The UUID in lower case.
    package var uuidText: String {
        let digits = String(rawValue, radix: 16)
        let all = Array(String(repeating: "0", count: 32 - digits.utf8.count) + digits)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(all[$0]) }
            .joined(separator: "-")
    }
}
