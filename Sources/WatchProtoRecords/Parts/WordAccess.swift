// Eight bytes at a time through safe spans. Cutting out a span of a fixed size costs the one
// bounds check; the accesses in it then need none, and the compiler joins them to one instruction.

extension Span<UInt8> {
    /// Bytes `offset` to `offset + 7` as a number, lowest first.
    @inlinable @inline(__always)
    func word(at offset: Int) -> UInt64 {
        let part = extracting(offset..<(offset &+ 8))
        return UInt64(part[0]) | UInt64(part[1]) << 8 | UInt64(part[2]) << 16
            | UInt64(part[3]) << 24 | UInt64(part[4]) << 32 | UInt64(part[5]) << 40
            | UInt64(part[6]) << 48 | UInt64(part[7]) << 56
    }

    /// Sixteen bytes from `offset` on as a number, highest first.
    @inlinable @inline(__always)
    func identity(at offset: Int) -> UInt128 {
        UInt128(word(at: offset).byteSwapped) << 64 | UInt128(word(at: offset &+ 8).byteSwapped)
    }

    /// Bytes `offset` to `offset + 3` as a number, lowest first.
    @inlinable @inline(__always)
    func halfWord(at offset: Int) -> UInt32 {
        let part = extracting(offset..<(offset &+ 4))
        return UInt32(part[0]) | UInt32(part[1]) << 8 | UInt32(part[2]) << 16
            | UInt32(part[3]) << 24
    }
}

extension MutableSpan<UInt8> {
    /// Sets bytes `offset` to `offset + 7` to `word`, lowest first.
    @inlinable @inline(__always)
    @_lifetime(self: copy self)
    mutating func set(word: UInt64, at offset: Int) {
        var part = _mutatingExtracting(offset..<(offset &+ 8))
        part[0] = UInt8(truncatingIfNeeded: word)
        part[1] = UInt8(truncatingIfNeeded: word >> 8)
        part[2] = UInt8(truncatingIfNeeded: word >> 16)
        part[3] = UInt8(truncatingIfNeeded: word >> 24)
        part[4] = UInt8(truncatingIfNeeded: word >> 32)
        part[5] = UInt8(truncatingIfNeeded: word >> 40)
        part[6] = UInt8(truncatingIfNeeded: word >> 48)
        part[7] = UInt8(truncatingIfNeeded: word >> 56)
    }

    /// Sets a word as ``set(word:at:)`` does, for a word that was just combined from parts. It is
    /// byte-swapped, so that the optimiser stores one number and not the parts.
    @inlinable @inline(__always)
    @_lifetime(self: copy self)
    mutating func set(joined word: UInt64, at offset: Int) {
        var part = _mutatingExtracting(offset..<(offset &+ 8))
        let turned = word.byteSwapped
        part[0] = UInt8(truncatingIfNeeded: turned >> 56)
        part[1] = UInt8(truncatingIfNeeded: turned >> 48)
        part[2] = UInt8(truncatingIfNeeded: turned >> 40)
        part[3] = UInt8(truncatingIfNeeded: turned >> 32)
        part[4] = UInt8(truncatingIfNeeded: turned >> 24)
        part[5] = UInt8(truncatingIfNeeded: turned >> 16)
        part[6] = UInt8(truncatingIfNeeded: turned >> 8)
        part[7] = UInt8(truncatingIfNeeded: turned)
    }

    /// Sets bytes `offset` to `offset + 3` to `word`, lowest first.
    @inlinable @inline(__always)
    @_lifetime(self: copy self)
    mutating func set(halfWord word: UInt32, at offset: Int) {
        var part = _mutatingExtracting(offset..<(offset &+ 4))
        let turned = word.byteSwapped
        part[0] = UInt8(truncatingIfNeeded: turned >> 24)
        part[1] = UInt8(truncatingIfNeeded: turned >> 16)
        part[2] = UInt8(truncatingIfNeeded: turned >> 8)
        part[3] = UInt8(truncatingIfNeeded: turned)
    }

    /// Sets `count` bytes, at most 8, from `offset` on to the low ones of `word`, lowest first.
    @inlinable @inline(__always)
    @_lifetime(self: copy self)
    mutating func set(low count: Int, of word: UInt64, at offset: Int) {
        if offset &+ 8 <= self.count {
            set(word: word, at: offset)
        } else {
            var rest = word
            for index in 0..<count {
                self[offset &+ index] = UInt8(truncatingIfNeeded: rest)
                rest >>= 8
            }
        }
    }

    /// Copies all of `source` to `offset` on.
    @inlinable @inline(__always)
    @_lifetime(self: copy self)
    mutating func copy(_ source: Span<UInt8>, to offset: Int) {
        let count = source.count
        if count >= 8 {
            // Whole words, then the last eight bytes once more instead of a remainder.
            var done = 0
            while done &+ 8 < count {
                set(joined: source.word(at: done), at: offset &+ done)
                done &+= 8
            }
            set(joined: source.word(at: count &- 8), at: offset &+ count &- 8)
        } else if count >= 4 {
            set(halfWord: source.halfWord(at: 0), at: offset)
            set(halfWord: source.halfWord(at: count &- 4), at: offset &+ count &- 4)
        } else {
            for index in 0..<count { self[offset &+ index] = source[index] }
        }
    }
}
