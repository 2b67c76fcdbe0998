internal import CPosix
package import ControlProtocol
internal import Glibc
internal import WatchProtoTransport

/// A file that a command names.
package struct InputFile: Sendable {
    /// What it holds.
    package var bytes: [UInt8]

    /// The largest file that is read, in bytes.
    package static let limitBytes = 256 << 20

    /// Reads the file at `path`.
    ///
    /// - Throws: as ``text(path:)``.
    package init(path: String) throws(ControlError) {
        var bytes: [UInt8] = []
        try Self.read(path) { chunk, size in
            // Room that grows by doubling could be twice the file; one byte more shows its end.
            if bytes.isEmpty { bytes.reserveCapacity(size + 1) }
            bytes += chunk
        }
        self.bytes = bytes
    }

    /// Reads the file at `path` in pieces.
    ///
    /// Whoever waited here for another program's bytes could hear nothing else meanwhile: what is
    /// no regular file is refused without waiting for it.
    ///
    /// - Throws: `file_missing` or `file_unreadable` with the system's text, `not_a_file` with what
    ///   it is instead, or `file_too_large`.
    package static func text(path: String) throws(ControlError) -> ChunkedText {
        let text = ChunkedText()
        var isFirst = true
        try read(path) { chunk, _ in
            text.append(isFirst ? Array(chunk).withoutByteOrderMark[...] : chunk)
            isFirst = false
        }
        return text
    }

    /// Gives `body` the bytes of the file at `path` in their order, with the size of the file.
    private static func read(
        _ path: String, _ body: (ArraySlice<UInt8>, Int) -> Void
    ) throws(ControlError) {
        func failure(_ call: String) -> ControlError {
            ControlError(
                errno == ENOENT ? "file_missing" : "file_unreadable",
                [
                    "path": .string(path), "call": .string(call),
                    "system": .string(SystemErrorText.of(errno)),
                ])
        }
        let number = unsafe watchproto_open_file(path)
        guard number >= 0 else { throw failure("open") }
        defer { close(number) }
        guard let kind = unsafe watchproto_special_kind(number).map({ unsafe String(cString: $0) })
        else { throw failure("fstat") }
        guard kind.isEmpty else {
            throw ControlError(
                "not_a_file",
                [
                    "path": .string(path), "expected": "a regular file", "found": .string(kind),
                ])
        }
        let size = watchproto_file_bytes(number)
        guard size >= 0 else { throw failure("fstat") }
        var chunk = [UInt8](repeating: 0, count: ChunkedText.chunkBytes)
        var total = 0
        while true {
            guard let count = Descriptors.read(number, into: &chunk) else { throw failure("read") }
            if count == 0 { break }
            body(chunk[..<count], Int(min(size, Int64(limitBytes))))
            total += count
            guard total <= limitBytes else {
                throw ControlError(
                    "file_too_large",
                    ["path": .string(path), "limit_bytes": .whole(limitBytes)])
            }
        }
    }
}
