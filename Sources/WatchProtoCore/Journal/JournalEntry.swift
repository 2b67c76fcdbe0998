/// One fact that must outlive the process. The entries of a batch are atomic; batches become
/// durable in the order given. (Models/IDENTITY.md; the room that makes an entry folds it when the
/// journal is opened.) A checkpoint consists of such entries too: ``JournalImage/entries``.
package enum JournalEntry: Hashable, Sendable {
    // MARK: Identity

    /// The present opening drew this epoch, or reserved more versions for it: values may leave with
    /// versions up to `reservationEnd`.
    case opened(EpochID, reservationEnd: UInt64)
    /// The journal entered a ticket; see ``TicketEntry``.
    indirect case ticketEntered(TicketEntry)
    /// The positions in the ticket that this process entered, after this batch: `own` counts the
    /// batches of this process since it entered the ticket; `counterpart` is the position told with
    /// the newest statement that was concluded from, nil where nothing was concluded. The first
    /// conclusion promotes the pending ticket.
    case ticketProgress(own: UInt64, counterpart: UInt64?)
    /// Own handshake counters below `reserved` may be used; `counterpart` is the highest counter of
    /// the counterpart that was met.
    case counters(reserved: UInt64, counterpart: UInt64)
    /// A fact that became known about one epoch of either side.
    case epoch(EpochID, EpochMark)

    // MARK: Senders

    /// A record was accepted. In a latest-value channel: the value of its key was written.
    case queued(OutboundRecord)
    /// A record that may have left is to be cancelled or expires; the receiver decides.
    case cancellationAsked(RecordID, Outcome)
    /// The counterpart stated that it has committed a record.
    case committedThere(RecordID)
    /// A record is over; its payload may go, except where it is the latest value of its key.
    case settled(RecordID, Outcome)
    /// The counterpart holds records of this own epoch up to `last` that this journal does not:
    /// they were returned.
    case tailLost(EpochID, Channel, last: UInt64)
    /// Records of an own epoch were accepted up to this number, those that are over included; in
    /// channel *context* it is the last version over both latest-value channels.
    case numbered(EpochID, Channel, last: UInt64)
    /// Records from this one on ended alike; where the counterpart lost state since, an applied one
    /// may be lost.
    indirect case ended(RecordID, count: UInt64, Outcome, isLostSince: Bool)
    /// The value of an own key: how it ended (nil where it is under way), and the highest version
    /// of the key that the counterpart is known to hold. An adopted value was applied there.
    indirect case value(OutboundRecord, Outcome?, seen: UInt64)
    /// Of what is absent in the own values it is only known that it was removed at or below this
    /// version.
    case removalWatermark(UInt64)

    // MARK: Receivers

    /// A record of the counterpart was given to the application, which said this, at this time.
    indirect case received(InboundRecord, Disposition, at: WallTime)
    /// The application's later word on a record that it had left pending.
    case decided(RecordID, Disposition)
    /// Records of the counterpart had their turn: they were applied, or are exceptions. Numbers
    /// between the record before them and the first are skipped.
    case passed(EpochID, Channel, first: UInt64, last: UInt64, RecordException?)
    /// The application has left a record of the counterpart pending; `followers` came under its
    /// idempotency key.
    indirect case held(InboundRecord, followers: [RecordID])
    /// A record of the counterpart came first under this idempotency key, at this time; the
    /// application's last word on it.
    indirect case key(UInt128, RecordID, Disposition, at: WallTime)
    /// A record came under the idempotency key of an earlier one and was answered as that one.
    case repeated(RecordID, of: RecordID, Disposition)
    /// The counterpart stated that every record up to this number is settled.
    case watermark(EpochID, Channel, UInt64)
    /// The removal watermark of the counterpart's values, and the counterpart's present epoch,
    /// which becomes that of the top where the watermark is higher.
    case counterpartRemovalWatermark(UInt64, EpochID)
    /// The counterpart mended its versions: the top is of this epoch now.
    case topMoved(EpochID)

    // MARK: Path

    /// The measurements of the path; nothing depends on their being durable.
    case pathMeasured(PathMemory)
    /// The counterpart's address on datagrams, as a packet of a session showed it; nothing depends
    /// on its being durable.
    case address(PathAddress)
}

/// A fact that became known about an epoch.
package enum EpochMark: UInt8, Hashable, Sendable {
    /// An own epoch that the counterpart has written down.
    case confirmed = 0
    /// An own epoch that the counterpart has closed; it is not listed any more.
    case gone = 1
    /// An epoch of the counterpart from which values are taken.
    case known = 2
    /// An epoch of the counterpart of which nothing more is taken.
    case closed = 3
    /// An own epoch with records of a durable ordered channel.
    case used = 4
    /// The oldest epoch of the counterpart that is remembered; older ones were dropped.
    case oldestRemembered = 7
}
