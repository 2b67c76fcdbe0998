public import WatchProtoCore

/// Identities in logs. None of them says anything about a person.
extension RecordID: CustomStringConvertible {
    /// Number, channel and epoch, as in `7 background 26ff3ac0d1e2b3a4`.
    public var description: String { "\(number.rawValue) \(channel) \(epoch)" }
}

extension EpochID: CustomStringConvertible {
    /// Sixteen hexadecimal digits.
    public var description: String { Hexadecimal.text(UInt128(rawValue), digits: 16) }
}

extension PairingID: CustomStringConvertible {
    /// Thirty-two hexadecimal digits.
    public var description: String { Hexadecimal.text(rawValue, digits: 32) }
}

extension RecordKey: CustomStringConvertible {
    /// Thirty-two hexadecimal digits.
    public var description: String { Hexadecimal.text(rawValue, digits: 32) }
}

/// Numbers of a fixed length in base 16.
private enum Hexadecimal {
    static func text(_ value: UInt128, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
