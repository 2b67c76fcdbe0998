import CommandLine
import PictureCoding
import Pictures
import ReferenceDevice
import WatchProto
import WatchProtoSecurity
import WatchProtoTransport

/// The pictures that a phone was given, and those that it prepared for a watch, as files. Their
/// names have all that is known of them.
///
/// `MEDICATION-VERSION.source` is as it was given, and
/// `MEDICATION-VERSION-SIZE-LINK-QUALITY-HASH.jpg` goes to a watch. The version is the hash of the
/// source. A file with another hash was damaged, and is not there.
struct PictureShelf: Sendable {
    private let directory: String

    /// The pictures of a directory, which is made if it is missing.
    ///
    /// - Throws: the error number; the disk is at fault.
    init(_ directory: String) throws(SystemErrorNumber) {
        try Directories.make(directory)
        self.directory = directory
    }

    /// The version of each medication. Of two, which a crash can leave, the younger one counts.
    var versions: [UInt128: UInt64] {
        var known: [UInt128: (version: UInt64, changed: Int64)] = [:]
        for file in Directories.names(in: directory) where file.hasSuffix(".source") {
            let parts = file.dropLast(".source".count).split(separator: "-")
            guard parts.count == 2, let medication = UInt128(parts[0], radix: 16),
                let version = UInt64(parts[1], radix: 16),
                let stamp = try? OpenFile(reading: "\(directory)/\(file)").stamp()
            else { continue }
            if let other = known[medication], other.changed >= stamp.modified { continue }
            known[medication] = (version, stamp.modified)
        }
        return known.mapValues(\.version)
    }

    /// Keeps the bytes that the phone was given, and their thumbnail.
    ///
    /// - Throws: the error number; the disk is at fault, and some may be kept.
    func keep(
        _ source: [UInt8], _ thumbnail: PreparedPicture, of medication: UInt128, version: UInt64
    ) throws(SystemErrorNumber) {
        let name = PictureName(medication, .thumbnail)
        _ = try keep(thumbnail, name, version: version, for: Self.anyLink)
        try write(source, to: "\(stem(medication, version)).source")
    }

    /// Whether the bytes that the phone was given are kept.
    func holds(_ source: [UInt8], of medication: UInt128, version: UInt64) -> Bool {
        (try? read("\(stem(medication, version)).source")) == source
    }

    /// Removes all pictures of a medication but those of a version, durably.
    ///
    /// - Throws: the error number; the disk is at fault, and some may come back.
    func remove(_ medication: UInt128, except version: UInt64?) throws(SystemErrorNumber) {
        let kept = version.map { stem(medication, $0) }
        for file in Directories.names(in: directory)
        where file.hasPrefix("\(String(medication, radix: 16))-") {
            if let kept, file.hasPrefix("\(kept).") || file.hasPrefix("\(kept)-") { continue }
            Directories.remove("\(directory)/\(file)")
        }
        do throws(SystemErrorNumber) {
            try Directories.sync(directory)
        } catch {
            // Nothing is left in a directory that is gone.
            if !error.isNoFile { throw error }
        }
    }

    /// A picture for a link, prepared before or now, and its file.
    ///
    /// - Throws: `PictureError`, or the error number of the disk.
    func picture(
        _ name: PictureName, version: UInt64, over quality: LinkQuality
    ) throws -> (head: PictureHead, path: String) {
        let link = name.size == .thumbnail ? Self.anyLink : "\(quality)"
        if let known = prepared(name, version: version, for: link) { return known }
        let source = try read("\(stem(name.medication, version)).source")
        guard Self.hash(of: source) == version else {
            throw PictureError.library("its file has changed on the disk")
        }
        let made =
            try name.size == .thumbnail
            ? PreparedPicture.thumbnail(of: source)
            : PreparedPicture.whole(of: source, over: quality)
        let path = try keep(made, name, version: version, for: link)
        return (PictureHead(name, version: version, made), path)
    }

    private func prepared(
        _ name: PictureName, version: UInt64, for link: String
    ) -> (head: PictureHead, path: String)? {
        let stem = "\(stem(name.medication, version))-\(name.size.rawValue)-\(link)-"
        for file in Directories.names(in: directory)
        where file.hasPrefix(stem) && file.hasSuffix(".jpg") {
            let parts = file.dropFirst(stem.count).dropLast(".jpg".count).split(separator: "-")
            guard parts.count == 2, let percent = Int(parts[0]), let bytes = try? read(file),
                String(Self.hash(of: bytes), radix: 16) == parts[1],
                let size = try? BaselineDecoder.size(of: bytes)
            else {
                Directories.remove("\(directory)/\(file)")
                continue
            }
            let head = PictureHead(
                name, version: version, width: size.width, height: size.height,
                qualityPercent: percent)
            return (head, "\(directory)/\(file)")
        }
        return nil
    }

    /// Keeps a picture that was prepared. Returns its path.
    private func keep(
        _ picture: PreparedPicture, _ name: PictureName, version: UInt64, for link: String
    ) throws(SystemErrorNumber) -> String {
        let stem = "\(stem(name.medication, version))-\(name.size.rawValue)-\(link)"
        let hash = String(Self.hash(of: picture.jpeg), radix: 16)
        let file = "\(stem)-\(picture.qualityPercent)-\(hash).jpg"
        try write(picture.jpeg, to: file)
        return "\(directory)/\(file)"
    }

    /// The word for thumbnails, which suit every link.
    private static let anyLink = "any"

    // MARK: Files

    /// The first bytes of the hash of a file's content.
    static func hash(of bytes: [UInt8]) -> UInt64 {
        var digest = FileDigest()
        digest.update(bytes.span)
        return digest.finish().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func stem(_ medication: UInt128, _ version: UInt64) -> String {
        "\(String(medication, radix: 16))-\(String(version, radix: 16))"
    }

    private func read(_ file: String) throws(SystemErrorNumber) -> [UInt8] {
        do throws(SystemError) {
            return try Files.read("\(directory)/\(file)", limit: PictureReader.mostFileBytes)
        } catch {
            throw SystemErrorNumber(error.number)
        }
    }

    /// Writes a file that is whole or not there, also after a crash. The directory is made again if
    /// it is gone.
    private func write(_ bytes: [UInt8], to file: String) throws(SystemErrorNumber) {
        try Directories.make(directory)
        do throws(SystemError) {
            try Files.write(bytes, to: "\(directory)/\(file)", mode: 0o600)
        } catch {
            throw SystemErrorNumber(error.number)
        }
        try Directories.sync(directory)
    }
}
