internal import CPosix
package import ControlProtocol
internal import Glibc
internal import WatchProtoTransport

/// A file that a command names.
package struct InputFile: Sendable {
    /// The content of the file.
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
    /// A file that is not regular, such as a pipe, is refused at once: a simulator that waited here
    /// for another program's bytes could receive no command meanwhile.
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
        let (number, size) = try open(path)
        defer { close(number) }
        var chunk = [UInt8](repeating: 0, count: ChunkedText.chunkBytes)
        var total = 0
        while true {
            guard let count = Descriptors.read(number, into: &chunk) else {
                throw failure("read", path)
            }
            if count == 0 { break }
            body(chunk[..<count], min(size, limitBytes))
            total += count
            guard total <= limitBytes else { throw tooLarge(path) }
        }
    }

    /// Opens the regular file at `path`. Returns its descriptor and its size.
    fileprivate static func open(_ path: String) throws(ControlError) -> (Int32, Int) {
        let number = unsafe watchproto_open_file(path)
        guard number >= 0 else { throw failure("open", path) }
        let kind = unsafe watchproto_special_kind(number).map { unsafe String(cString: $0) }
        let size = watchproto_file_bytes(number)
        guard let kind, size >= 0 else {
            defer { close(number) }
            throw failure("fstat", path)
        }
        guard kind.isEmpty else {
            close(number)
            throw ControlError(
                "not_a_file",
                [
                    "path": .string(path), "expected": "a regular file", "found": .string(kind),
                ])
        }
        return (number, Int(size))
    }

    fileprivate static func failure(_ call: String, _ path: String) -> ControlError {
        ControlError(
            errno == ENOENT ? "file_missing" : "file_unreadable",
            [
                "path": .string(path), "call": .string(call),
                "system": .string(SystemErrorText.of(errno)),
            ])
    }

    fileprivate static func tooLarge(_ path: String) -> ControlError {
        ControlError(
            "file_too_large", ["path": .string(path), "limit_bytes": .whole(limitBytes)])
    }
}

/// A file that a command names, of which only the parts that are being read are in memory.
final class InputPieces {
    private let path: String
    private let number: Int32
    private let fileBytes: Int
    private let opened: Version?
    /// The bytes of a mark before the text.
    private var start = 0
    private var failure: ControlError?

    /// Opens the file at `path`.
    ///
    /// - Throws: as ``InputFile/text(path:)``.
    init(path: String) throws(ControlError) {
        self.path = path
        (number, fileBytes) = try InputFile.open(path)
        opened = Version(number)
        guard fileBytes <= InputFile.limitBytes else { throw InputFile.tooLarge(path) }
        let first = bytes(at: 0, count: min(fileBytes, 3))
        start = first.count - first.withoutByteOrderMark.count
        try check()
    }

    deinit { close(number) }

    /// The text of the file. If a part of it cannot be read, the text is wrong from there on, and
    /// ``check()`` says so.
    var text: ChunkedText {
        ChunkedText(count: fileBytes - start) { [self] place in
            let offset = start + place * ChunkedText.chunkBytes
            return bytes(at: offset, count: min(ChunkedText.chunkBytes, fileBytes - offset))
        }
    }

    /// Throws the first failure of a read; `file_unreadable` also if the file was changed since it
    /// was opened, because its parts are read more than once.
    func check() throws(ControlError) {
        if let failure { throw failure }
        guard let opened, Version(number) == opened else {
            throw ControlError(
                "file_unreadable",
                [
                    "path": .string(path), "call": "read",
                    "system": "the file was changed while it was read",
                ])
        }
    }

    /// The size of an open file, and the time of the last write.
    private struct Version: Equatable {
        var bytes: Int
        var seconds: Int
        var nanoseconds: Int

        /// Nil if the system does not say.
        init?(_ number: Int32) {
            var status = stat()
            guard unsafe fstat(number, &status) == 0 else { return nil }
            bytes = Int(status.st_size)
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    private func bytes(at offset: Int, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe pread(
                    number, bytes.baseAddress?.advanced(by: filled), count - filled,
                    off_t(offset + filled))
            }
            if read < 0, errno == EINTR { continue }
            if read == 0 { errno = EIO }
            guard read > 0 else {
                if failure == nil { failure = InputFile.failure("read", path) }
                break
            }
            filled += read
        }
        return bytes
    }
}
