internal import Locks
import WatchProtoCore
import WatchProtoJournal
internal import WatchProtoTransport

/// A journal that fails in a run, and goes on.
extension CrashRecorder {
    /// Waits until everything given is durable. A journal that has failed is restored as a driver
    /// restores it, which opens the file again. Its content then is promised from there on, and the
    /// run goes on behind it.
    func flush(
        _ file: JournalFile, _ recording: inout CrashRecording, _ answers: CrashAnswers
    ) throws {
        do throws(JournalError) { return try file.flush() } catch {
            guard (try? JournalState(of: Self.pairing, in: file)) != nil else { throw error }
            let held =
                try file.read { store in
                    try store.query("SELECT count(*) FROM crash_batch") {
                        row throws(StoreFailure) in Int(row.integer(0))
                    }
                }.first ?? 0
            let missing = held - recording.acknowledgedAt.count - answers.callCounts.count
            // The check of the file finds batches that were acknowledged and are gone.
            guard missing >= 0, held < recording.states.count else { throw error }
            answers.add(missing)
            recording.reopenedAt = answers.callCount
            for number in held + 1..<max(held + 1, recording.states.count) {
                recording.dropped[number] = recording.states[number]
            }
            recording.states.removeLast(recording.states.count - 1 - held)
        }
    }
}

/// Notes at which call each batch was acknowledged.
final class CrashAnswers: Sendable {
    private let counts = Mutex<[Int]>([])
    private let disk: RecordedDisk?
    private let gate: WriterGate?

    init(disk: RecordedDisk?, gate: WriterGate?) {
        self.disk = disk
        self.gate = gate
    }

    var callCounts: [Int] { counts.withLock { $0 } }
    var callCount: Int { disk?.callCount ?? 0 }

    @Sendable func note(_ receipt: JournalReceipt, _ isCommitted: Bool) {
        if isCommitted { add(1) } else { gate?.expectNone() }
    }

    /// As many more are acknowledged.
    func add(_ number: Int) {
        let count = callCount
        counts.withLock { $0 += [Int](repeating: count, count: number) }
    }
}
