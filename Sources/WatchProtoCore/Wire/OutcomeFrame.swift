/// Statement of a receiver: these records of an ordered channel ended without being applied, or how
/// they ended is no longer known.
///
/// ```text
/// 0x31 · channel · epoch index · number · further numbers · code · [rejection code: 2 bytes]
/// ```
/// Codes: 1 skipped, 2 cancelled, 3 expired, 4 rejected, 5 unknown.
public struct OutcomeFrame: Hashable, Sendable {
    /// The way in which the records ended.
    public enum Word: Hashable, Sendable {
        /// The sender had settled the record before it sent a later one.
        case skipped
        /// The sender cancelled it before its turn.
        case cancelled
        /// Its time ran out before its turn.
        case expired
        /// The application refused it, or a bound of the receiver did.
        case rejected(code: UInt16)
        /// It is settled, and its outcome is not kept.
        case unknown
    }

    /// The ordered channel of the records.
    public var channel: Channel
    /// The place of the epoch in the hello of the sender of the records.
    public var epochIndex: Int
    /// The numbers of the records.
    public var numbers: ClosedRange<UInt64>
    /// The way in which the records ended.
    public var word: Word

    /// Makes the frame.
    public init(
        channel: Channel, epochIndex: Int, numbers: ClosedRange<UInt64>, word: Word
    ) {
        self.channel = channel
        self.epochIndex = epochIndex
        self.numbers = numbers
        self.word = word
    }

    /// Reads the frame behind its type byte. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> OutcomeFrame {
        let channel = try Channel.readOrdered(&reader)
        let address = try RecordAddress.read(&reader)
        let further = try reader.varint(
            "further records", atMost: RecordNumber.largest - address.number)
        let start = reader.offset
        let code = try reader.byte("outcome")
        let word: Word
        switch code {
        case 1: word = .skipped
        case 2: word = .cancelled
        case 3: word = .expired
        case 4: word = .rejected(code: try reader.uint16("rejection code"))
        case 5: word = .unknown
        default:
            throw WireError(
                .unknownCode, at: start, expected: "outcome 1 to 5", found: UInt64(code))
        }
        return OutcomeFrame(
            channel: channel, epochIndex: address.epochIndex,
            numbers: address.number...(address.number + further), word: word)
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.outcome.rawValue)
        writer.byte(channel.rawValue)
        RecordAddress(epochIndex: epochIndex, number: numbers.lowerBound).write(to: &writer)
        writer.varint(numbers.upperBound - numbers.lowerBound)
        switch word {
        case .skipped: writer.byte(1)
        case .cancelled: writer.byte(2)
        case .expired: writer.byte(3)
        case .rejected(let code):
            writer.byte(4)
            writer.uint16(code)
        case .unknown: writer.byte(5)
        }
    }
}

extension Channel {
    /// Reads the code of an ordered channel. Throws `unknownCode` for any other code.
    static func readOrdered(_ reader: inout WireReader) throws(WireError) -> Channel {
        let start = reader.offset
        let channel = try Channel.read(&reader)
        guard channel.traits.order == .ordered else {
            throw WireError(
                .unknownCode, at: start, expected: "ordered channel",
                found: UInt64(channel.rawValue))
        }
        return channel
    }
}
