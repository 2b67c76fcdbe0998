public import WatchProtoCore

/// Identities in logs. None of them says anything about a person.
extension RecordID: LosslessStringConvertible {
    /// Number, channel and epoch, as in `7 background 26ff3ac0d1e2b3a4`.
    public var description: String { "\(number.rawValue) \(channel) \(epoch)" }

    /// Reads a description; nil for another text.
    public init?(_ description: String) {
        let parts = description.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, let number = UInt64(parts[0]),
            let channel = Channel.allCases.first(where: { "\($0)" == parts[1] }),
            let epoch = UInt64(parts[2], radix: 16)
        else { return nil }
        self.init(
            epoch: EpochID(rawValue: epoch), channel: channel, number: RecordNumber(number))
        guard self.description == description else { return nil }
    }
}

extension EpochID: CustomStringConvertible {
    /// Sixteen hexadecimal digits.
    package var description: String { Hexadecimal.text(UInt128(rawValue), digits: 16) }
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
