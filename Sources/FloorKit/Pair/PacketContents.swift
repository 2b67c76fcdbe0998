public import WatchProto

/// What of its sender's records a sealed packet carries: seen before it was sealed.
public struct PacketContents: Sendable {
    /// A record, or a part of one, as a packet names it.
    public struct Piece: Hashable, Sendable {
        /// The lane of the record.
        public var lane: Lane
        /// The place of its epoch in its sender's greeting.
        public var epochIndex: Int
        /// Its number.
        public var number: UInt64
        /// Where the part begins; 0 for a whole record.
        public var offset: Int
        /// Bytes of the record in it; nil for all there are, however they are written.
        public var partBytes: Int?
        /// Bytes that it takes in the packet, with what stands in front of them.
        public var frameBytes: Int
    }

    /// All of them, in order.
    public var pieces: [Piece] = []

    /// Whether it carries a piece of a record of `lane`.
    public func has(_ lane: Lane) -> Bool { pieces.contains { $0.lane == lane } }

    /// Reads the frames at `start` and behind it.
    init(frames packet: [UInt8], from start: Int) {
        let limits = Limits()
        var reader = WireReader(packet.span.extracting(start..<packet.count))
        var begin = reader.offset
        while reader.peek != nil, let frame = try? Frame.read(&reader, limits: limits) {
            let bytes = reader.offset - begin
            begin = reader.offset
            switch frame {
            case .record(let record):
                pieces.append(
                    Piece(
                        lane: record.head.lane, epochIndex: record.head.address.epochIndex,
                        number: record.head.address.number, offset: 0, frameBytes: bytes))
            case .part(let part):
                pieces.append(
                    Piece(
                        lane: part.lane, epochIndex: part.address.epochIndex,
                        number: part.address.number, offset: part.offset,
                        partBytes: part.bytes.count, frameBytes: bytes))
            default: break
            }
        }
    }
}

/// What one side's peer has sealed and not yet sent.
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

    /// What is in a packet that leaves; nil for one that was not sealed.
    func take(_ packet: [UInt8]) -> PacketContents? {
        let tag = packet.suffix(Self.tagBytes)
        guard let place = sealed.firstIndex(where: { $0.tag.elementsEqual(tag) }) else {
            return nil
        }
        return sealed.remove(at: place).contents
    }
}
