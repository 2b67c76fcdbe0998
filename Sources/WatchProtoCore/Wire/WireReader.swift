/// Reads a span of untrusted bytes from front to back. Every read checks its bounds; nothing is
/// consumed by a read that fails. `what` names the value in the error; the author of the bytes is
/// at fault for every one.
package struct WireReader: ~Escapable, ~Copyable {
    private var bytes: Span<UInt8>
    /// Bytes consumed so far.
    package private(set) var offset = 0

    /// Makes a reader at the first byte of `bytes`, which it cannot outlive.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
    }

    /// Bytes not yet read.
    package var remaining: Int { bytes.count - offset }

    /// Whether every byte has been read.
    package var isAtEnd: Bool { offset == bytes.count }

    /// The next byte, not consumed; nil at the end.
    package var peek: UInt8? { isAtEnd ? nil : bytes[offset] }

    /// One byte. Throws `truncated` at the end.
    package mutating func byte(_ what: StaticString) throws(WireError) -> UInt8 {
        guard offset < bytes.count else {
            throw WireError(.truncated, at: offset, expected: what, found: 0)
        }
        let value = bytes[offset]
        offset += 1
        return value
    }

    /// Two bytes, lowest first. Throws `truncated` when fewer are left.
    package mutating func uint16(_ what: StaticString) throws(WireError) -> UInt16 {
        UInt16(truncatingIfNeeded: try fixed(2, what))
    }

    /// Eight bytes, lowest first. Throws `truncated` when fewer are left.
    package mutating func uint64(_ what: StaticString) throws(WireError) -> UInt64 {
        try fixed(8, what)
    }

    /// Sixteen bytes, highest first, as UUIDs are written. Throws `truncated` when fewer are left.
    package mutating func uint128(_ what: StaticString) throws(WireError) -> UInt128 {
        guard remaining >= 16 else {
            throw WireError(.truncated, at: offset, expected: what, found: UInt64(remaining))
        }
        var value: UInt128 = 0
        for index in offset..<offset + 16 { value = value << 8 | UInt128(bytes[index]) }
        offset += 16
        return value
    }

    /// `count` bytes as a number, lowest first; `count` is at most 8. Throws `truncated` when fewer
    /// are left.
    package mutating func fixed(_ count: Int, _ what: StaticString) throws(WireError) -> UInt64 {
        guard remaining >= count else {
            throw WireError(.truncated, at: offset, expected: what, found: UInt64(remaining))
        }
        var value: UInt64 = 0
        for index in 0..<count {
            value |= UInt64(bytes[offset + index]) << UInt64(8 * index)
        }
        offset += count
        return value
    }

    /// A variable-length number: seven bits a byte, lowest first, the high bit set on all but the
    /// last, in as few bytes as it needs (unsigned LEB128, at most ten bytes). Throws `truncated`,
    /// `overlong` for more bytes than needed, `outOfRange` beyond 64 bits.
    package mutating func varint(_ what: StaticString) throws(WireError) -> UInt64 {
        if offset < bytes.count, bytes[offset] < 0x80 {
            offset += 1
            return UInt64(bytes[offset - 1])
        }
        var value: UInt64 = 0
        var cursor = offset
        var shift: UInt64 = 0
        while cursor < bytes.count {
            let byte = bytes[cursor]
            cursor += 1
            if shift == 63, byte > 1 {
                throw WireError(.outOfRange, at: offset, expected: what, found: UInt64(byte))
            }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                if byte == 0 {
                    throw WireError(.overlong, at: offset, expected: what, found: value)
                }
                offset = cursor
                return value
            }
            shift += 7
        }
        throw WireError(.truncated, at: offset, expected: what, found: UInt64(remaining))
    }

    /// A variable-length number of at most `limit`. Throws `outOfRange` above it, else as
    /// ``varint(_:)`` does.
    package mutating func varint(
        _ what: StaticString, atMost limit: UInt64
    ) throws(WireError) -> UInt64 {
        let start = offset
        let value = try varint(what)
        guard value <= limit else {
            offset = start
            throw WireError(.outOfRange, at: start, expected: what, found: value)
        }
        return value
    }

    /// A count that what follows must be able to hold, at `size` bytes each or more. Throws
    /// `truncated` when it cannot, `outOfRange` above `limit`, else as ``varint(_:)`` does.
    package mutating func count(
        _ what: StaticString, atMost limit: Int, size: Int = 1
    ) throws(WireError) -> Int {
        let start = offset
        let value = try varint(what, atMost: UInt64(limit))
        guard value <= UInt64(remaining / size) else {
            offset = start
            throw WireError(.truncated, at: start, expected: what, found: value)
        }
        return Int(value)
    }

    /// The next `count` bytes. Throws `truncated` when fewer are left.
    @_lifetime(copy self)
    package mutating func bytes(
        _ count: Int, _ what: StaticString
    ) throws(WireError) -> Span<UInt8> {
        guard count >= 0, count <= remaining else {
            throw WireError(.truncated, at: offset, expected: what, found: UInt64(remaining))
        }
        let slice = bytes.extracting(offset..<offset + count)
        offset += count
        return slice
    }

    /// A length of at most `limit`, then that many bytes, copied. Throws as
    /// ``count(_:atMost:size:)`` does.
    package mutating func block(
        _ what: StaticString, atMost limit: Int
    ) throws(WireError) -> [UInt8] {
        let length = try count(what, atMost: limit)
        return [UInt8](copying: try bytes(length, what))
    }

    /// Ends what there is to read `length` bytes from here, and gives what there was before. A
    /// frame inside a packet is read so; ``widen(to:)`` ends it.
    @_lifetime(copy self)
    mutating func narrow(to length: Int) -> Span<UInt8> {
        let whole = bytes
        bytes = whole.extracting(0..<offset + length)
        return whole
    }

    @_lifetime(self: copy whole)
    mutating func widen(to whole: Span<UInt8>) { bytes = whole }

    /// Refuses whatever is left.
    package func finish(_ what: StaticString) throws(WireError) {
        guard isAtEnd else {
            throw WireError(.trailingBytes, at: offset, expected: what, found: UInt64(remaining))
        }
    }

    /// Reads what is left, and refuses it where it is not nothing but zeros.
    package mutating func finishPadding(_ what: StaticString) throws(WireError) {
        while !isAtEnd {
            let at = offset
            let found = try byte(what)
            guard found == 0 else {
                throw WireError(.trailingBytes, at: at, expected: what, found: UInt64(found))
            }
        }
    }
}

extension [UInt8] {
    /// A copy of `span`.
    package init(copying span: Span<UInt8>) {
        self.init(capacity: span.count) { output in
            for index in span.indices { output.append(span[index]) }
        }
    }
}
