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
                digest.update(bytes)
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
