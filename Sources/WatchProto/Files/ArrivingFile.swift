import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

/// A file that is being fetched. Its content stands under another name until it is whole.
struct ArrivingFile: ~Copyable, Sendable {
    /// Bytes after which the content is made durable (T-8).
    static let checkpointBytes: UInt64 = 1 << 18
    /// Bytes that are left free on the disk, which the journal may need.
    static let reservedBytes: UInt64 = 1 << 26
    /// The time after which it is.
    static let checkpointTime = Duration.seconds(1)

    let offer: FileOffer
    private let place: Place
    private let file: OpenFile
    private var digest: FileDigest
    /// The bytes that are written.
    private(set) var received: UInt64
    /// Those of them that are on the disk.
    private(set) var durable: UInt64
    private var checkedAt: Instant

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

    /// Opens the part of a file, and reads it for the hash.
    ///
    /// - Parameters:
    ///   - durable: the bytes of it that are known to be on the disk; nil for a new file.
    ///   - now: the present time.
    /// - Throws: the error number; the disk is at fault.
    init(
        _ id: RecordID, _ offer: FileOffer, in directory: String, durable: UInt64?,
        at now: Instant
    ) throws(SystemErrorNumber) {
        let place = Place(id, offer, in: directory)
        try Directories.make(directory)
        // It was whole, and the application did not answer before the process ended.
        let isBack = durable != nil && Directories.takeBack(place.whole, as: place.part)
        let file = try OpenFile(writing: place.part)
        if durable == nil { try Directories.sync(directory) }
        let size = try file.stamp().size
        let known = min(isBack ? size : durable ?? 0, size, offer.size)
        try file.truncate(to: known)
        guard try file.freeBytes() >= offer.size - known + Self.reservedBytes else {
            throw SystemErrorNumber.noSpace
        }
        var digest = FileDigest()
        var offset: UInt64 = 0
        while offset < known {
            let count = Int(min(known - offset, Self.checkpointBytes))
            let bytes = try file.read(at: offset, count: count)
            guard bytes.count == count else { throw SystemErrorNumber.inputOutput }
            digest.update(bytes)
            offset += UInt64(count)
        }
        self.offer = offer
        self.place = place
        self.file = file
        self.digest = digest
        (received, self.durable) = (known, known)
        checkedAt = now
    }

    var isComplete: Bool { received == offer.size }

    /// Writes the next bytes.
    ///
    /// - Throws: the error number; the disk is at fault.
    mutating func append(_ bytes: [UInt8]) throws(SystemErrorNumber) {
        try file.write(bytes, at: received)
        digest.update(bytes)
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
        guard try file.freeBytes() >= Self.reservedBytes else { throw SystemErrorNumber.noSpace }
        try file.sync()
        durable = received
        checkedAt = now
        return true
    }

    /// Gives the file its name.
    ///
    /// - Returns: its path; nil if the content is not the one that was offered.
    /// - Throws: the error number; the disk is at fault.
    consuming func finish() throws(SystemErrorNumber) -> String? {
        try file.sync()
        guard digest.finish() == offer.hash else { return nil }
        try Directories.make(place.folder)
        try Directories.rename(place.part, to: place.whole)
        try Directories.sync(place.folder)
        try Directories.sync(place.directory)
        return place.whole
    }
}

extension SystemErrorNumber {
    /// A file is shorter than it was.
    static let inputOutput = SystemErrorNumber(5)
    /// The disk is full.
    static let noSpace = SystemErrorNumber(28)

    /// Whether there is no such file.
    var isNoFile: Bool { rawValue == 2 || rawValue == 20 }

    /// Whether the file system takes no such name.
    var isOfName: Bool { [22, 36, 84].contains(rawValue) }

    /// The error in words.
    var text: String { SystemErrorText.of(rawValue) }
}
