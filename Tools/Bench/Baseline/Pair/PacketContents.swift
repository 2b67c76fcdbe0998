package import WatchProtoCore

/// The records that a sealed packet carries, read before it was sealed.
package struct PacketContents: Sendable {
    /// A record, or a fragment of one, as a packet names it.
    package struct Piece: Hashable, Sendable {
        /// The channel of the record.
        package var channel: Channel
        /// The place of its epoch in its sender's hello.
        package var epochIndex: Int
        /// Its number.
        package var number: UInt64
        /// The offset of the fragment; 0 for a whole record.
        package var offset: Int
        /// Bytes of the fragment; nil for a whole record, however it is written.
        package var partBytes: Int?
        /// Bytes that it takes in the packet, with what stands in front of them.
        package var frameBytes: Int
    }

    /// All of them, in order.
    package internal(set) var pieces: [Piece] = []

    /// Whether it carries a piece of a record of `channel`.
    package func has(_ channel: Channel) -> Bool { pieces.contains { $0.channel == channel } }
}

/// The contents of packets that one side's peer has sealed and not yet sent.
///
/// A pair runs on one thread at a time, and nothing else holds its notes.
final class SealedNotes: @unchecked Sendable {
    private var padded: PacketContents?
    private var sealed: [(tag: ArraySlice<UInt8>, contents: PacketContents)] = []
    private static let tagBytes = 16
    /// More never wait: the peer sends what it sealed.
    private static let limit = 128

    func notePadded(_ frames: [UInt8], from start: Int) {
        padded = PacketContents(frames: frames, from: start)
    }

    func noteSealed(_ packet: [UInt8]) {
        guard let contents = padded else { return }
        padded = nil
        if sealed.count >= Self.limit { sealed.removeFirst() }
        sealed.append((packet.suffix(Self.tagBytes), contents))
    }

    /// Removes and returns the contents of a packet that leaves; nil for one that was not sealed.
    func take(_ packet: [UInt8]) -> PacketContents? {
        let tag = packet.suffix(Self.tagBytes)
        guard let place = sealed.firstIndex(where: { $0.tag.elementsEqual(tag) }) else {
            return nil
        }
        return sealed.remove(at: place).contents
    }
}
