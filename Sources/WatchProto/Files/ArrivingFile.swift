import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

/// A file that is being fetched. Its content stands under another name until it is whole.
struct ArrivingFile: ~Copyable, Sendable {
    /// Bytes after which the content is made durable (T-8).
    static let checkpointBytes: UInt64 = 1 << 18
    /// The time after which the content is made durable.
    static let checkpointTime = Duration.seconds(1)
    /// Bytes that are left free on the disk, which the journal may need.
    static let reservedBytes: UInt64 = 1 << 26

    let offer: FileOffer
    private let place: Place
    private let file: OpenFile
    private let freeBytes: FileCenter.FreeBytes
    private var digest: FileDigest
    /// The bytes that are written.
    private(set) var received: UInt64
    /// Those of them that are on the disk.
    private(set) var durable: UInt64
    private var checkedAt: Instant
    /// The place of the next checkpoint. The newest one has the other place.
    private var nextPlace = 0

    /// The names of the file of one offer, which no other offer has.
    struct Place: Sendable {
        let directory: String
        let folder: String
        let whole: String

        init(_ id: RecordID, _ offer: FileOffer, in directory: String) {
            self.directory = directory
            let epoch = String(id.epoch.rawValue, radix: 16)
            folder = "\(directory)/\(epoch)-\(id.number.rawValue)"
            whole = "\(folder)/\(offer.name)"
        }

        /// The content before it is whole.
        var part: String { "\(folder).part" }

        /// The key of the kept values of an offer, by the name of its content before it is whole;
        /// nil for another name.
        static func key(ofPart name: String) -> RecordKey? {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[1] == "part" else { return nil }
            let numbers = parts[0].split(separator: "-")
            guard numbers.count == 2, let epoch = UInt64(numbers[0], radix: 16),
                let number = UInt64(numbers[1])
            else { return nil }
            return RecordKey(rawValue: UInt128(epoch) << 64 | UInt128(number))
        }
    }

    private init(
        _ offer: FileOffer, _ place: Place, _ file: consuming OpenFile,
        _ freeBytes: @escaping FileCenter.FreeBytes, at now: Instant
    ) {
        self.offer = offer
        self.place = place
        self.file = file
        self.freeBytes = freeBytes
        digest = FileDigest()
        (received, durable) = (0, 0)
        checkedAt = now
    }

    /// Opens the part of a file, and reads what is durable of it.
    ///
    /// - Parameters:
    ///   - id: the record of its offer.
    ///   - offer: the file.
    ///   - directory: that of received files.
    ///   - freeBytes: the room on its disk.
    ///   - now: the present time.
    /// - Throws: the error number; the disk is at fault.
    static func open(
        _ id: RecordID, _ offer: FileOffer, in directory: String,
        _ freeBytes: @escaping FileCenter.FreeBytes, at now: Instant
    ) throws(SystemErrorNumber) -> ArrivingFile {
        let place = Place(id, offer, in: directory)
        try Directories.make(directory)
        var arriving = ArrivingFile(
            offer, place, try openPart(of: place), freeBytes, at: now)
        let known = try arriving.checkpoints()
        // A file for which there is no room is not read.
        try arriving.demandRoom(beside: known.last?.checkpoint.count ?? 0)
        try arriving.goOn(from: known)
        try arriving.demandRoom(beside: arriving.received)
        return arriving
    }

    /// Opens the content of a file before it is whole. Something else that has the same content,
    /// or a link to it, stays as it is.
    private static func openPart(of place: Place) throws(SystemErrorNumber) -> OpenFile {
        restorePart(of: place)
        do throws(SystemErrorNumber) {
            return try OpenFile(writing: place.part)
        } catch {
            guard error == .linked else { throw error }
            Directories.remove(place.part)
            restorePart(of: place)
            return try OpenFile(writing: place.part)
        }
    }

    /// Removes the content of a file, also of one that was whole before the process started.
    static func remove(_ id: RecordID, _ offer: FileOffer, in directory: String) {
        let place = Place(id, offer, in: directory)
        restorePart(of: place)
        Directories.remove(place.part)
    }

    /// Gives a whole file the name of its part again, if the application did not answer before the
    /// process ended.
    private static func restorePart(of place: Place) {
        guard Directories.isDirectory(place.folder, followsLink: false) else { return }
        _ = Directories.renameUnlessUsed(place.whole, as: place.part)
    }

