/// Checks SQLite's write-ahead log before SQLite reads it.
///
/// SQLite takes the first frame with a wrong checksum as the end of the log. That is right after a
/// crash. If a frame in the middle was altered, it silently loses commits. Every commit reaches the
/// disk before the next is written, so a crash can damage only the last one. Two commits at or
/// after the first bad frame therefore mean damage. Whether commits are missing shows when all is
/// read (``LogMark``).
struct LogInspection {
    static let headerBytes = 32
    static let frameHeaderBytes = 24
    /// The size in bytes of a log of so many pages.
    static func bytes(ofPages count: Int) -> Int {
        headerBytes + count * (frameHeaderBytes + JournalSchema.pageBytes)
    }

    /// Its size in bytes; 0 if there is none.
    let size: Int
    /// How it was altered; nil if it was not.
    private(set) var damage: String?
    /// Its pages up to the end of the last complete commit.
    private(set) var committedPages = 0

    /// Inspects the log of `size` bytes, 0 if there is none.
    init(of path: String, size: Int) {
        self.size = size
        if size > Self.headerBytes { look(path) }
    }

    /// Its size and pages, in words.
    var words: String {
        guard size > 0 else { return "its write-ahead log is missing or empty" }
        return "its write-ahead log is cut short, was altered or is another one "
            + "(\(committedPages) pages of it are whole)"
    }

    private mutating func look(_ path: String) {
        guard let log = FileReader(path) else {
            damage = "its write-ahead log cannot be read"
            return
        }
        let header = log.bytes(from: 0, count: Self.headerBytes)
        guard header.count == Self.headerBytes else {
            damage = "its write-ahead log cannot be read"
            return
        }
        let magic = Self.word(header, 0)
        var sums = Sums(isBigEndian: magic & 1 == 1)
        sums.add(header[0..<24])
        guard magic & ~1 == 0x377F_0682, sums.first == Self.word(header, 24),
            sums.second == Self.word(header, 28)
        else {
            damage = Self.damageWithoutHeader(log, size)
            return
        }
        let pageBytes = Int(Self.word(header, 8))
        guard pageBytes >= 512, pageBytes <= 65536 else {
            damage = "the header of its write-ahead log was altered"
            return
        }
        let frames = frames(in: log, header, pageBytes, sums)
        if let badFrame = frames.bad, frames.commitsAfter >= 2 {
            damage =
                "its write-ahead log is damaged at frame \(badFrame), with "
                + "\(frames.commitsAfter) commits from there on"
        }
    }

    /// The frames with correct checksums in sequence, the first one without, and the commits at or
    /// after it.
    private mutating func frames(
        in log: borrowing FileReader, _ header: [UInt8], _ pageBytes: Int, _ sums: Sums
    ) -> (bad: Int?, commitsAfter: Int) {
        var sums = sums
        let salts = header[16..<24]
        let stride = Self.frameHeaderBytes + pageBytes
        var offset = Self.headerBytes
        var good = 0
        var badFrame: Int?
        var commitsAfter = 0
        while offset + stride <= size {
            let frame = log.bytes(from: offset, count: stride)
            guard frame.count == stride else { break }
            let isOurs = frame[8..<16] == salts
            let endsCommit = Self.word(frame, 4) != 0
            if badFrame == nil {
                sums.add(frame[0..<8])
                sums.add(frame[24...])
                if !isOurs || sums.first != Self.word(frame, 16)
                    || sums.second != Self.word(frame, 20)
                {
                    badFrame = good
                } else {
                    good += 1
                    if endsCommit { committedPages = good }
                }
            }
            if badFrame != nil, isOurs, endsCommit { commitsAfter += 1 }
            offset += stride
        }
        return (badFrame, commitsAfter)
    }

    private static func damageWithoutHeader(
        _ log: borrowing FileReader, _ size: Int
    ) -> String? {
        guard isBlank(log, size) else {
            return "the header of its write-ahead log was altered"
        }
        // The header is on the disk before a second frame is written, and room is made behind
        // a commit only.
        guard size > bytes(ofPages: 1) else { return nil }
        return "its write-ahead log was overwritten: nothing but zeros in \(size) bytes"
    }

    private static func isBlank(_ log: borrowing FileReader, _ size: Int) -> Bool {
        var offset = 0
        while offset < size {
            let bytes = log.bytes(from: offset, count: 1 << 16)
            guard !bytes.isEmpty else { break }
            if bytes.contains(where: { $0 != 0 }) { return false }
            offset += bytes.count
        }
        return true
    }

    private static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The running checksum of the log's format (SQLite file format, 4.2).
    private struct Sums {
        let isBigEndian: Bool
        var first: UInt32 = 0
        var second: UInt32 = 0

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        mutating func add(_ bytes: ArraySlice<UInt8>) {
            let words = unsafe bytes.span.bytes
            var place = 0
            while place + 8 <= words.byteCount {
                first &+= word(words, place) &+ second
                second &+= word(words, place + 4) &+ first
                place += 8
            }
        }

        private func word(_ bytes: RawSpan, _ place: Int) -> UInt32 {
            let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt32.self)
            return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
        }
    }
}
