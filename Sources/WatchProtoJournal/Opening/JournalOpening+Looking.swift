internal import CPosix
internal import Glibc

/// Examines the path before anything is opened.
extension JournalOpening {
    /// The kind of file at the path, if a journal can be opened or made there.
    func look() throws(JournalError) -> FileLook.Kind {
        let (kind, size) = try FileLook.kind(of: file)
        switch kind {
        case .directory:
            throw JournalError(.notAJournal, path: path, "it is a directory")
        case .other:
            throw JournalError(.notAJournal, path: path, "it is not a regular file")
        case .file:
            try checkHeader(size)
            try checkNames()
        case .nothing: try checkDirectory()
        }
        return kind
    }

    private func checkHeader(_ size: Int) throws(JournalError) {
        guard let header = FileLook.bytes(of: file, count: 100) else {
            throw FileLook.systemError("open", errno, path)
        }
        let magic = Array("SQLite format 3\0".utf8)
        let isBeginning = header.count < 100 && header.starts(with: magic.prefix(header.count))
        guard !isBeginning else {
            throw JournalError(.damaged, path: path, "it is cut short, at \(size) bytes")
        }
        guard header.starts(with: magic) else {
            throw JournalError(.notAJournal, path: path, "it is not an SQLite file")
        }
        let owner = header[68..<72].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard owner == JournalSchema.applicationID else {
            throw JournalError(
                .notAJournal, path: path,
                "it is an SQLite file of another application (id \(owner))")
        }
        guard FileLook.canWrite(file) else {
            throw JournalError(.readOnly, path: path, "the file cannot be written")
        }
        try checkDirectory()
    }

    /// Refuses hard links. SQLite puts the log beside the name with which a file was opened. Under
    /// another name the file would be opened without its log, and begin a log of its own.
    private func checkNames() throws(JournalError) {
        let names = unsafe watchproto_file_names(file)
        guard names >= 0 else { throw FileLook.systemError("stat", errno, path) }
        // While it is made it may have two, and keep them over a crash.
        let isDraft = FileIdentity(of: file + "-new").map { $0 == FileIdentity(of: file) } ?? false
        guard names > (isDraft ? 2 : 1) else { return }
        throw JournalError(.severalNames, path: path, "the file has \(names) names (hard links)")
    }

    /// Checks the length of a file without a log against its header. SQLite does not notice missing
    /// free pages at the end.
    func checkLength() throws(JournalError) {
        let (_, size) = try FileLook.kind(of: file)
        guard let header = FileLook.bytes(of: file, count: 100), header.count == 100 else {
            throw JournalError(.damaged, path: path, "it is cut short, at \(size) bytes")
        }
        let pageBytes = Int(header[16]) << 8 | Int(header[17])
        let pages = header[28..<32].reduce(0) { $0 << 8 | Int($1) }
        // A page of 65,536 bytes is written as 1.
        let expected = pages * (pageBytes == 1 ? 65_536 : pageBytes)
        guard size >= expected else {
            throw JournalError(
                .damaged, path: path, "it is cut short, at \(size) of \(expected) bytes")
        }
    }

    /// Whether a log is missing beside a file that says that commits are in one.
    func missesLog() throws -> Bool {
        guard try FileLook.kind(of: file + "-wal").0 == .nothing else { return false }
        return try Database.callsForLog(path: file, fileSystem: options.fileSystem)
    }

    /// The refusal of such a file, if nothing beside it shows that it is complete.
    func logIsMissing(_ extent: LogMark.Extent?) -> JournalError {
        let held = extent.map { ", which are not among \($0)" } ?? ""
        return JournalError(
            .commitsMissing, path: path,
            "it was not closed, and its write-ahead log '\(file)-wal' is missing: the file says "
                + "that commits stand there\(held)")
    }

    private func checkDirectory() throws(JournalError) {
        let directory = FileLook.directory(of: file)
        guard try FileLook.kind(of: directory).0 == .directory else {
            throw JournalError(.system, path: path, "there is no directory '\(directory)'")
        }
        guard FileLook.canWrite(directory) else {
            throw JournalError(
                .readOnly, path: path, "its directory '\(directory)' cannot be written")
        }
    }
}
