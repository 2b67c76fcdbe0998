import WatchProto

/// The parts of a medication's body.
extension WireWriter {
    mutating func text(_ text: String) { block(Array(text.utf8)) }
    mutating func signed(_ value: Int64) { uint64(UInt64(bitPattern: value)) }
}

extension WireReader {
    mutating func text(_ what: StaticString) throws(WireError) -> String {
        let bytes = try block(what, atMost: 1 << 24)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw WireError(.invalidText, at: offset - bytes.count, expected: what, found: 0)
        }
        return text
    }

    mutating func signed(
        _ what: StaticString, in range: ClosedRange<Int>
    ) throws(WireError) -> Int {
        let value = Int(try signed(what))
        guard range.contains(value) else {
            throw outOfRange(what, UInt64(bitPattern: Int64(value)))
        }
        return value
    }

    func outOfRange(_ what: StaticString, _ found: UInt64) -> WireError {
        WireError(.outOfRange, at: offset, expected: what, found: found)
    }

    mutating func signed(_ what: StaticString) throws(WireError) -> Int64 {
        Int64(bitPattern: try uint64(what))
    }
}
