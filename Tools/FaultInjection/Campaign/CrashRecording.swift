import WatchProtoCore
import WatchProtoJournal

/// What one run of a journal did to the disk, and what it had promised when.
struct CrashRecording {
    /// The files as they stood, durable, before the first call.
    var base: [DiskImage.NamedFile] = []
    /// Every call that changed the disk.
    var calls: [DiskCall] = []
    /// What the journal amounts to after the first n batches, by n.
    var states: [JournalState] = [JournalState()]
    /// Some batches fail, and the journal lacks them when it is opened again. These are the states
    /// that it would have with them, by n.
    var dropped: [Int: JournalState] = [:]
    /// How many calls had been made when the journal was opened again; nil where it never was.
    var reopenedAt: Int?
    /// How many calls had been made when each batch was acknowledged.
    var acknowledgedAt: [Int] = []
    /// What the journal did on the recorded disk.
    var counters = JournalCounters()
    /// What fails under it.
    var fault: DiskFault?
    /// Why the journal gave up, where a fault was planted.
    var failure: JournalError?
    /// How many calls failed.
    var faultsMet = 0
    /// What the journal is sealed with.
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

/// What a journal had promised when the power went.
struct CrashPromise {
    /// How many batches it had acknowledged.
    var batches: Int
    /// Whether it had said that the other pairing is forgotten.
    var isForgotten: Bool
    /// Whether batches may be there that were gone when the journal was opened again.
    var mayHoldDropped: Bool
}
