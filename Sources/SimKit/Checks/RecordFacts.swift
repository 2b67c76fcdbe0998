import WatchProto

/// What two applications together know of one record.
struct RecordFacts: Sendable {
    /// The side that sent it.
    var sender: Int
    /// Its place among all records that side had accepted in this lane.
    var sequence: Int
    /// What was accepted; nil for a complication, whose record is made later.
    var draft: RecordDraft?
    /// The sender's application was told that it is durable there.
    var isPromised = false
    var isCancelAsked = false
    /// The sender's disk held it at some time.
    var wasCommittedAtOrigin = false
    /// The sender's process ended before the record was promised.
    var isOrphan = false
    /// A disk that held it was emptied, or replaced by an older copy.
    var isForgiven = false
    /// That disk was its sender's: who forgot that there was a record can say nothing of it.
    var isForgotten = false
    /// Its sender's application knew how it ended, and a restored backup took that away.
    var hasLostOutcome = false
    /// When it was first seen on its sender's side.
    var acceptedAt = Instant.zero
    /// The sender's application heard at some time that it was durable on the other side, or that
    /// nobody knows.
    var hasLeft = false
    /// The last stage reported in this life of the sender.
    var stage: Stage?
    /// The outcome reported last, and in which life of the sender.
    var outcome: Outcome?
    var outcomeLife = -1
    /// How its sender's peer said that it ended, when it was asked.
    var answer: Outcome?
    /// The receiver's life in which it was last given to the application; nil when never.
    var deliveredLife: Int?
    /// The receiver's application's last word.
    var word: Disposition?
    /// How many durable transactions of the receiver hold its effect, note, refusal.
    var effects = 0
    var notes = 0
    var refusals = 0

    /// Whether the receiver's disk holds any trace of it.
    var isOnReceiversDisk: Bool { effects + notes + refusals > 0 }
}
