/// What the sender may offer: it follows what is taken, and what of that the journal holds.
extension InboundLane {
    /// The sender's record is off our hands: it may offer another, unless this one waits for the
    /// journal.
    mutating func consume(offers: UInt64, bytes: Int) {
        consumedOffers += offers
        consumedBytes += UInt64(bytes)
        noteCredit()
        freed()
    }

    /// A session begins, with full windows; what came early is not counted.
    mutating func beginCredit() {
        consumedOffers = 0
        consumedBytes = 0
        grantedOffers = UInt64(traits.offerWindow)
        grantedBytes = UInt64(traits.byteWindow)
        creditIsDue = false
        freed()
    }

    /// A record is taken that the journal is to hold; call before it is consumed.
    mutating func awaitCommit(bytes: Int) {
        uncommitted += 1
        uncommittedBytes += bytes
    }

    /// The journal holds a record that was taken.
    mutating func committed(bytes: Int) {
        uncommitted -= 1
        uncommittedBytes -= bytes
        noteCredit()
        freed()
    }

    /// What the sender may have used when it has used all it may.
    private var dueOffers: UInt64 {
        consumedOffers + UInt64(max(0, traits.offerWindow - uncommitted))
    }
    private var dueBytes: UInt64 {
        consumedBytes + UInt64(max(0, traits.byteWindow - uncommittedBytes))
    }

    private mutating func noteCredit() {
        let offers = max(grantedOffers, dueOffers) - grantedOffers
        let bytes = max(grantedBytes, dueBytes) - grantedBytes
        if bytes >= UInt64(traits.byteWindow / 2)
            || (offers >= UInt64(traits.offerWindow / 2) && !owesRaise)
        {
            creditIsDue = true
        }
    }

    /// Room may have become free for a record that was turned away.
    mutating func freed() {
        if owesRaise, hasRoom { creditIsDue = true }
    }

    /// The raise to announce. While a sender is turned away and there is still no room, only bytes
    /// are raised, for what has its place already; a raise of offers is the signal to offer again.
    mutating func makeCredit() -> CreditFrame {
        grantedBytes = max(grantedBytes, dueBytes)
        if !owesRaise {
            grantedOffers = max(grantedOffers, dueOffers)
        } else if hasRoom {
            grantedOffers = max(grantedOffers + 1, dueOffers)
            owesRaise = false
            mustTryLater.removeAll()
        }
        creditIsDue = false
        return CreditFrame(lane: lane, offers: grantedOffers, bytes: grantedBytes)
    }
}
