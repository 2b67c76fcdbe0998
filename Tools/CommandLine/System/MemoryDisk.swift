import CPosix

/// A small file system in memory, mounted at a directory for this process and those it starts, that
/// can be filled. Needs the right to mount; dropping it takes it away with all it holds.
package final class MemoryDisk {
    /// Where it is mounted.
    package let directory: String
    private var filler: String { "\(directory)/filler" }

    /// Gives the calling thread, and threads and processes that it starts from now on, mounts of
    /// their own. Call once, before the first disk.
    ///
    /// - Throws: the system's refusal. The corresponding C function is `unshare`.
    package static func prepare() throws(SystemError) {
        guard watchproto_own_mounts() == 0 else { throw SystemError("unshare", "mounts") }
    }

    /// Mounts one of `bytes` at `directory`, which must exist.
    ///
    /// - Throws: the system's refusal. The corresponding C function is `mount`.
    package init(at directory: String, bytes: Int) throws(SystemError) {
        self.directory = directory
        guard unsafe watchproto_mount_memory(directory, "size=\(bytes),mode=700") == 0 else {
            throw SystemError("mount", directory)
        }
    }

    deinit { _ = unsafe watchproto_unmount(directory) }

    /// Takes the room away, but for `left` bytes.
    ///
    /// - Throws: the system's refusal. The corresponding C function is `posix_fallocate`.
    package func fill(leaving left: UInt64) throws(SystemError) {
        free()
        guard unsafe watchproto_fill(directory, filler, left) == 0 else {
            throw SystemError("posix_fallocate", filler)
        }
    }

    /// Gives the room back.
    package func free() { Files.remove(filler) }
}
