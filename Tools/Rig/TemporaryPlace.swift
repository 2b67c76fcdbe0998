import CommandLine
import WatchProtoTransport

/// The place of a run's files.
enum TemporaryPlace {
    /// Makes a directory of the run's own, in which a Unix socket finds room.
    ///
    /// - Parameters:
    ///   - prefix: what its name begins with.
    ///   - socket: the path of the run's socket in it; nil where it has none.
    /// - Throws: exit code 73, with what to do.
    static func make(_ prefix: String, socket: String? = nil) throws(RigFailure) -> String {
        if let socket { try check(Files.temporaryBase, named: "TMPDIR", prefix, socket) }
        do throws(SystemError) {
            return try Files.makeTemporaryDirectory(prefix)
        } catch {
            throw RigFailure(
                .cannotWrite, "Cannot make a temporary directory: \(error).",
                details: [
                    error.advice(isWriting: true, otherwise: "put TMPDIR=/tmp before the command.")
                ])
        }
    }

    /// Checks that the path of a socket below `base` is one: the system's bound is 107 bytes.
    ///
    /// - Throws: exit code 73, with what to do.
    static func check(
        _ base: String, named name: String, _ prefix: String, _ socket: String
    ) throws(RigFailure) {
        let limit = LinkAddress.pathLimitBytes
        let further = "/\(prefix).XXXXXX/\(socket)".utf8.count
        let count = base.utf8.count
        guard count + further > limit else { return }
        throw RigFailure(
            .cannotWrite,
            "\(name) is too long for a socket in it: its path has \(count) bytes, must be at most "
                + "\(limit - further).",
            details: [
                "A Unix socket's path has at most \(limit) bytes, and that of this run would have "
                    + "\(count + further).",
                "Try: a shorter path, such as \(name == "TMPDIR" ? "TMPDIR=/tmp" : "\(name) /tmp"); "
                    + "'rig doctor' looks at TMPDIR, too.",
            ])
    }
}
