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
    /// Its sender's disk was emptied, or replaced by an older copy: who forgot that there was a
    /// record can say nothing of it.
    var isForgotten = false
    /// A disk that held it, or what its end was told from, was emptied or replaced.
    var wasLost = false
    /// The latest life of its receiver at whose end the disk lost what it held of the record.
    var lostLife: Int?
    /// Until which life of the receiver what its sender has heard of its end was sent: its peer,
    /// and its disk.
    var heardLife: Int?
    var keptLife: Int?
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
    /// The same, whatever became of its disk.
    var givenLife: Int?
    /// The receiver's application's last word.
    var word: Disposition?
    /// How many durable transactions of the receiver hold its effect, note, refusal.
    var effects = 0
    var notes = 0
    var refusals = 0

    /// Whether a disk that held it was emptied, or replaced by an older copy, so that nothing can
    /// be asked of it any more. Where that was the receiver's, its sender knew already how the
    /// record ended: of any other it still has the record, and is to deliver it again.
    var isForgiven: Bool {
        guard let lostLife, let heardLife else { return isForgotten }
        return isForgotten || heardLife <= lostLife
    }

    /// Whether the receiver's disk holds any trace of it.
    var isOnReceiversDisk: Bool { effects + notes + refusals > 0 }
    /// The traces that the receiver's disk holds.
    var marks: [Int] { [effects, notes, refusals] }
}
