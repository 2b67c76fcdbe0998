/// A fault or a rare state that a large run must meet at least once.
package enum Rarity: UInt8, Hashable, Sendable, CaseIterable {
    // Faults that bit.
    /// A packet was lost by itself.
    case lost
    /// A packet was lost in a burst.
    case lostInBurst
    /// A packet arrived twice.
    case duplicated
    /// A packet was delayed so that later ones may pass.
    case reordered
    /// A packet began a clog or was held by one.
    case clogged
    /// A packet was lost because the queue before the link was full.
    case queueFull
    /// A packet was lost to an outage, or waited for its end.
    case outage
    /// Bits of a packet were flipped, or it was cut short.
    case damaged
    /// A lossless carrier lost a packet and recovered it, at the cost of time.
    case recovered
    /// A packet missed an occasion to send.
    case stalled
    /// The link took only a part of a write.
    case takenInPart
    /// A stream handed over its bytes one at a time.
    case byteAtATime
    /// A stream handed over several writes in one read.
    case coalesced
    /// A process died.
    case crash
    /// A process died while a commit was pending.
    case crashWithPendingCommit
    /// A batch became durable in a crash although its receipt never got out.
    case unreceiptedCommit
    /// A process died at a call to its journal, before the batch was taken.
    case crashBeforeWrite
    /// A process died while a batch was being written.
    case crashInsideWrite
    /// A process died after a commit and before its receipt.
    case crashAfterCommit
    /// A process died while it recovered from a crash.
    case crashInRecovery
    /// A commit failed.
    case commitFailed
    /// A commit that failed was durable all the same.
    case failedCommitDurable
    /// A disk was full for a while.
    case diskFull
    /// A journal was opened again and failed again.
    case journalStuck
    /// A disk was emptied.
    case wiped
    /// A disk was replaced by an older copy of it.
    case restored
    /// Another device took the place of one, with a copy of its disk, or gave way to it again.
    case exchanged
    /// A process stood still.
    case pause
    /// The carrier broke.
    case cut
    /// A wall clock was set forward or back.
    case clockJump
    /// A timer was set to fire after its time.
    case lateTimer
    /// Nothing left one side for a while.
    case partition
    /// Nothing left either side for a while.
    case blackout
    /// An earlier packet arrived again. Only sealed sessions meet this.
    case replayed
    /// Somebody who does not know a session's keys sent a reset.
    case resetForged
    /// A connection was looked at, and was not the counterpart's.
    case newcomerRefused
    /// A connection took the place of the one that was open.
    case newcomerAdmitted
    /// A translator gave a side another address.
    case mappedAnew
    /// From some moment on nothing got through in one direction, for good.
    case deadDirection
    /// One end of a link was gone while an outage hid it from the other.
    case halfOpen
    /// A link could not be opened.
    case attemptFailed
    // Applications met these.
    /// A record was given to its application again.
    case deliveredAgainAfterCrash
    /// An application rejected a record.
    case rejected
    /// An application decided on a record only after its delivery.
    case appliedLater
    /// A record was taken back in time.
    case cancelled
    /// A record was applied although its sender had asked for it back.
    case cancelledTooLate
    /// A record expired before it was delivered.
    case expired
    /// A newer value of the same key made a record needless.
    case superseded
    /// A record's sender could not learn what became of it.
    case outcomeUnknown
    /// A reply to an interactive record arrived.
    case replied
    /// A record was refused because the counterpart was not reachable.
    case refusedNotReachable
    /// A side learned that its counterpart had restarted.
    case counterpartRestarted
    /// A side learned that its counterpart was wiped.
    case counterpartWiped
    /// A side learned that its counterpart's journal went back.
    case counterpartWentBack
    /// A side learned that its own journal went back or was wiped.
    case ownJournalWentBack
    /// A side learned that its own journal was wiped.
    case ownJournalWiped
    /// One handshake showed a side that both journals went back.
    case bothWentBack
    /// A side learned that its counterpart, or it itself, goes on from a copy.
    case copyFound
    /// A side learned that its counterpart holds records that its own journal lost.
    case tailLost
    /// A value got another version.
    case renumbered
    /// A side got back a value of its own that only its counterpart still had.
    case valueRecovered
    /// Two values of a key met, one of them from a history that is lost.
    case conflict
    /// How a record had ended was not known any more on the side that had to say so.
    case outcomeForgotten
    /// A peer said that its journal failed.
    case journalFailed
    /// A record was refused because the journal had failed.
    case refusedJournalFailed
    /// A side closed a link because nothing moved on it.
    case linkStalled
    /// Silence made a side hold its counterpart for unreachable.
    case unreachableBySilence
    /// A record of the bulk channel was delivered.
    case bulkDelivered
    /// An application closed its link and wanted none for a while.
    case suspended
    /// A session became active.
    case activated
    /// A record without a payload was accepted.
    case emptyPayload
    /// A link was closed because its handshake took too long.
    case handshakeTimedOut
    /// A process died with records accepted but not yet promised.
    case orphaned
    /// A record that waits for its own commit was accepted in a session.
    case waitedForCommit
    /// A process died with such a record accepted and not committed: nobody knows of it.
    case waitingLost
    /// The oldest record was not committed on the other side for as long as it may take.
    case overdue
    /// It was committed at last.
    case overdueEnded
    /// A value equal to the newest one of its key was accepted as that one.
    case equalValue
    /// A record given again under its idempotency key joined the one under way.
    case joinedByKey
    /// A record was answered as an earlier one under its idempotency key had been.
    case answeredByKey
    /// A record left as a delta to a value that its receiver held.
    case deltaSent
    /// A receiver asked for a value whole, for lack of a base or of what a handle stands for.
    case baseAsked
    /// A removal was given to its application.
    case removed
    /// A set was the one that the other side held or was being sent.
    case setNotModified
    /// A set removed a value that was not in it.
    case synchronizedAway
    // The identity protocol.
    /// A session kept the ticket of the one before.
    case ticketKept
    /// A pending ticket became common with the first conclusion from a statement under it.
    case ticketConcluded
    /// A pending ticket became common where the next one was entered.
    case ticketPromoted
    /// Tickets of a history that is over were marked abandoned.
    case ticketsAbandoned
    /// Values of a history that is over got new versions.
    case versionsMended
    /// A sender raised the removal watermark of its values.
    case watermarkRaised
    /// Messages 1 of both sides crossed.
    case initiationsCrossed
    /// A message 1 was stale, and was refused.
    case initiationRefused
    // Early data; only where sessions are sealed.
    /// An early packet was refused, or its fate was not known: its records left again.
    case earlyRefused
    /// A record was taken that came behind a first flight.
    case earlyTaken
    /// A record was given to its application before the session was active.
    case earlyBeforeActivation
    /// An early packet was lost.
    case earlyLost
    /// An early packet arrived twice.
    case earlyDuplicated
    /// An early packet was delayed so that later ones may pass.
    case earlyReordered
    /// A process died with early packets out of which it did not know what became of them.
    case earlySenderCrashed
    // Keys; only where sessions are sealed.
    /// A side left a key for the next one, as it was too old.
    case keyAged

    /// The name in summaries and files.
    package var name: String { "\(self)" }

    /// Whether it can be met only where sessions are sealed.
    package var needsSealing: Bool {
        switch self {
        case .replayed, .earlyTaken, .earlyRefused, .earlyBeforeActivation, .earlyLost,
            .earlyDuplicated, .earlyReordered, .earlySenderCrashed,
            .keyAged, .resetForged, .newcomerRefused, .newcomerAdmitted, .mappedAnew:
            true
        default: false
        }
    }
}
