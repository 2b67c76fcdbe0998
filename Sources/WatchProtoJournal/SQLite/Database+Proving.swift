internal import CSQLite

extension Database {
    /// Adopts an existing log of so many pages, complete to the end of its last commit. If its path
    /// is given, it is written anew before anything follows it.
    func takeUpLog(ofPages count: Int, _ log: String? = nil) {
        unsafe pages.pointee = Int32(clamping: count)
        unprovenLog = count > 0 ? log : nil
    }

    /// Writes an adopted log once more, unchanged, before anything follows it.
    ///
    /// An earlier sync of it may have failed, in this process or in another. The system then shows
    /// pages that are not on the disk, and no later sync writes them. It may also have dropped them
    /// since the log was read.
    func proveLog() throws(SQLiteFailure) {
        guard let log = unprovenLog else { return }
        let pages = logPages
        let code = unsafe watchproto_sqlite_rewrite_log(
            handle, Int64(LogInspection.bytes(ofPages: pages)))
        guard code == SQLITE_OK else { throw failure("write the log once more", code) }
        let size = (try? FileLook.kind(of: log).1) ?? 0
        guard LogInspection(of: log, size: size).committedPages >= pages else {
            throw SQLiteFailure(
                call: "reading the log again", code: SQLITE_IOERR,
                message: "commits that were there are gone")
        }
        unprovenLog = nil
    }
}
