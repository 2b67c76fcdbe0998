internal import Glibc

extension AtRestKey {
    /// The first line of a file that only its owner can read, without the line's end. The caller
    /// clears the bytes with ``wipe(_:)``.
    ///
    /// - Throws: every fault of ``AtRestKeyError`` that is about a file. The owner of the file is
    ///   at fault; it is not changed.
    package static func passphrase(file path: String) throws(AtRestKeyError) -> [UInt8] {
        var file = KeyFile(path: path)
        file.noun = "passphrase file"
        file.form = "a passphrase in its first line"
        let descriptor = try file.open()
        defer { close(descriptor) }
        try file.checkKind(of: descriptor)
        let limit = passphraseRangeBytes.upperBound
        var bytes = [UInt8](repeating: 0, count: limit + 2)
        defer { wipe(&bytes) }
        var length = 0
        while length < bytes.count {
            let start = length
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(
                    descriptor, buffer.baseAddress! + start, buffer.count - start)
            }
            if count == 0 { break }
            if count > 0 {
                length += count
            } else if errno != EINTR {
                throw file.refusal(of: "read")
            }
        }
        let line = bytes[..<length].firstIndex(of: UInt8(ascii: "\n")) ?? length
        guard passphraseRangeBytes.contains(line) else {
            throw AtRestKeyError(
                .wrongLength, "passphrase file '\(path)'",
                seen: line == 0 ? "an empty first line" : "a first line of \(line) bytes or more",
                expected: "\(passphraseRangeBytes.lowerBound) to \(limit) bytes",
                remedy: "write the passphrase into its first line")
        }
        return Array(bytes[..<line])
    }
}
