public import WatchProtoCore
import WatchProtoTransport

/// A file of the other device, whole and on the disk (WatchConnectivity's `WCSessionFile`). It is
/// in a directory of its own below ``SessionOptions/filesDirectory``, and belongs to the
/// application, which moves or removes it. ``CompanionSession/transferFile(at:metadata:_:)`` sends
/// one.
public struct ReceivedFile: CompanionRecord, Hashable {
    /// The place of the file. Its last part is the name that it has on the other device.
    public let path: String
    /// The bytes that the other application added, at most 4,096.
    public let metadata: [UInt8]

    /// Makes the value of the bytes that this device gives it.
    ///
    /// - Throws: `WireError` for other bytes.
    public init(decoding bytes: [UInt8], key: RecordKey?) throws(WireError) {
        var reader = WireReader(bytes.span)
        let path = try reader.block("the path of a received file", atMost: 1 << 16)
        self.path = String(decoding: path, as: UTF8.self)
        metadata = Array(bytes.dropFirst(reader.offset))
    }

    /// The payload that the record of a whole file has on this device.
    static func payload(_ path: String, _ offer: FileOffer) -> [UInt8] {
        var writer = WireWriter()
        writer.varint(UInt64(path.utf8.count))
        writer.append(Array(path.utf8))
        writer.append(offer.metadata)
        return writer.bytes
    }

    /// Throws: a file is sent by its path.
    public func encoded() throws(EncodingRefusal) -> [UInt8] {
        throw .tooLarge(bytes: metadata.count, limit: 0)
    }
    /// `ContentKind.file`.
    public static var kind: ContentKind { .file }
    /// Every one, in order.
    public static var delivery: RecordDelivery { .inOrder }
    /// Nil: every one counts.
    public var valueKey: RecordKey? { nil }
}

extension ReceivedFile {
    /// The bytes of the file as it is now; 0 if it cannot be read.
    package var byteCount: UInt64 {
        do throws(SystemErrorNumber) {
            return try OpenFile(reading: path).stamp().size
        } catch {
            return 0
        }
    }
}
