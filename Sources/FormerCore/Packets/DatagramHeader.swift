/// The bytes in front of a packet in a datagram.
///
/// ```text
/// kind (2 bits) | number length code (2) | key phase (1) | zero (3)
/// [session hint: 2 bytes]   carriers that can lose, transport and early packets
/// [number: 1, 2 or 4 bytes] carriers that can lose, transport and early packets
/// ```
/// The hint is the low half of the *receiver's* session id, so that packets of an earlier session
/// are told apart without a key; of an early packet, of the sender's. In clear it is combined with
/// the high half of the sender's by exclusive or. The number is cut to its low bytes (RFC 9000, A.2
/// and A.3).
public struct DatagramHeader: Hashable, Sendable {
    /// What the packet is.
    public var kind: PacketKind
    /// Which of two alternating keys sealed the packet (the idea of RFC 9001, section 6).
    public var keyPhase: Bool
    /// Names the session of a transport packet, or the sender of an early one; 0 and not sent
    /// without a number.
    public var hint: UInt16
    /// The packet number; its low bytes after reading, until ``number(near:)`` completes it.
    public var number: UInt64
    /// 0, 1, 2 or 4.
    public var numberBytes: Int

    /// Bytes the longest header takes.
    public static let largestBytes = 7

    /// The header of a packet that needs no number.
    public init(unnumbered kind: PacketKind) {
        self.kind = kind
        keyPhase = false
        hint = 0
        number = 0
        numberBytes = 0
    }

    /// The header of packet `number`; `largestAcknowledged` is the last the receiver confirmed.
    public init(
        kind: PacketKind, hint: UInt16, number: UInt64, largestAcknowledged: UInt64?,
        keyPhase: Bool = false
    ) {
        self.kind = kind
        self.hint = hint
        self.number = number
        self.keyPhase = keyPhase
        // A packet may come after all that were sent behind it, so half of what the bytes can tell
        // apart must exceed the span in flight *and* the limit on packets in flight: one byte never
        // suffices (a late packet would be taken for one yet to come, and acknowledged as that).
        let span = largestAcknowledged.map { number - $0 } ?? number + 1
        numberBytes = span < 1 << 14 ? 2 : 4
    }

    /// Reads a header, its number still cut to its low bytes. The packet's author, or whatever
    /// damaged it, is at fault for every error.
    public static func read(_ reader: inout WireReader) throws(WireError) -> DatagramHeader {
        let first = try reader.byte("packet header")
        guard first & 0xE0 == 0, let kind = PacketKind(rawValue: first & 0x03) else {
            throw WireError(
                .unknownCode, at: 0, expected: "packet header", found: UInt64(first))
        }
        var header = DatagramHeader(unnumbered: kind)
        header.numberBytes = [0, 1, 2, 4][Int((first >> 2) & 0x03)]
        header.keyPhase = first & 0x10 != 0
        if header.numberBytes > 0 {
            guard kind == .transport || kind == .early else {
                throw WireError(
                    .notCanonical, at: 0, expected: "unnumbered packet", found: UInt64(first))
            }
            header.hint = try reader.uint16("session hint")
            header.number = try reader.fixed(header.numberBytes, "packet number")
        }
        return header
    }

    /// Appends the header, the number cut to its low ``numberBytes`` bytes.
    public func write(to writer: inout WireWriter) {
        let code: UInt8 = numberBytes == 4 ? 3 : UInt8(numberBytes)
        writer.byte(kind.rawValue | code << 2 | (keyPhase ? 0x10 : 0))
        guard numberBytes > 0 else { return }
        writer.uint16(hint)
        writer.fixed(number, count: numberBytes)
    }

    /// The whole number, given the largest received so far.
    public func number(near largest: UInt64?) -> UInt64 {
        let window: UInt64 = 1 << UInt64(8 * numberBytes)
        let expected = largest.map { $0 &+ 1 } ?? 0
        let candidate = expected & ~(window - 1) | number
        let half = window / 2
        if candidate &+ half <= expected, candidate < .max - window { return candidate + window }
        if candidate > expected &+ half, candidate >= window { return candidate - window }
        return candidate
    }
}
