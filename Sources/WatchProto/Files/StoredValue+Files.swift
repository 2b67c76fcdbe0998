import WatchProtoCore
import WatchProtoJournal
import WatchProtoTransport

/// Whether blocks of a file are given.
package enum FileState: UInt8, Sendable {
    case sending = 0
    case paused = 1
    case cancelled = 2
}

/// Files as kept values: the path of a file that is sent, and the offer of one that arrives.
extension StoredValue {
    /// A file of this device.
    ///
    /// - Parameters:
    ///   - file: the idempotency key of its offer.
    ///   - path: where it is.
    ///   - stamp: its size and time when it was offered.
    ///   - counterpart: the device that it is for.
    init(
        sending file: UInt128, _ path: String, _ stamp: OpenFile.Stamp, to counterpart: UInt128
    ) {
        var writer = WireWriter()
        writer.byte(FileState.sending.rawValue)
        writer.uint64(stamp.size)
        writer.uint64(UInt64(bitPattern: stamp.modified))
        writer.append(Array(path.utf8))
        self.init(
            purpose: .sentFile, counterpart: counterpart, channel: .bulk,
            key: RecordKey(rawValue: file), kind: .file, payload: writer.bytes)
    }

    /// The file of an offer of the other device, of which content may be here.
    init(arriving offer: RecordID, from counterpart: UInt128) {
        self.init(
            purpose: .arrivingFile, counterpart: counterpart, channel: .bulk,
            key: offer.storedKey, kind: .file, payload: [])
    }

    /// Whether blocks of a file of this device are given.
    var fileState: FileState {
        get { payload.first.flatMap(FileState.init(rawValue:)) ?? .cancelled }
        set { if !payload.isEmpty { payload[0] = newValue.rawValue } }
    }

    /// The path of a file of this device, and its stamp.
    var source: (path: String, stamp: OpenFile.Stamp)? {
        var reader = WireReader(payload.span)
        guard (try? reader.byte("state")) != nil, let size = try? reader.uint64("size"),
            let modified = try? reader.uint64("time"),
            let path = String(validating: payload.dropFirst(17), as: UTF8.self)
        else { return nil }
        return (path, OpenFile.Stamp(size: size, modified: Int64(bitPattern: modified)))
    }
}
