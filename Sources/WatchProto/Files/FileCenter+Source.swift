import Locks
package import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

extension FileCenter {
    /// A file that is about to be offered.
    package struct Source: Sendable {
        var path: String
        var stamp: OpenFile.Stamp
        /// The payload of its record.
        package var offer: FileOffer
    }

    /// The files that are offered to a device in its session and not cancelled, those of a former
    /// process included.
    package func offers(
        for counterpart: UInt128
    ) -> [(file: UInt128, metadata: [UInt8])] {
        let exchange = state.withLock { state in
            state.exchanges.first { $0.counterpart == counterpart }
        }
        guard let link = exchange?.state.withLock({ $0.link }) else { return [] }
        var records: [OutboundRecord] = []
        link.withRecordsUnderWay(.file) { records = $0 }
        let cancelled = store.values(.sentFile, of: counterpart)
            .filter { $0.fileState == .cancelled }.map(\.key.rawValue)
        return records.compactMap { record in
            guard let file = record.idempotencyKey, !cancelled.contains(file),
                let offer = try? FileOffer(record.payload)
            else { return nil }
            return (file, offer.metadata)
        }
    }

    /// Reads a file once, for its hash.
    ///
    /// - Returns: nil if it cannot be read, changes meanwhile, or has no name that can be sent.
    package static func source(_ path: String, metadata: [UInt8]) -> Source? {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard FileOffer.isName(name), metadata.count <= FileOffer.largestMetadata else {
            return nil
        }
        do throws(SystemErrorNumber) {
            let path = try Directories.absolute(path)
            let file = try OpenFile(reading: path)
            let stamp = try file.stamp()
            var digest = FileDigest()
            var offset: UInt64 = 0
            while offset < stamp.size {
                let bytes = try file.read(at: offset, count: 1 << 18)
                if bytes.isEmpty { break }
                digest.update(bytes.span)
                offset += UInt64(bytes.count)
            }
            guard offset == stamp.size, try file.stamp() == stamp,
                stamp.size <= FileOffer.largestSize
            else { return nil }
            return Source(
                path: path, stamp: stamp,
                offer: FileOffer(
                    size: stamp.size, hash: digest.finish(), name: name, metadata: metadata))
        } catch {
            return nil
        }
    }
}

/// A report about a file that is sent or received.
package struct FileReport: Sendable {
    /// The record of the offer.
    package var id: RecordID
    /// The bytes that the receiver has made durable.
    package var done: UInt64
    /// The bytes of the file.
    package var total: UInt64
    /// The reason why the transfer does not go on for now; nil while it does.
    package var problem: String?
}
