internal import Glibc
internal import WatchJournal
import WatchProto

/// Opens what a crash left, and compares it with what was given.
struct CrashVerifier {
    /// What is in a journal after a crash.
    enum Outcome {
        /// The first so many batches, and nothing else.
        case holds(batches: Int)
        /// Something else.
        case fault(String)

        /// What is wrong where `promised` batches had been acknowledged; nil when nothing is.
        func complaint(promised: Int) -> String? {
            switch self {
            case .fault(let text): text
            case .holds(let count) where count < promised:
                "\(promised) batches were acknowledged, and \(count) are there"
            case .holds: nil
            }
        }
    }

    var recording: CrashRecording
    var family: CrashFamily

    /// Opens the journal in `directory`: it must open, and hold the first m batches and nothing
    /// else, in the journal and in the store alike. What the opening asks of the disk is noted by
    /// `disk`.
    func outcome(in directory: ScratchDirectory, on disk: RecordedDisk? = nil) -> Outcome {
        var options = CrashRecorder.options(family, storeVersion: family == .migrate ? 3 : 1)
        if let disk {
            options.fileSystem = disk.name
            options.fault = disk.fault()
        }
        let file: JournalFile
        do throws(JournalError) {
            file = try JournalFile(
                path: directory.file(CrashRecorder.fileName), options: options)
        } catch {
            return .fault("it does not open: \(error.detail)")
        }
        defer { file.abandon() }
        do {
            // What it tidies is part of the recovery, in every process.
            while !file.isResting { usleep(20) }
            let left = directory.names.first { $0.hasPrefix("\(CrashRecorder.fileName)-new") }
            if let left { return .fault("'\(left)' is left of its making") }
            return try outcome(of: file)
        } catch {
            return .fault("it cannot be read: \(error)")
        }
    }

    private func outcome(of file: JournalFile) throws -> Outcome {
        let doubles = family == .migrate ? "coalesce(double, -1)" : "2 * number"
        let rows = try file.read { store in
            try store.query("SELECT number, \(doubles) FROM crash_batch ORDER BY number") {
                row throws(StoreFailure) in (row.integer(0), row.integer(1))
            }
        }
        for (place, row) in rows.enumerated() where row.0 != Int64(place + 1) {
            return .fault(
                "the store's row \(place + 1) is of batch \(row.0): one before it is missing")
        }
        if let row = rows.first(where: { $0.1 != 2 * $0.0 }) {
            return .fault("the store's row \(row.0) was not rewritten by the migration: \(row.1)")
        }
        guard rows.count < recording.images.count else {
            return .fault("the store holds \(rows.count) batches, more than were given")
        }
        let image = try file.journal(for: CrashRecorder.pairing).restore()
        guard image == recording.images[rows.count] else {
            return .fault("the journal does not hold the \(rows.count) batches the store holds")
        }
        return .holds(batches: rows.count)
    }
}
