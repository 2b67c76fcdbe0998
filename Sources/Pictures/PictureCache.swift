package import WatchProtoTransport

/// The pictures that a watch has from its phone: JPEGs in a directory, and a few of them decoded in
/// memory.
///
/// The directory is a cache: nothing in it is waited for to be durable, and a file that cannot be
/// read is a picture that is not there. The name of a file has all that is known of it, so that a
/// restart needs no index. A cache is of one pairing; the pictures of others go when it is opened.
package struct PictureCache: Sendable {
    /// The bounds of a cache.
    package struct Limits: Sendable {
        /// Decoded pictures: their bytes, and their number.
        package var memoryBytes = 2_000_000
        package var memoryCount = 20
        /// JPEGs, in bytes.
        package var diskBytes = 20_000_000
        package var count = 400
        /// The time after which a picture that nobody confirmed is removed.
        package var age = Duration.seconds(30 * 86_400)
        /// The time for which a picture is taken as the phone has it.
        package var freshness = Duration.seconds(300)

        package init() {}
    }

    /// The uses of a cache, and the files that went.
    package struct Counters: Sendable {
        package var memoryHits = 0
        package var diskHits = 0
        package var misses = 0
        /// Files that were removed for their age, for the number of files, and for their bytes.
        package var removed = (age: 0, count: 0, bytes: 0)
        /// Files that were no pictures.
        package var unreadable = 0
    }

    /// A picture that was found.
    package struct Found: Sendable {
        package var bitmap: Bitmap
        package var version: UInt64
        /// Whether it was decoded already.
        package var wasInMemory: Bool
        /// The time since the phone said that it is this one; nil where the clock says that this
        /// is to come.
        package var age: Duration?
    }

    struct Entry {
        var version: UInt64
        /// The moment at which the phone said so, in milliseconds of the wall clock.
        var confirmed: UInt64
        var bytes: Int
    }

    struct Decoded {
        var name: PictureName
        var side: Int
        var bitmap: Bitmap
    }

    package let limits: Limits
    package internal(set) var counters = Counters()
    package let directory: String
    package let pairing: UInt128
    var entries: [PictureName: Entry] = [:]
    /// The one that was used last comes last.
    var memory: [Decoded] = []
    /// Medications whose pictures were removed, the latest last, until the phone says that it has
    /// one.
    var removed: [UInt128] = []

    /// The pictures of a directory, which is made if it is missing.
    ///
    /// - Parameters:
    ///   - directory: the path.
    ///   - pairing: the pairing that the pictures came in.
    ///   - limits: the bounds.
    ///   - now: milliseconds of the wall clock.
    /// - Throws: the error number; the disk is at fault.
    package init(
        _ directory: String, of pairing: UInt128, limits: Limits = Limits(), now: UInt64
    ) throws(SystemErrorNumber) {
        try Directories.make(directory)
        self.directory = directory
        self.pairing = pairing
        self.limits = limits
        for file in Directories.names(in: directory) {
            // Other files are somebody else's.
            guard let (owner, name, entry) = Self.entry(of: file) else { continue }
            let size = try? OpenFile(reading: "\(directory)/\(file)").stamp().size
            guard owner == pairing, let size else {
                Directories.remove("\(directory)/\(file)")
                continue
            }
            // Of two versions, the one that was confirmed last counts.
            if let known = entries[name] {
                let older = known.confirmed < entry.confirmed ? known : entry
                Directories.remove(path(name, older))
                if known.confirmed >= entry.confirmed { continue }
            }
            entries[name] = Entry(
                version: entry.version, confirmed: entry.confirmed, bytes: Int(size))
        }
        trim(now: now)
    }

    // MARK: Asking

    /// The version of a picture that is held; nil for none.
    package func version(of name: PictureName) -> UInt64? { entries[name]?.version }

    /// The pictures that are held.
    package var names: [PictureName] { Array(entries.keys) }
    package var diskBytes: Int { entries.values.reduce(0) { $0 + $1.bytes } }
    package var memoryBytes: Int { memory.reduce(0) { $0 + $1.bitmap.rgb.count } }

    /// Whether a picture is still taken as the phone has it.
    package func isFresh(_ found: Found) -> Bool {
        found.age.map { $0 < limits.freshness } ?? false
    }

    /// A picture that is held.
    package enum Look: Sendable {
        case decoded(Found)
        /// Its file, which ``PictureCache/decode(_:fitting:)`` reads.
        case file(File)
    }

    /// The file of a picture.
    package struct File: Sendable {
        fileprivate var path: String
        fileprivate var bytes: Int
        fileprivate var name: PictureName
        package fileprivate(set) var version: UInt64
        fileprivate var age: Duration?
    }

    /// A picture that is held; nil for none.
    ///
    /// - Parameters:
    ///   - name: the picture.
    ///   - side: its longest side, in pixels.
    ///   - now: milliseconds of the wall clock.
    package mutating func look(_ name: PictureName, fitting side: Int, now: UInt64) -> Look? {
        guard let file = file(of: name, now: now) else { return nil }
        guard let place = memory.firstIndex(where: { $0.name == name && $0.side == side }) else {
            return .file(file)
        }
        let known = memory.remove(at: place)
        memory.append(known)
        return .decoded(
            Found(bitmap: known.bitmap, version: file.version, wasInMemory: true, age: file.age))
    }

    /// The file of a picture that is held; nil for none.
    ///
    /// - Parameters:
    ///   - name: the picture.
    ///   - now: milliseconds of the wall clock.
    package func file(of name: PictureName, now: UInt64) -> File? {
        guard let entry = entries[name] else { return nil }
        let age = now >= entry.confirmed ? Duration.milliseconds(now - entry.confirmed) : nil
        return File(
            path: path(name, entry), bytes: entry.bytes, name: name, version: entry.version,
            age: age)
    }

    /// Reads a file; nil where it cannot be read. It takes time, and no cache.
    package static func read(_ file: File) -> [UInt8]? {
        let bytes = try? OpenFile(reading: file.path).read(at: 0, count: file.bytes)
        return bytes?.count == file.bytes ? bytes : nil
    }

    /// Reads and decodes a file; nil where it cannot be read. It takes time, and no cache.
    package static func decode(_ file: File, fitting side: Int) -> Found? {
        guard let bytes = read(file),
            let bitmap = try? BaselineDecoder.decode(bytes, fitting: side)
        else { return nil }
        return Found(bitmap: bitmap, version: file.version, wasInMemory: false, age: file.age)
    }

    /// Keeps a decoded picture in memory; one that could not be decoded is not there any more.
    package mutating func decoded(_ file: File, _ found: Found?, fitting side: Int) {
        // Perhaps it was changed meanwhile.
        guard let entry = entries[file.name], entry.version == file.version else { return }
        guard let found else {
            // A confirmation gave it another name.
            guard path(file.name, entry) == file.path else { return }
            counters.unreadable += 1
            return remove(file.name)
        }
        guard found.bitmap.rgb.count <= limits.memoryBytes else { return }
        memory.removeAll { $0.name == file.name && $0.side == side }
        memory.append(Decoded(name: file.name, side: side, bitmap: found.bitmap))
        while memoryBytes > limits.memoryBytes || memory.count > limits.memoryCount {
            memory.removeFirst()
        }
    }

    /// Counts the answer to somebody who asked for a picture.
    package mutating func count(_ found: Found?) {
        switch found?.wasInMemory {
        case nil: counters.misses += 1
        case true?: counters.memoryHits += 1
        case false?: counters.diskHits += 1
        }
    }
}
