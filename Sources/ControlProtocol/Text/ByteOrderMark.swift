extension [UInt8] {
    /// The bytes without the byte order mark (U+FEFF in UTF-8) that some editors put at the begin
    /// of a file. It says nothing there, and JSON (RFC 8259, 8.1) lets who reads pass over it.
    package var withoutByteOrderMark: [UInt8] {
        starts(with: [0xEF, 0xBB, 0xBF]) ? Array(dropFirst(3)) : self
    }
}
