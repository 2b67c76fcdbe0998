internal import CPosix
internal import Glibc
internal import WatchProtoCore
internal import WatchProtoTransport

/// A file that blocking calls append to, for the raw baseline only. It is removed when closed.
struct AppendedFile: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Makes the file, which must not exist yet.
    ///
    /// - Throws: ``LinkError`` when the system gives no such file.
    static func make(at path: String) throws(LinkError) -> AppendedFile {
        let descriptor = try retryOnInterrupt {
            unsafe path.withCString { unsafe watchproto_create_file($0) }
        }.orLinkError("open", on: "'\(path)'")
        return AppendedFile(descriptor: descriptor, path: path)
    }

    /// Appends all of `bytes` (`write`); false on failure.
    func append(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits until what was appended is on the disk (`fdatasync`); false on failure.
    func synchronize() -> Bool { fdatasync(descriptor) == 0 }

    /// Makes the file `count` bytes long, durably, and begins at its start again. Bytes appended
    /// then change no length. False on failure.
    func makeRoom(_ count: Int) -> Bool {
        append([UInt8](repeating: 0, count: count)[...]) && synchronize()
            && lseek(descriptor, 0, SEEK_SET) == 0
    }

    /// Closes and removes the file.
    func remove() {
        DescriptorCall.close(descriptor)
        _ = unsafe path.withCString { unsafe unlink($0) }
    }
}
