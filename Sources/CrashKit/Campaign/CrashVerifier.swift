internal import WatchJournal
import WatchProto

/// Opens what a crash left, and compares it with what was promised.
struct CrashVerifier {
    var recording: CrashRecording
    var family: CrashFamily

    /// What is wrong with the journal in `directory`, if anything: it must open, hold the first m
    /// batches and nothing else, in the journal and in the store alike, and m must be at least
    /// `promised`.
    func complaint(in directory: ScratchDirectory, promised: Int) -> String? {
        let file: JournalFile
        do throws(JournalError) {
            file = try JournalFile(
                path: directory.file(CrashRecorder.fileName),
                options: CrashRecorder.options(
                    family, storeVersion: family == .migrate ? 3 : 1))
        } catch {
            return "it does not open: \(error.detail)"
        }
        defer { file.abandon() }
        do {
            return try complaint(about: file, promised: promised)
        } catch {
            return "it cannot be read: \(error)"
        }
    }

    private func complaint(about file: JournalFile, promised: Int) throws -> String? {
        let doubles = family == .migrate ? "coalesce(double, -1)" : "2 * number"
        let rows = try file.read { store in
            try store.query("SELECT number, \(doubles) FROM crash_batch ORDER BY number") {
                row throws(StoreFailure) in (row.integer(0), row.integer(1))
            }
        }
        for (place, row) in rows.enumerated() where row.0 != Int64(place + 1) {
            return "the store's row \(place + 1) is of batch \(row.0): one before it is missing"
        }
        if let row = rows.first(where: { $0.1 != 2 * $0.0 }) {
            return "the store's row \(row.0) was not rewritten by the migration: \(row.1)"
        }
        guard rows.count >= promised else {
            return "\(promised) batches were acknowledged, and \(rows.count) are there"
        }
        guard rows.count < recording.images.count else {
            return "the store holds \(rows.count) batches, more than were given"
        }
        let image = try file.journal(for: CrashRecorder.pairing).restore()
        guard image == recording.images[rows.count] else {
            return "the journal does not hold the \(rows.count) batches that the store holds"
        }
        return nil
    }
}
