/// Packets on a byte stream: a variable-length number, `length × 8 + kind`, then `length` bytes.
/// The packet number is implied by the order.
package struct StreamFraming: Sendable {
    /// The bytes of a packet whose end has not arrived.
    private var partial: [UInt8] = []
    /// The longest packet, in bytes. It is small until a packet has authenticated.
    package var limitBytes: Int

    /// Refuses packets of more than `limitBytes`.
    package init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    /// Bytes stored until their packet is whole.
    package var partialBytes: Int { partial.count }

    /// The prefix that announces `length` bytes of a packet of `kind`.
    package static func prefix(of kind: PacketKind, length: Int) -> [UInt8] {
        var writer = WireWriter()
        writer.varint(UInt64(length) << 3 | UInt64(kind.rawValue))
        return writer.bytes
    }

    /// The kind and position of the next packet in a chunk.
    package struct Found: Hashable, Sendable {
        /// The kind of the packet, as its prefix says.
        package var kind: PacketKind
        /// The range of the packet's bytes in the chunk, without the prefix.
        package var body: Range<Int>
    }

    /// Finds the packet that begins at `start` of `bytes`; nil when its end is not there yet.
    /// Throws when its length is over the limit or badly written: the counterpart is at fault, and
    /// nobody can say where the next packet begins.
    package func find(in bytes: Span<UInt8>, from start: Int) throws(WireError) -> Found? {
        var reader = WireReader(bytes.extracting(start..<bytes.count))
        let prefix: UInt64
        do throws(WireError) {
            prefix = try reader.varint("packet length")
        } catch {
            // A length of five bytes or more is over every limit, whatever follows.
            if error.rule == .truncated, bytes.count - start < 5 { return nil }
            throw error
        }
        let length = prefix >> 3
        guard length <= UInt64(limitBytes) else {
            throw WireError(.outOfRange, at: 0, expected: "packet length", found: length)
        }
        guard reader.remaining >= Int(length),
            let kind = PacketKind(rawValue: UInt8(prefix & 0x07))
        else { return nil }
        let first = start + reader.offset
        return Found(kind: kind, body: first..<first + Int(length))
    }

    /// Joins a chunk to what is stored, and hands over the whole for ``find(in:from:)``.
    package mutating func take(_ chunk: Span<UInt8>) -> [UInt8] {
        var whole: [UInt8] = []
        swap(&whole, &partial)
        whole.append(addingCapacity: chunk.count) { output in
            for index in chunk.indices { output.append(chunk[index]) }
        }
        return whole
    }

    /// Stores what lies after the last whole packet.
    package mutating func keep(_ rest: Span<UInt8>) {
        partial = [UInt8](copying: rest)
    }
}
