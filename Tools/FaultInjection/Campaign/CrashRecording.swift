import WatchProtoCore
import WatchProtoJournal

/// The calls of the disk in one run of a journal, and the moments of its promises.
struct CrashRecording {
    /// The files as they stood, durable, before the first call.
    var base: [DiskImage.NamedFile] = []
    /// Every call that changed the disk.
    var calls: [DiskCall] = []
    /// The state of the journal after the first n batches, by n.
    var states: [JournalState] = [JournalState()]
    /// Some batches fail, and the journal lacks them when it is opened again. These are the states
    /// that it would have with them, by n.
    var dropped: [Int: JournalState] = [:]
    /// How many calls had been made when the journal was opened again; nil where it never was.
    var reopenedAt: Int?
    /// How many calls had been made when each batch was acknowledged.
    var acknowledgedAt: [Int] = []
    /// The counters of the journal on the recorded disk.
    var counters = JournalCounters()
    /// The fault planted under it.
    var fault: DiskFault?
    /// Why the journal gave up, where a fault was planted.
    var failure: JournalError?
    /// How many calls failed.
    var faultsMet = 0
    /// The key that seals the journal.
    var key: any PayloadKey = UnsealedPayloads()
    /// Bytes that no file may hold at any moment.
    var secrets: [[UInt8]] = []
    /// Bytes that no file may hold once the journal was opened.
    var remains: [[UInt8]] = []
    /// The pairing that is forgotten, where one is.
    var forgetting: CrashForgetting?

    /// How many batches were acknowledged when `callCount` calls had been made.
    func promised(at callCount: Int) -> Int {
        acknowledgedAt.prefix { $0 <= callCount }.count
    }

    /// All that was promised then.
    func promise(at callCount: Int) -> CrashPromise {
        CrashPromise(
            batches: promised(at: callCount),
            isForgotten: forgetting?.doneAt.map { $0 <= callCount } ?? false,
            mayHoldDropped: reopenedAt.map { callCount < $0 } ?? true)
    }
}

/// The promises that a journal had made when the power went.
struct CrashPromise {
    /// How many batches it had acknowledged.
    var batches: Int
    /// Whether it had said that the other pairing is forgotten.
    var isForgotten: Bool
    /// Whether batches may be there that were gone when the journal was opened again.
    var mayHoldDropped: Bool
}
