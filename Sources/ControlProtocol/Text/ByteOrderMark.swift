extension [UInt8] {
    /// The bytes without the byte order mark (U+FEFF in UTF-8) that some editors put at the
    /// beginning of a file. JSON (RFC 8259, 8.1) allows a reader to ignore it.
    package var withoutByteOrderMark: [UInt8] {
        starts(with: [0xEF, 0xBB, 0xBF]) ? Array(dropFirst(3)) : self
    }
}
