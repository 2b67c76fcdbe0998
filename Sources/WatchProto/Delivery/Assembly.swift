/// A record being put together from its parts.
struct Assembly: Sendable {
    let address: RecordAddress
    private(set) var bytes: [UInt8]
    private var filled = NumberRanges()
    private var missing: Int

    init(address: RecordAddress, totalBytes: Int) {
        self.address = address
        bytes = Array(repeating: 0, count: totalBytes)
        missing = totalBytes
    }

    var totalBytes: Int { bytes.count }

    /// Whether every byte is there.
    var isComplete: Bool { missing == 0 }

    /// Puts a part in its place; false when it is of another length of record.
    mutating func add(_ part: PartFrame) -> Bool {
        guard part.totalBytes == bytes.count, !part.bytes.isEmpty else { return false }
        bytes.replaceSubrange(part.offset..<part.offset + part.bytes.count, with: part.bytes)
        filled.insert(UInt64(part.offset)...UInt64(part.offset + part.bytes.count - 1))
        var count = 0
        for range in filled.ranges { count += Int(range.upperBound - range.lowerBound) + 1 }
        missing = bytes.count - count
        return true
    }

    /// The record the parts make up.
    func record() throws(WireError) -> RecordFrame {
        var reader = WireReader(bytes.span)
        let frame = try RecordFrame.read(&reader)
        try reader.finish("end of the joined parts")
        guard frame.head.address == address else {
            throw WireError(
                .notCanonical, at: 0, expected: "the record its parts name",
                found: frame.head.address.number)
        }
        return frame
    }
}
