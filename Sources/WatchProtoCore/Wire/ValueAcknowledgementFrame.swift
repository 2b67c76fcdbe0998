/// States that values with these versions are committed or applied at their receiver.
///
/// ```text
/// 0x38 · level (0 committed, 1 applied) · count · ranges: gap · length − 1
/// ```
/// The first gap is the first version; a later one is the distance from the end of the range
/// before, less 2.
public struct ValueAcknowledgementFrame: Hashable, Sendable {
    /// Whether the application has applied them; else they are committed and pending.
    public var isApplied: Bool
    /// The versions, at most ``versionLimit``.
    public var versions: NumberRanges

    /// States that `versions` are applied, or committed.
    public init(isApplied: Bool, versions: NumberRanges) {
        self.isApplied = isApplied
        self.versions = versions
    }

    /// Versions in one frame, so that whoever reads it has little to do.
    static let versionLimit: UInt64 = 1024

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> ValueAcknowledgementFrame {
        let start = reader.offset
        let level = try reader.byte("acknowledgement level")
        guard level < 2 else {
            throw WireError(
                .unknownCode, at: start, expected: "acknowledgement level", found: UInt64(level))
        }
        let count = try reader.count(
            "acknowledged ranges", atMost: limits.acknowledgementRanges, size: 2)
        var versions = NumberRanges()
        var total: UInt64 = 0
        for _ in 0..<count {
            let at = reader.offset
            let gap = try reader.varint("version", atMost: RecordNumber.largest)
            let length = try reader.varint("versions in a range", atMost: versionLimit - 1)
            let first = versions.last.map { $0 + 2 + gap } ?? gap
            total += length + 1
            guard first > 0, first + length <= RecordNumber.largest, total <= versionLimit else {
                throw WireError(
                    .outOfRange, at: at, expected: "acknowledged versions", found: first)
            }
            versions.insert(first...(first + length))
        }
        guard count > 0 else {
            throw WireError(.outOfRange, at: start, expected: "1 or more ranges", found: 0)
        }
        return ValueAcknowledgementFrame(isApplied: level == 1, versions: versions)
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.valueAcknowledgement.rawValue)
        writer.byte(isApplied ? 1 : 0)
        writer.varint(UInt64(versions.ranges.count))
        var end: UInt64?
        for range in versions.ranges {
            writer.varint(end.map { range.lowerBound - $0 - 2 } ?? range.lowerBound)
            writer.varint(range.upperBound - range.lowerBound)
            end = range.upperBound
        }
    }

    /// Takes out of `due` what fits into `room` bytes and one frame; nil where nothing does.
    static func taking(
        from due: inout NumberRanges, isApplied: Bool, room: Int, limits: Limits
    ) -> ValueAcknowledgementFrame? {
        var versions = NumberRanges()
        var used = 4
        var total: UInt64 = 0
        for range in due.ranges {
            let cost = WireWriter.varintSize(range.upperBound) + 2
            guard versions.ranges.count < limits.acknowledgementRanges, used + cost <= room,
                total < versionLimit
            else { break }
            let length = min(range.upperBound - range.lowerBound, versionLimit - total - 1)
            versions.insert(range.lowerBound...(range.lowerBound + length))
            used += cost
            total += length + 1
        }
        guard let last = versions.last else { return nil }
        due.removeAll(below: last + 1)
        return ValueAcknowledgementFrame(isApplied: isApplied, versions: versions)
    }
}
