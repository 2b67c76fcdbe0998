/// Asks for a value whole: a delta names a base that its receiver does not hold, a handle is not
/// defined, or fragments of a value gave way to others.
///
/// ```text
/// 0x16 · channel | 0x10 handle | 0x20 version · key: 16 bytes, or handle, or version
/// ```
public struct NeedBaseFrame: Hashable, Sendable {
    /// The value that a frame asks for.
    public enum Subject: Hashable, Sendable {
        /// The newest value of this key.
        case key(ValueName)
        /// The newest value of the key that this handle stands for, with the key.
        case handle(Channel, UInt64)
        /// The value of this version, from its first fragment.
        case version(Channel, UInt64)
    }

    /// The value that this frame asks for.
    public var subject: Subject

    /// Asks for `subject`.
    public init(_ subject: Subject) { self.subject = subject }

    /// Bytes a frame takes at most.
    static let largestBytes = 18

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> NeedBaseFrame {
        let start = reader.offset
        let form = try reader.byte("base request")
        guard let channel = Channel(rawValue: form & 0x0F), channel.traits.order == .latestValue
        else {
            throw WireError(.unknownCode, at: start, expected: "base request", found: UInt64(form))
        }
        switch form & 0xF0 {
        case 0x00:
            let key = RecordKey(rawValue: try reader.uint128("key"))
            return NeedBaseFrame(.key(ValueName(channel: channel, key: key)))
        case 0x10:
            let limit = UInt64(ValueFrame.handles - 1)
            return NeedBaseFrame(.handle(channel, try reader.varint("handle", atMost: limit)))
        case 0x20:
            return NeedBaseFrame(.version(channel, try RecordNumber.read(&reader)))
        default:
            throw WireError(.unknownCode, at: start, expected: "base request", found: UInt64(form))
        }
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.needBase.rawValue)
        switch subject {
        case .key(let name):
            writer.byte(name.channel.rawValue)
            writer.uint128(name.key.rawValue)
        case .handle(let channel, let handle):
            writer.byte(channel.rawValue | 0x10)
            writer.varint(handle)
        case .version(let channel, let version):
            writer.byte(channel.rawValue | 0x20)
            writer.varint(version)
        }
    }
}
