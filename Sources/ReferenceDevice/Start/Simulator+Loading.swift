internal import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoJournal
internal import WatchProtoTransport

/// The part of a start that takes longer the more the file holds, and the acts that do not wait for
/// it.
extension Simulator {
    /// The commands that the file answers before the store is loaded.
    static let commandsBeforeLoad = [
        "dose.record", "dose.withdraw", "dose.correct", "dose.resolve", "events", "quit",
    ]

    /// Whether the store is loaded and there is a session, if there is to be one.
    package var isLoaded: Bool { loading.isComplete }

    /// When the face is to be looked at; nil for never.
    var nextLook: Instant? { isLoaded ? application.nextLook : nil }

    /// Checks the file, loads the store and opens the session.
    ///
    /// - Throws: where the file is damaged or cannot be read. It is as it was: until it was
    ///   checked, new doses go to its log alone.
    func loadStore() throws(StartRefusal) {
        if let file {
            do {
                // A dose may have met a full disk since.
                try file.reopen()
                try file.check()
                try application.open(FileStore(file))
            } catch {
                throw StartRefusal(
                    error, else: .badData,
                    "journal '\(file.path)': its store cannot be read: \(error). It was left as it "
                        + "is; restore a backup, or move it away.")
            }
        }
        do {
            file?.share { [application] in application.encoding(of: $0, equalTo: $1) }
            defer { file?.share(nil) }
            try openSession()
        } catch {
            throw StartRefusal(error, else: error is JournalFailure ? .system : .unavailable)
        }
    }

    /// Shows the face that the file kept.
    func showKeptFace() {
        guard let file, application.showKept(FileStore(file), in: self) else { return }
        life.withLock { $0.firstFace = SystemClock.now }
    }

    /// The dose of the medication at `index` that an act of the minute `moment` is about; nil if
    /// there is no medication.
    ///
    /// - Throws: `journal_failed` if the file cannot be read.
    func doseTarget(
        at index: Int, _ moment: WallMinute, _ zone: ZoneTimeline
    ) throws(ControlError) -> DoseTarget? {
        guard let file, !isLoaded else { return application.doseTarget(at: index, moment, zone) }
        let row = try Self.reading { try FileStore(file).row(at: index) }
        return row.flatMap { application.doseTarget(of: $0, moment, zone) }
    }

    /// The index of a medication; nil if it is not in the store.
    ///
    /// - Throws: `journal_failed` if the file cannot be read.
    func place(of medication: MedicationID) throws(ControlError) -> Int? {
        guard let file, !isLoaded else { return application.place(of: medication) }
        return try Self.reading { try FileStore(file).index(of: medication) }
    }

    private static func reading<Value>(_ body: () throws -> Value) throws(ControlError) -> Value {
        do {
            return try body()
        } catch {
            throw .journalFailed("\(error)", outcome: "nothing")
        }
    }
}
