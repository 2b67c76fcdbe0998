import CPosix
import Glibc

/// The origin of a file under a name that a program of this package is to write.
package enum FileOrigin: Hashable, Sendable {
    /// No regular file has the name.
    case none
    /// A program of this package wrote it.
    case ours
    /// Somebody else wrote it, or it cannot be read.
    case foreign
}

extension Files {
    /// The origin of the file at `path`.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - mark: a text near the begin of each such file of ours.
    package static func origin(of path: String, mark: String) -> FileOrigin {
        guard exists(path), kindUnlessRegular(path) == nil else { return .none }
        guard let bytes = try? read(path) else { return .foreign }
        let begin = String(decoding: bytes.prefix(1 << 16), as: UTF8.self)
        return begin.contains(mark) ? .ours : .foreign
    }
}

extension RigFailure {
    /// The refusal to replace a file that a program of this package did not write.
    package static func foreignFile(at path: String) -> RigFailure {
        RigFailure(
            .cannotWrite, "'\(path)' is not a file of the rig, and stays.",
            details: ["Try: another directory, or move that file away."])
    }

    /// The refusal to write into a directory beside another run.
    package static func claimed(_ directory: String) -> RigFailure {
        RigFailure(
            .cannotWrite, "Another run is writing into '\(directory)'.",
            details: ["Try: another directory with --out, or this one after that run."])
    }
}

/// The claim of one run on the directory of its files. It ends with the value and with the process,
/// and leaves no file.
package final class DirectoryClaim: Sendable {
    private let number: Int32

    /// Claims the directory `path`; nil where another run has it. A file system without such claims
    /// refuses nobody.
    package init?(_ path: String) {
        number = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { return }
        if watchproto_claim(number) != 0, errno == EWOULDBLOCK {
            close(number)
            return nil
        }
    }

    deinit { if number >= 0 { close(number) } }
}
