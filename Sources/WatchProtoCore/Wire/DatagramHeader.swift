/// The bytes in front of a packet in a datagram.
///
/// ```text
/// kind (3 bits) | 4-byte number (1) | key phase (1) | zero (3)
/// [connection ID: 4 bytes]  transport and early packets on carriers that can lose
/// [number: 2 or 4 bytes]    transport and early packets on carriers that can lose
/// ```
/// The connection ID of a transport packet is the receiver's. That of an early packet is its
/// sender's, as message 1 names it. The number is cut to its low bytes (RFC 9000, A.2 and A.3).
package struct DatagramHeader: Hashable, Sendable {
    /// The kind of the packet.
    package var kind: PacketKind
    /// Which of two alternating keys sealed the packet (RFC 9001, section 6).
    package var keyPhase: Bool
    /// Names the session; nil where the number is implied.
    package var connectionID: ConnectionID?
    /// The packet number; its low bytes after reading, until ``number(near:)`` completes it.
    package var number: UInt64
    /// 0, 2 or 4.
    package var numberBytes: Int

    /// Bytes of the longest header.
    package static let largestBytes = 1 + ConnectionID.byteCount + 4

    /// The header of a packet without a number.
    package init(unnumbered kind: PacketKind) {
        self.kind = kind
        keyPhase = false
        connectionID = nil
        number = 0
        numberBytes = 0
    }

    /// The header of packet `number`; `largestAcknowledged` is the largest the receiver confirmed.
    /// With `isLong` the number has four bytes in any case.
    package init(
        kind: PacketKind, connectionID: ConnectionID, number: UInt64,
        largestAcknowledged: UInt64?, keyPhase: Bool = false, isLong: Bool = false
    ) {
        self.kind = kind
        self.connectionID = connectionID
        self.number = number
        self.keyPhase = keyPhase
        // Half of what the bytes can tell apart must exceed the packets in flight: a late packet
        // would be taken for a later one. One byte never suffices.
        let acknowledged = largestAcknowledged.map { min($0, number) }
        let span = acknowledged.map { number - $0 } ?? number + 1
        numberBytes = span < 1 << 14 && !isLong ? 2 : 4
    }

    /// Reads a header whose number is cut to its low bytes. On a carrier that cannot lose
    /// (`isLossy` false) every packet is unnumbered. The packet's author is at fault for every
    /// error.
    package static func read(
        _ reader: inout WireReader, isLossy: Bool
    ) throws(WireError) -> DatagramHeader {
        let first = try reader.byte("packet header")
        guard first & 0xE0 == 0, let kind = PacketKind(rawValue: first & 0x07) else {
            throw WireError(.unknownCode, at: 0, expected: "packet header", found: UInt64(first))
        }
        var header = DatagramHeader(unnumbered: kind)
        guard kind.isNumbered, isLossy else {
            guard first & 0x18 == 0 else {
                throw WireError(
                    .notCanonical, at: 0, expected: "unnumbered packet", found: UInt64(first))
            }
            return header
        }
        header.numberBytes = first & 0x08 == 0 ? 2 : 4
        header.keyPhase = first & 0x10 != 0
        header.connectionID = try .read(&reader)
        header.number = try reader.fixed(header.numberBytes, "packet number")
        return header
    }

    /// Appends the header, the number cut to its low ``numberBytes`` bytes.
    package func write(to writer: inout WireWriter) {
        writer.byte(kind.rawValue | (numberBytes == 4 ? 0x08 : 0) | (keyPhase ? 0x10 : 0))
        guard let connectionID else { return }
        connectionID.write(to: &writer)
        writer.fixed(number, count: numberBytes)
    }

    /// The whole number, given the largest received so far.
    package func number(near largest: UInt64?) -> UInt64 {
        let window: UInt64 = 1 << UInt64(8 * numberBytes)
        let expected = largest.map { $0 &+ 1 } ?? 0
        let candidate = expected & ~(window - 1) | number
        let half = window / 2
        if candidate &+ half <= expected, candidate < .max - window { return candidate + window }
        if candidate > expected &+ half, candidate >= window { return candidate - window }
        return candidate
    }
}
