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
        do throws(Refusal) {
            return try read(path, metadata: metadata) { false }
        } catch {
            return nil
        }
    }

    /// Reads a file once, for its hash.
    ///
    /// - Throws: ``Refusal`` with the reason, also as soon as `isCancelled` says so.
    static func read(
        _ path: String, metadata: [UInt8], isCancelled: () -> Bool
    ) throws(Refusal) -> Source {
        guard metadata.count <= FileOffer.largestMetadata else {
            throw .notEncodable(
                .tooLarge(bytes: metadata.count, limit: FileOffer.largestMetadata))
        }
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard FileOffer.isName(name) else {
            throw unreadable(
                path,
                "its name is empty, has over 255 bytes, begins with a dot, or has a backslash or "
                    + "a control character")
        }
        do {
            let absolute = try Directories.absolute(path)
            let file = try OpenFile(reading: absolute)
            let stamp = try file.stamp()
            guard stamp.size <= FileOffer.largestSize else {
                throw unreadable(
                    path, "it has \(stamp.size) bytes, at most \(FileOffer.largestSize) are sent")
            }
            var digest = FileDigest()
            var offset: UInt64 = 0
            while offset < stamp.size {
                if isCancelled() { throw unreadable(path, "the task that reads it was cancelled") }
                let bytes = try file.read(at: offset, count: 1 << 18)
                if bytes.isEmpty { break }
                digest.update(bytes.span)
                offset += UInt64(bytes.count)
            }
            guard offset == stamp.size, try file.stamp() == stamp else {
                throw unreadable(path, "it changed while it was read")
            }
            return Source(
                path: absolute, stamp: stamp,
                offer: FileOffer(
                    size: stamp.size, hash: digest.finish(), name: name, metadata: metadata))
        } catch let error as SystemErrorNumber {
            throw unreadable(path, error.isNoRegularFile ? "it is no regular file" : error.text)
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw unreadable(path, "\(error)")
        }
    }

    private static func unreadable(_ path: String, _ reason: String) -> Refusal {
        .unreadableFile("'\(path)': \(reason)")
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
