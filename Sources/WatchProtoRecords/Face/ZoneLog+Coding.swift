package import WatchProtoCore

/// The form in a file: version 1, the minute of the last look, the first offset, and the changes.
extension ZoneLog {
    /// The most changes in a file: a device that finds more wrote none of them.
    private static let mostChanges = 255

    /// Minutes after which a log is written again, without a change: less than the two days after
    /// which a last look no longer tells a journey from daylight saving.
    private static let rewriting = 1440

    /// The log's form for a file, if it differs from the last one; nil if not. From then on it
    /// counts as written.
    package mutating func takeNews() -> [UInt8]? {
        guard let known, let last, known.changes.count <= Self.mostChanges else { return nil }
        if let written, written.known == known,
            abs(Int(last.minutes) - Int(written.last.minutes)) < Self.rewriting
        {
            return nil
        }
        written = (known, last)
        var writer = WireWriter([1])
        writer.fixed(UInt64(UInt32(bitPattern: last.minutes)), count: 4)
        writer.uint16(UInt16(bitPattern: known.first.minutes))
        writer.byte(UInt8(known.changes.count))
        for change in known.changes {
            writer.fixed(UInt64(UInt32(bitPattern: change.at.minutes)), count: 4)
            writer.uint16(UInt16(bitPattern: change.offset.minutes))
        }
        return writer.bytes
    }

    /// The file holds nothing any more.
    package mutating func forgetWritten() { written = nil }

    /// Reads that form.
    ///
    /// - Throws: the broken rule; the file is at fault.
    package init(_ bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes.span)
        let version = try reader.byte("the version of the zones")
        guard version == 1 else {
            throw WireError(.unknownCode, at: 0, expected: "1", found: UInt64(version))
        }
        let last = try Self.minute(&reader)
        let first = try Self.offset(&reader)
        var changes: [ZoneTimeline.Change] = []
        for _ in 0..<(try reader.byte("the number of changes")) {
            let minute = try Self.minute(&reader)
            changes.append(.init(at: minute, try Self.offset(&reader)))
        }
        try reader.finish("the end of the zones")
        self.init()
        self.last = last
        known = ZoneTimeline(first, changes)
        written = (ZoneTimeline(first, changes), last)
    }

    private static func minute(_ reader: inout WireReader) throws(WireError) -> WallMinute {
        let bits = UInt32(truncatingIfNeeded: try reader.fixed(4, "a minute of the zones"))
        return WallMinute(minutes: Int32(bitPattern: bits))
    }

    private static func offset(_ reader: inout WireReader) throws(WireError) -> ZoneOffset {
        let start = reader.offset
        let bits = UInt16(truncatingIfNeeded: try reader.fixed(2, "an offset of the zones"))
        guard let offset = ZoneOffset(minutes: Int(Int16(bitPattern: bits))) else {
            throw WireError(
                .outOfRange, at: start, expected: "-1080 to 1080 minutes", found: UInt64(bits))
        }
        return offset
    }
}
