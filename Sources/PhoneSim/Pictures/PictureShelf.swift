import PictureCoding
import Pictures
import WatchProtoTransport

/// The pictures that a phone was given, and those that it prepared for a watch, as files. Their
/// names have all that is known of them.
///
/// `MEDICATION-VERSION.source` is as it was given, and `MEDICATION-VERSION-SIZE-LINK-QUALITY.jpg`
/// goes to a watch.
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

    /// Keeps the bytes that the phone was given.
    ///
    /// - Throws: the error number; the disk is at fault.
    func keep(
        _ source: [UInt8], of medication: UInt128, version: UInt64
    ) throws(SystemErrorNumber) {
        try write(source, to: "\(stem(medication, version)).source")
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
        try Directories.sync(directory)
    }

    /// The bytes that the phone was given; nil where it cannot be read.
    func source(of medication: UInt128, version: UInt64) -> [UInt8]? {
        read("\(stem(medication, version)).source")
    }

    /// A picture that was prepared before; nil for none.
    ///
    /// - Parameter link: the word for the link that it suits.
    func prepared(
        _ name: PictureName, version: UInt64, for link: String
    ) -> (path: String, jpeg: [UInt8], qualityPercent: Int)? {
        let stem = "\(stem(name.medication, version))-\(name.size.rawValue)-\(link)-"
        for file in Directories.names(in: directory) where file.hasPrefix(stem) {
            let percent = Int(file.dropFirst(stem.count).prefix { $0 != "." })
            if let percent, let jpeg = read(file) {
                return ("\(directory)/\(file)", jpeg, percent)
            }
        }
        return nil
    }

    /// Keeps a picture that was prepared.
    ///
    /// - Returns: its path.
    /// - Throws: the error number; the disk is at fault.
    func keep(
        _ picture: PreparedPicture, _ name: PictureName, version: UInt64, for link: String
    ) throws(SystemErrorNumber) -> String {
        let stem = "\(stem(name.medication, version))-\(name.size.rawValue)-\(link)"
        let file = "\(stem)-\(picture.qualityPercent).jpg"
        try write(picture.jpeg, to: file)
        return "\(directory)/\(file)"
    }

    // MARK: Files

    private func stem(_ medication: UInt128, _ version: UInt64) -> String {
        "\(String(medication, radix: 16))-\(String(version, radix: 16))"
    }

    private func read(_ file: String) -> [UInt8]? {
        guard let open = try? OpenFile(reading: "\(directory)/\(file)"),
            let size = try? open.stamp().size, size <= UInt64(PictureReader.mostFileBytes)
        else { return nil }
        return try? open.read(at: 0, count: Int(size))
    }

    /// Writes a file that is whole or not there, also after a crash.
    private func write(_ bytes: [UInt8], to file: String) throws(SystemErrorNumber) {
        let part = "\(directory)/new"
        do throws(SystemErrorNumber) {
            let open = try OpenFile(writing: part)
            try open.truncate(to: 0)
            try open.write(bytes, at: 0)
            try open.sync()
            try Directories.rename(part, to: "\(directory)/\(file)")
            try Directories.sync(directory)
        } catch {
            Directories.remove(part)
            throw error
        }
    }
}
