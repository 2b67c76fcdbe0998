/// Base 64 (RFC 4648, section 4), decoded strictly: one text for each byte string.
package enum Base64 {
    /// Why a text is not base 64. The author of the text is at fault.
    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The count of characters is not a multiple of four.
        case length(Int)
        /// The byte at this offset is outside the alphabet, or padding is before the end.
        case character(offset: Int)
        /// The last character has bits that belong to no byte.
        case trailingBits

        /// A clause that follows a colon.
        package var description: String {
            switch self {
            case .length(let count): "\(count) characters are no multiple of four"
            case .character(let offset): "what stands at \(offset) is none of its characters"
            case .trailingBits: "its last character carries bits that belong to no byte"
            }
        }
    }

    /// The text of `bytes`, padded, without line breaks.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = bytes.startIndex
        func next() -> UInt32? {
            guard index != bytes.endIndex else { return nil }
            defer { index = bytes.index(after: index) }
            return UInt32(bytes[index])
        }
        while let first = next() {
            let second = next()
            let third = next()
            let group = first << 16 | (second ?? 0) << 8 | (third ?? 0)
            text.append(alphabet[Int(group >> 18)])
            text.append(alphabet[Int(group >> 12 & 63)])
            text.append(second == nil ? padding : alphabet[Int(group >> 6 & 63)])
            text.append(third == nil ? padding : alphabet[Int(group & 63)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of `text`: padding is required, and white space, other alphabets and stray bits
    /// are refused.
    package static func decode(_ text: String) throws(Failure) -> [UInt8] {
        let text = Array(text.utf8)
        guard text.count % 4 == 0 else { throw .length(text.count) }
        guard text.count > 0 else { return [] }
        let padded = text[text.count - 1] == padding ? (text[text.count - 2] == padding ? 2 : 1) : 0
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var group: UInt32 = 0
        for offset in 0..<(text.count - padded) {
            guard let digit = value(of: text[offset]) else { throw .character(offset: offset) }
            group = group << 6 | digit
            if offset % 4 == 3 {
                bytes.append(UInt8(truncatingIfNeeded: group >> 16))
                bytes.append(UInt8(truncatingIfNeeded: group >> 8))
                bytes.append(UInt8(truncatingIfNeeded: group))
                group = 0
            }
        }
        if padded == 1 {
            guard group & 0b11 == 0 else { throw .trailingBits }
            bytes.append(UInt8(truncatingIfNeeded: group >> 10))
            bytes.append(UInt8(truncatingIfNeeded: group >> 2))
        } else if padded == 2 {
            guard group & 0b1111 == 0 else { throw .trailingBits }
            bytes.append(UInt8(truncatingIfNeeded: group >> 4))
        }
        return bytes
    }

    private static let padding = UInt8(ascii: "=")
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
