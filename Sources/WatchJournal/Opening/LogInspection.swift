/// Looks through SQLite's write-ahead log before SQLite does.
///
/// SQLite takes the first frame that does not check for the end of the log, which is right after a
/// crash and silently loses commits when a frame in the middle was altered. Every commit reaches
/// the disk before the next is written, so that a crash can damage the last one only: two commits
/// at or after the first bad frame mean damage.
struct LogInspection {
    static let headerBytes = 32
    static let frameHeaderBytes = 24
    /// Bytes of a journal's own log that holds so many pages.
    static func bytes(ofPages count: Int) -> Int {
        headerBytes + count * (frameHeaderBytes + JournalSchema.pageBytes)
    }

    /// What is wrong with the log; nil when nothing is.
    static func complaint(about path: String, size: Int) -> String? {
        guard size > headerBytes else { return nil }
        guard let log = FileReader(path) else { return "its write-ahead log cannot be read" }
        let header = log.bytes(from: 0, count: headerBytes)
        guard header.count == headerBytes else { return "its write-ahead log cannot be read" }
        let magic = word(header, 0)
        var sums = Sums(isBigEndian: magic & 1 == 1)
        sums.add(header[0..<24])
        guard magic & ~1 == 0x377F_0682, sums.first == word(header, 24),
            sums.second == word(header, 28)
        else {
            guard isBlank(log, size) else {
                return "the header of its write-ahead log was altered"
            }
            // The header is on the disk before a second frame is written, and room is made behind
            // a commit only.
            guard size > bytes(ofPages: 1) else { return nil }
            return "its write-ahead log was overwritten: nothing but zeros in \(size) bytes"
        }
        let pageBytes = Int(word(header, 8))
        guard pageBytes >= 512, pageBytes <= 65536 else {
            return "the header of its write-ahead log was altered"
        }
        let salts = header[16..<24]
        let stride = frameHeaderBytes + pageBytes
        var offset = headerBytes
        var badFrame: Int?
        var commitsAfter = 0
        while offset + stride <= size {
            let frame = log.bytes(from: offset, count: stride)
            guard frame.count == stride else { break }
            let isOurs = frame[8..<16] == salts
            if badFrame == nil {
                sums.add(frame[0..<8])
                sums.add(frame[24...])
                if !isOurs || sums.first != word(frame, 16) || sums.second != word(frame, 20) {
                    badFrame = (offset - headerBytes) / stride
                }
            }
            if badFrame != nil, isOurs, word(frame, 4) != 0 { commitsAfter += 1 }
            offset += stride
        }
        guard let badFrame, commitsAfter >= 2 else { return nil }
        return "its write-ahead log is damaged at frame \(badFrame), with \(commitsAfter) commits "
            + "from there on"
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
