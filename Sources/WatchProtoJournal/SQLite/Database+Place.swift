internal import CSQLite

/// The open file and the one at its path. Bytes in a file without a name are gone with
/// the process.
extension Database {
    /// Refuses a file that was removed, renamed or replaced while it is open, or that has lost its
    /// log.
    ///
    /// - Parameter path: the name of the file in the message.
    /// - Throws: ``JournalError``; whoever touched the file is at fault.
    func requireInPlace(_ path: String) throws(JournalError) {
        let lost = unsafe watchproto_sqlite_lost_file(handle)
        guard lost != 0 else { return }
        throw JournalError(
            .system, path: path,
            "\(lost == 1 ? "it" : "its log") was removed or replaced while this process has it "
                + "open. Nothing is durable until the former file is back")
    }
}
