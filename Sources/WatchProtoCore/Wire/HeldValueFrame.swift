/// States the value that its sender holds of a key of the receiver, or a piece of it.
///
/// ```text
/// 0x3D · channel | 0x10 if a value is held · key: 16 bytes · version
/// · [kind · total length · offset · length · bytes]
/// ```
public struct HeldValueFrame: Hashable, Sendable {
    /// A piece of the value.
    public struct Piece: Hashable, Sendable {
        /// The kind of the value.
        public var kind: ContentKind
        /// Bytes of the whole value.
        public var totalBytes: Int
        /// The place of the first byte of this piece.
        public var offset: Int
        /// The bytes of this piece.
        public var bytes: [UInt8]
    }

    /// The channel and key.
    public var name: ValueName
    /// The highest version of the key that was given to the application; 0 where none was.
    public var version: UInt64
    /// A piece of the value; nil where none is held.
    public var piece: Piece?

    /// Bytes a frame takes beside its piece, at most.
    static let overheadBytes = 42

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> HeldValueFrame {
        let start = reader.offset
        let form = try reader.byte("form of a held value")
        guard let channel = Channel(rawValue: form & 0x0F), channel.traits.order == .latestValue,
            form < 0x20
        else {
            throw WireError(
                .unknownCode, at: start, expected: "form of a held value", found: UInt64(form))
        }
        let name = ValueName(
            channel: channel, key: RecordKey(rawValue: try reader.uint128("key")))
        let version = try reader.varint("version", atMost: RecordNumber.largest)
        guard form & 0x10 != 0 else {
            return HeldValueFrame(name: name, version: version, piece: nil)
        }
        let kind = ContentKind(rawValue: try reader.byte("kind"))
        let limit = UInt64(channel.traits.recordByteLimit)
        let total = try reader.varint("bytes of the value", atMost: limit)
        let offset = try reader.varint("offset", atMost: total)
        let bytes = try reader.block("piece of the value", atMost: Int(total - offset))
        let piece = Piece(
            kind: kind, totalBytes: Int(total), offset: Int(offset), bytes: bytes)
        return HeldValueFrame(name: name, version: version, piece: piece)
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.heldValue.rawValue)
        writer.byte(name.channel.rawValue | (piece == nil ? 0 : 0x10))
        writer.uint128(name.key.rawValue)
        writer.varint(version)
        guard let piece else { return }
        writer.byte(piece.kind.rawValue)
        writer.varint(UInt64(piece.totalBytes))
        writer.varint(UInt64(piece.offset))
        writer.block(piece.bytes)
    }
}
