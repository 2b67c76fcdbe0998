internal import Glibc
import WatchProtoCore
import WatchProtoJournal
internal import WatchProtoSecurity

/// Opens what a crash left, and compares it with what was given.
struct CrashVerifier {
    /// The content of a journal after a crash.
    enum Outcome: Hashable {
        /// The first so many batches, with the pairing that is forgotten or without it, and
        /// nothing else; or with batches that failed and were dropped.
        case holds(batches: Int, isForgotten: Bool, isDropped: Bool)
        /// Something else.
        case fault(String)

        /// The fault of this outcome where so much had been promised; nil for none.
        func complaint(_ promise: CrashPromise) -> String? {
            switch self {
            case .fault(let text): text
            case .holds(let count, _, _) where count < promise.batches:
                "\(promise.batches) batches were acknowledged, and \(count) are there"
            case .holds(_, false, _) where promise.isForgotten:
                "a pairing was forgotten, and is there"
            case .holds(_, _, true) where !promise.mayHoldDropped:
                "a batch is there that had failed, and was gone when the journal was opened again"
            case .holds: nil
            }
        }
    }

    var recording: CrashRecording
    var family: CrashFamily
    /// Bugs planted in a recovery that is noted, for tests.
    var mutants: Set<JournalMutant> = []

    /// Opens the journal in `directory`: it must open, and hold the first m batches and nothing
    /// else, in the journal and in the store alike. `disk` notes the calls of the opening.
    func outcome(in directory: ScratchDirectory, on disk: RecordedDisk? = nil) -> Outcome {
        do throws(JournalError) {
            return look(into: try open(directory, disk), directory)
        } catch {
            return .fault("it does not open: \(error.detail)")
        }
    }

    /// The fault where the file was moved away from its log and its mark, which stand in
    /// `directory` no more: it must be refused, or hold as much as with them. Nil when it does.
    func complaintAlone(in directory: ScratchDirectory, whole: Outcome) -> String? {
        do throws(JournalError) {
            let alone = look(into: try open(directory, nil), directory)
            guard alone != whole else { return nil }
            return "without its log and its mark it opens, with \(alone) instead of \(whole)"
        } catch {
            if [.commitsMissing, .damaged].contains(error.kind) { return nil }
            return "without its log and its mark it is refused as \(error.kind): \(error.detail)"
        }
    }

    /// Whether any of the files holds what none may hold at any moment.
    func complaint(about files: [DiskImage.NamedFile]) -> String? {
        guard let file = files.first(where: { Self.holds($0.bytes, recording.secrets) }) else {
            return nil
        }
        return "'\(file.name)' holds in clear what is sealed"
    }

    private func open(
        _ directory: ScratchDirectory, _ disk: RecordedDisk?
    ) throws(JournalError) -> JournalFile {
        var options = CrashRecorder.options(
            family, storeVersion: family.storeVersion, key: recording.key)
        if let disk {
            options.fileSystem = disk.name
            options.fault = disk.fault()
            options.mutants = mutants
        }
        return try JournalFile(path: directory.file(CrashRecorder.fileName), options: options)
    }

    private func look(into file: JournalFile, _ directory: ScratchDirectory) -> Outcome {
        defer { file.abandon() }
        do {
            // Tidying is part of the recovery, in every process.
            while !file.isResting { usleep(20) }
            let left = directory.names.first { $0.hasPrefix("\(CrashRecorder.fileName)-new") }
            if let left { return .fault("'\(left)' is left of its making") }
            let outcome = try outcome(of: file)
            guard case .holds(_, let isForgotten, _) = outcome else { return outcome }
            return try complaintAboutBytes(in: directory, isForgotten).map(Outcome.fault)
                ?? CrashRecorder.complaintAboutSchema(of: file, family).map(Outcome.fault)
                ?? outcome
        } catch {
            return .fault("it cannot be read: \(error)")
        }
    }

    private func outcome(of file: JournalFile) throws -> Outcome {
        let doubles = family == .migrate ? "coalesce(double, -1)" : "2 * number"
        let isSealed = !recording.secrets.isEmpty || !recording.remains.isEmpty
        let rows = try file.read { store in
            try store.query("SELECT number, \(doubles), note FROM crash_batch ORDER BY number") {
                row throws(StoreFailure) in
                let note =
                    isSealed
                    ? try store.columns.open(
                        row.blob(2), table: CrashRecorder.notes, row: row.integer(0)) : []
                return (row.integer(0), row.integer(1), note)
            }
        }
        for (place, row) in rows.enumerated() where row.0 != Int64(place + 1) {
            return .fault(
                "the store's row \(place + 1) is of batch \(row.0): one before it is missing")
        }
        if let row = rows.first(where: { $0.1 != 2 * $0.0 }) {
            return .fault("the store's row \(row.0) was not rewritten by the migration: \(row.1)")
        }
        if let row = rows.first(where: { isSealed && $0.2 != CrashRecorder.secret.word }) {
            return .fault("the note of the store's row \(row.0) is another")
        }
        let known = rows.count < recording.states.count ? recording.states[rows.count] : nil
        let dropped = recording.dropped[rows.count]
        guard known != nil || dropped != nil else {
            return .fault("the store holds \(rows.count) batches, more than were given")
        }
        let state = try JournalState(of: CrashRecorder.pairing, in: file)
        guard state == known || state == dropped else {
            return .fault("the journal does not hold the \(rows.count) batches the store holds")
        }
        guard let forgetting = recording.forgetting else {
            return .holds(
                batches: rows.count, isForgotten: false, isDropped: state != known)
        }
        return try forgetting.outcome(of: file, batches: rows.count, isDropped: state != known)
    }

    /// The fault where bytes are left that must be gone once the journal was opened.
    private func complaintAboutBytes(
        in directory: ScratchDirectory, _ isForgotten: Bool
    ) throws -> String? {
        let gone = recording.remains + (isForgotten ? recording.forgetting?.traces ?? [] : [])
        guard !gone.isEmpty || !recording.secrets.isEmpty else { return nil }
        let files = try directory.contents()
        if let file = files.first(where: { Self.holds($0.bytes, gone) }) {
            return "'\(file.name)' holds the bytes of what is gone"
        }
        return complaint(about: files)
    }

    private static func holds(_ bytes: [UInt8], _ words: [[UInt8]]) -> Bool {
        words.contains { ByteSearch.holds(bytes, $0) }
    }
}