    /// Throws unless the disk has room for the content beside so many bytes of it.
    private func demandRoom(beside count: UInt64) throws(SystemErrorNumber) {
        guard try freeBytes(file) >= offer.size - count + Self.reservedBytes else {
            throw SystemErrorNumber.noSpace
        }
    }

    private typealias KnownCheckpoint = (checkpoint: FileCheckpoint, place: Int)

    /// The checkpoints of the file, the one with the most bytes last. Without any, nothing stays of
    /// the file.
    private func checkpoints() throws(SystemErrorNumber) -> [KnownCheckpoint] {
        var known: [KnownCheckpoint] = []
        for place in FileCheckpoint.places {
            let bytes = try file.read(
                at: FileCheckpoint.offset(place, offer), count: FileCheckpoint.byteCount)
            FileCheckpoint(bytes, of: offer).map { known.append(($0, place)) }
        }
        // A whole file has none any more.
        if try file.stamp().size == offer.size {
            known.append((FileCheckpoint(count: offer.size, hash: offer.hash), 0))
        }
        if known.isEmpty { try file.truncate(to: 0) }
        return known.sorted { $0.checkpoint.count < $1.checkpoint.count }
    }

    /// Reads the content, and counts as received the most bytes that a true checkpoint has: a
    /// disk that lost its power may have one of them without the bytes before it.
    private mutating func goOn(from known: [KnownCheckpoint]) throws(SystemErrorNumber) {
        var digest = FileDigest()
        var offset: UInt64 = 0
        for (checkpoint, place) in known {
            while offset < checkpoint.count {
                let count = Int(min(checkpoint.count - offset, Self.checkpointBytes))
                let bytes = try file.read(at: offset, count: count)
                guard bytes.count == count else { throw SystemErrorNumber.inputOutput }
                digest.update(bytes.span)
                offset += UInt64(count)
            }
            guard digest.soFar == checkpoint.hash else { continue }
            self.digest = digest.copy()
            received = offset
            nextPlace = 1 - place
        }
        if received == 0 {
            try file.truncate(to: 0)
            try Directories.sync(place.directory)
        } else {
            // A process that was killed did not wait for the disk.
            try sync(checkpointAt: 1 - nextPlace)
        }
        durable = received
    }

    var isComplete: Bool { received == offer.size }

    /// Writes the next bytes.
    ///
    /// - Throws: the error number; the disk is at fault.
    mutating func append(_ bytes: ArraySlice<UInt8>) throws(SystemErrorNumber) {
        try file.write(bytes.span, at: received)
        digest.update(bytes.span)
        received += UInt64(bytes.count)
    }

    /// Makes the content durable if that is due.
    ///
    /// - Returns: whether more bytes are durable than before.
    /// - Throws: the error number; the disk is at fault.
    mutating func checkpoint(at now: Instant) throws(SystemErrorNumber) -> Bool {
        guard received > durable,
            isComplete || received - durable >= Self.checkpointBytes
                || checkedAt.duration(to: now) >= Self.checkpointTime
        else { return false }
        guard try freeBytes(file) >= Self.reservedBytes else { throw SystemErrorNumber.noSpace }
        let checkpoint = FileCheckpoint(count: received, hash: digest.soFar)
        try file.write(
            checkpoint.bytes(of: offer).span, at: FileCheckpoint.offset(nextPlace, offer))
        try sync(checkpointAt: nextPlace)
        nextPlace = 1 - nextPlace
        durable = received
        checkedAt = now
        return true
    }

    /// Waits until everything written is on the disk. If the disk refuses it, removes the
    /// checkpoint: reads may still give the bytes, and a later sync may not fail.
    ///
    /// - Throws: the error number; the disk is at fault.
    private func sync(checkpointAt place: Int) throws(SystemErrorNumber) {
        do throws(SystemErrorNumber) {
            try file.sync()
        } catch {
            let nothing = [UInt8](repeating: 0, count: FileCheckpoint.byteCount)
            try? file.write(nothing.span, at: FileCheckpoint.offset(place, offer))
            throw error
        }
    }

    /// Gives the file its name.
    ///
    /// - Returns: its path; nil if the content is not the one that was offered.
    /// - Throws: the error number; the disk is at fault.
    consuming func finish() throws(SystemErrorNumber) -> String? {
        guard digest.finish() == offer.hash else { return nil }
        try file.truncate(to: offer.size)
        try file.sync()
        try Directories.make(place.folder, followsLink: false)
        try Directories.rename(place.part, to: place.whole)
        try Directories.sync(place.folder)
        try Directories.sync(place.directory)
        return place.whole
    }
}
