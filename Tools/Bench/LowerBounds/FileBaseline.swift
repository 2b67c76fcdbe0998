internal import CPosix
internal import Glibc
internal import Locks
internal import WatchProtoCore
package import WatchProtoSecurity
package import WatchProtoTransport

/// The lower bounds under the transfer of a file over a Unix socket, with nothing of the protocol
/// in between.
package enum FileBaseline {
    /// Bytes that are read, sealed and sent at once.
    private static let blockBytes = 61_440
    /// Bytes after which the receiver calls `fdatasync`.
    private static let checkpointBytes = 1 << 18

    /// One side reads and seals the file, and the other one opens and hashes it, writes it to a
    /// file of its own, and synchronizes that each 256 KiB and at the end.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - directory: the directory of the copy, which is removed.
    ///   - sealer: seals each block.
    /// - Returns: nanoseconds from the first read until the copy is durable.
    /// - Throws: ``LinkError`` when the system gives no files, sockets or threads, or a call fails.
    package static func sealed(
        _ path: String, in directory: String, _ sealer: AtRestSealer
    ) throws(LinkError) -> UInt64 {
        try pass(path, in: directory) { bytes in
            sealer.seal(bytes, associatedData: [])
        } read: { socket, count, digest in
            var bytes = [UInt8](repeating: 0, count: count + AtRestSealer.overheadBytes)
            guard socket.read(&bytes) else { return nil }
            let opened = try? sealer.open(bytes, associatedData: [])
            opened.map { digest.update($0.span) }
            return opened
        }
    }

    /// `sendfile` on one side, and on the other one a loop that reads, writes and synchronizes as
    /// that of ``sealed(_:in:_:)``. Nothing is sealed or hashed.
    ///
    /// - Returns: nanoseconds until the copy is durable.
    /// - Throws: as ``sealed(_:in:_:)``.
    package static func sendFile(
        _ path: String, in directory: String
    ) throws(LinkError) -> UInt64 {
        try pass(path, in: directory, seal: nil) { socket, count, _ in
            var bytes = [UInt8](repeating: 0, count: count)
            return socket.read(&bytes) ? bytes : nil
        }
    }

    private typealias Reading =
        @Sendable (BlockingSocket, Int, inout FileDigest) -> [UInt8]?

    /// Passes a file from one side to the other.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - directory: the directory of the copy.
    ///   - seal: seals a block; nil for `sendfile`.
    ///   - read: reads a block of so many bytes; nil if it cannot.
    private static func pass(
        _ path: String, in directory: String, seal: (([UInt8]) -> [UInt8])?,
        read: @escaping Reading
    ) throws(LinkError) -> UInt64 {
        let (near, far) = try BlockingSocket.pair()
        let copy = try AppendedFile.make(
            at: "\(directory)/bare-\(watchproto_monotonic_nanoseconds())")
        defer { copy.remove() }
        let isWhole = Mutex(false)
        let start = watchproto_monotonic_nanoseconds()
        do throws(SystemErrorNumber) {
            let file = try OpenFile(reading: path)
            let size = try file.stamp().size
            let receiving = try SystemThread {
                let received = receive(Int(size), far, copy, read)
                isWhole.withLock { $0 = received }
                far.close()
            }
            if let seal {
                var offset: UInt64 = 0
                while offset < size {
                    let count = Int(min(UInt64(blockBytes), size - offset))
                    let block = try file.read(at: offset, count: count)
                    guard near.write(seal(block)) else { break }
                    offset += UInt64(count)
                }
            } else {
                _ = near.pass(file, count: Int(size))
            }
            // A receiver that lacks bytes ends then.
            near.close()
            receiving.join()
        } catch {
            near.close()
            throw .system(error.failure(of: "read"), subject: "'\(path)'")
        }
        guard isWhole.withLock({ $0 }) else {
            throw .system(
                CarrierFailure(call: "fdatasync", errorNumber: EIO), subject: "the bare loop")
        }
        return watchproto_monotonic_nanoseconds() - start
    }

    private static func receive(
        _ size: Int, _ socket: BlockingSocket, _ copy: AppendedFile, _ read: Reading
    ) -> Bool {
        var digest = FileDigest()
        var (left, written) = (size, 0)
        while left > 0 {
            guard let block = read(socket, min(blockBytes, left), &digest),
                copy.append(block[...])
            else { return false }
            left -= block.count
            written += block.count
            if written >= checkpointBytes {
                guard copy.synchronize() else { return false }
                written = 0
            }
        }
        return digest.finish().count == 32 && copy.synchronize()
    }
}
