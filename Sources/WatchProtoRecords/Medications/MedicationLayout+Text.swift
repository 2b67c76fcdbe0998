import WatchProtoCore

extension MedicationLayout {
    /// Refuses texts that are not UTF-8, each by itself.
    ///
    /// All three are contiguous. The usual case is ASCII, which is found by testing eight bytes at
    /// a time for a high bit. Only if there is one, each text is checked fully.
    @inline(__always)
    func checkTexts(in bytes: Span<UInt8>) throws(WireError) {
        if !isASCII(bytes) { try checkEachText(in: bytes) }
    }

    /// Whether no byte of the texts has its high bit set.
    @inline(__always)
    private func isASCII(_ bytes: Span<UInt8>) -> Bool {
        let highBits: UInt64 = 0x8080_8080_8080_8080
        var offset = Int(textStart)
        let end = offset &+ textLength
        var found: UInt64 = 0
        while offset &+ 32 <= end {
            found |= bytes.word(at: offset) | bytes.word(at: offset &+ 8)
            found |= bytes.word(at: offset &+ 16) | bytes.word(at: offset &+ 24)
            offset &+= 32
        }
        while offset &+ 8 <= end {
            found |= bytes.word(at: offset)
            offset &+= 8
        }
        // The last word once more from the end, without what stands before the rest. Numbers
        // always stand before the texts, so that there are eight bytes.
        let rest = end &- offset
        if rest > 0 { found |= bytes.word(at: end &- 8) >> UInt64(8 &* (8 &- rest)) }
        return found & highBits == 0
    }

    @inline(never)
    private func checkEachText(in bytes: Span<UInt8>) throws(WireError) {
        do {
            _ = try UTF8Span(validating: bytes.extracting(nameRange))
            _ = try UTF8Span(validating: bytes.extracting(strengthRange))
            _ = try UTF8Span(validating: bytes.extracting(instructionsRange))
        } catch {
            throw textError(in: bytes)
        }
    }
}

extension Span<UInt8> {
    /// The bytes as UTF-8, which was checked before.
    var checkedText: UTF8Span {
        @_lifetime(copy self)
        get {
            do {
                return try UTF8Span(validating: self)
            } catch {
                preconditionFailure("checked text was refused: \(error)")
            }
        }
    }
}
