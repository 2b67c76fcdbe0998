/// A record on its way out, and how far it is.
struct OutboundItem: Sendable {
    var record: OutboundRecord
    /// The furthest stage known, reported or not.
    var stage: Stage = .queued
    /// Stages up to this one were reported; nil before the local commit.
    var reported: Stage?
    /// When it was accepted, in nanoseconds on the peer's monotonic clock; before that clock's
    /// origin, if an earlier process accepted it.
    var acceptedAt: Int64 = 0
    /// The counterpart reported it committed, and nothing shows that it has lost it since. (Its
    /// stage falls back in a new session also where a greeting merely cannot say so much.)
    var isHeldThere = false
    /// The local journal holds it.
    var isDurableHere: Bool
    /// It must not leave before that.
    var waitsForCommit = false
    /// It was given to a carrier at some time, in this process or perhaps in an earlier one.
    var wasTransmitted = false
    /// It is under way in this session.
    var isOffered = false
    /// A newer value of its key was accepted after it had been transmitted.
    var isSuperseded = false
    /// It is being taken back: as expired, or as cancelled.
    var withdrawal: Outcome?
    /// The receiver asked for the value whole.
    var needsWhole = false
    /// In this session it was sent with its key *and* a handle for it.
    var definedHandle = false
    /// How it ended before the local commit did: as the counterpart said, or without it, taken back
    /// here before it left.
    var heldOutcome: Outcome?
    /// The credit in offers that stood when it was offered, to tell a late refusal of an earlier
    /// offer from one of this.
    var offeredAtCredit: UInt64 = 0
    /// Payload bytes charged against the credit of this session.
    var chargedBytes = 0
    /// It left early, before there was credit to charge.
    var isUncharged = false
    /// How far it has left in parts; nil before the first. Few records do, and an item is copied
    /// often.
    var parts: PartsUnderWay?

    init(record: OutboundRecord, isDurableHere: Bool) {
        self.record = record
        self.isDurableHere = isDurableHere
    }

    /// Whether it may leave (again) in this session.
    var isWaiting: Bool {
        stage < .received && !isOffered && !isSuperseded && withdrawal == nil && heldOutcome == nil
    }

    /// Whether its end is the word of a counterpart that may have lost it since. What was taken
    /// back before it left is over without that.
    var isEndInDoubt: Bool {
        heldOutcome != nil && (wasTransmitted || heldOutcome == .superseded)
    }

    /// Whether an answer is owed for it in this session.
    var isInFlight: Bool { isOffered && stage < .committed }

    /// Forgets what only one session knew.
    mutating func endSession() {
        isOffered = false
        isUncharged = false
        needsWhole = false
        definedHandle = false
        chargedBytes = 0
        parts = nil
        // Received but not committed may be gone with the receiver's memory.
        if stage == .received { stage = .sent }
    }
}

/// A record that leaves in parts, and how far it is.
struct PartsUnderWay: Sendable {
    /// The head all parts are cut with.
    let head: [UInt8]
    /// How often they were begun anew in this session.
    var cut = 0
    /// Bytes of the parts that have left, from the start.
    var sentThrough = 0
    /// Pieces that were lost and must leave again.
    var lost: [Range<Int>] = []
}
