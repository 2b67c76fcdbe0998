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
    /// Whoever waited here for another program's bytes could hear nothing else meanwhile: what is
    /// no regular file is refused without waiting for it.
    ///
    /// - Throws: `file_missing` or `file_unreadable` with the system's text, `not_a_file` with what
    ///   it is instead, or `file_too_large`.
    package init(path: String) throws(ControlError) {
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
        bytes = []
        // Room that grows by doubling could be twice the file; one byte more shows its end.
        let size = watchproto_file_bytes(number)
        guard size >= 0 else { throw failure("fstat") }
        bytes.reserveCapacity(Int(min(size, Int64(Self.limitBytes))) + 1)
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            guard let count = Descriptors.read(number, into: &chunk) else { throw failure("read") }
            if count == 0 { break }
            bytes += chunk[..<count]
            guard bytes.count <= Self.limitBytes else {
                throw ControlError(
                    "file_too_large",
                    ["path": .string(path), "limit_bytes": .whole(Self.limitBytes)])
            }
        }
    }
}
