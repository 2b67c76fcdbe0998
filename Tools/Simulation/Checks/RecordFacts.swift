import WatchProtoCore

/// The facts that two applications together know of one record.
struct RecordFacts: Sendable {
    /// The side that sent it.
    var sender: Int
    /// Its place among all records that the side had accepted in this channel.
    var sequence: Int
    /// The draft that was accepted; nil where the peer gave a value a name by itself.
    var draft: RecordDraft?
    /// When it was first seen on its sender's side.
    var acceptedAt = Instant.zero
    /// The sender's application was told that it is durable there.
    var isPromised = false
    var isCancelAsked = false
    /// The sender's disk held it at some time.
    var wasQueued = false
    /// The sender's disk held at some time how it ended, or that it was returned.
    var wasSettled = false
    /// The sender's process ended before the record was promised.
    var isOrphan = false
    /// The name that the record has now, where its version was mended.
    var renamed: RecordID?
    /// Its peer has another value of its key, which nobody gave it.
    var isReplaced = false
    /// The last stage reported in this process of the sender.
    var stage: Stage?
    /// The sender's application heard at some time that it was durable on the other side.
    var hasLeft = false
    /// The outcome reported last, and in which process of the sender.
    var outcome: Outcome?
    var outcomeLife = -1
    /// The answer of its sender's peer, when it was asked last.
    var answer: RecordStatus?
    /// The receiver's process in which it was last delivered; nil when never.
    var deliveredLife: Int?
    /// How often the sender's disk had gone back when it was delivered last, and the receiver's
    /// disk did not hold it yet.
    var deliveredHistory = 0
    /// The receiver's application's last word.
    var word: Disposition?
    /// Its effect, note or refusal was durable at the receiver in some history; and with which
    /// code it was refused.
    var tookEffect = false
    var refusal: UInt16?
    var wasTaken = false
    /// The receiver's disk went back, or was emptied, since the record was accepted.
    var receiverWentBack = false
    /// The sender's disk went back, or was emptied, since the record was accepted.
    var senderWentBack = false

    /// Whether one of both disks lost something since the record was accepted.
    var anyWentBack: Bool { receiverWentBack || senderWentBack }

    /// The outcome that its sender knows, by report or by answer.
    var knownOutcome: Outcome? {
        if let outcome { return outcome }
        if case .settled(let outcome)? = answer { return outcome }
        return nil
    }
}

/// The facts about records that one side's application wrote to its disk.
struct DiskFacts: Sendable {
    /// Own records.
    var queued = Set<RecordID>()
    var outcomes: [RecordID: Outcome] = [:]
    /// Records of the other side.
    var effects = Set<RecordID>()
    var notes = Set<RecordID>()
    var refusals: [RecordID: UInt16] = [:]
    /// How far that side has settled them, by epoch and channel.
    var settledThere: [EpochID: [Channel: UInt64]] = [:]
    /// The records that took effect under idempotency keys.
    var acts: [Ledger.ActName: RecordID] = [:]

    /// Whether it holds any trace of a record of the other side.
    func hasTaken(_ id: RecordID) -> Bool {
        effects.contains(id) || notes.contains(id) || refusals[id] != nil
    }

    /// Whether it holds that the other side has settled a record.
    func isSettledThere(_ id: RecordID) -> Bool {
        settledThere[id.epoch]?[id.channel] ?? 0 >= id.number.rawValue
    }
}
