/// The rooms that write to the journal, and the batches that they share.
struct Rooms: Sendable {
    var tickets: TicketState
    var ownEpochs: OwnEpochs
    var counterpartEpochs: CounterpartEpochs
    /// By the place of the channel in ``Channel/ordered``.
    var senders: [OrderedSender] = []
    var receivers: [OrderedReceiver] = []
    var values: LatestValueSender
    var heldValues: LatestValueReceiver

    init(
        _ configuration: PeerConfiguration, restoring image: JournalImage, epoch: EpochID,
        clock: WallTime, at now: Instant
    ) {
        let limits = configuration.limits
        tickets = TicketState(
            restoring: image.tickets, mutants: configuration.mutants.identity)
        ownEpochs = OwnEpochs(opening: epoch, restoring: image.ownEpochs)
        counterpartEpochs = CounterpartEpochs(restoring: image.counterpartEpochs)
        values = LatestValueSender(
            limits: limits, present: epoch, versionsAbove: ownEpochs.versionsAbove,
            reservationEnd: ownEpochs.present.reservationEnd, restoring: image.values,
            mutants: configuration.mutants.latest)
        heldValues = LatestValueReceiver(limits: limits, restoring: image.heldValues)
        for index in 0..<Channel.ordered.count {
            let channel = Channel.ordered[index]
            senders.append(
                OrderedSender(
                    channel: channel, limits: limits, presentEpoch: epoch,
                    restoring: image.senders[index], clock: clock, at: now))
            receivers.append(
                OrderedReceiver(
                    channel: channel, limits: limits, restoring: image.receivers[index]))
            senders[index].mutants = configuration.mutants.ordered
            receivers[index].mutants = configuration.mutants.ordered
        }
    }

    /// The place of an ordered channel in ``senders`` and ``receivers``.
    static func place(of channel: Channel) -> Int {
        for index in 0..<Channel.ordered.count where Channel.ordered[index] == channel {
            return index
        }
        preconditionFailure("a latest-value channel has no ordered machine")
    }

    /// The conditions on which a draft is accepted.
    struct Conditions {
        /// The most bytes of the draft's kind.
        var byteLimit: Int
        var isReachable: Bool
        var time: PeerTime
    }

    /// Accepts a draft. A refusal says why not; nothing has changed then.
    mutating func accept(
        _ draft: RecordDraft, _ conditions: Conditions
    ) throws(SendRefusal) -> RecordID {
        guard draft.payload.count <= conditions.byteLimit else {
            throw .tooLarge(bytes: draft.payload.count, limit: conditions.byteLimit)
        }
        let time = conditions.time
        guard draft.channel.traits.order == .ordered else {
            return try values.accept(draft, clock: time.wall)
        }
        return try senders[Rooms.place(of: draft.channel)].accept(
            draft, isReachable: conditions.isReachable, clock: time.wall, at: time.now)
    }

    // MARK: Batches

    /// Whether a batch is to be formed.
    var hasEntries: Bool {
        if tickets.hasEntries { return true }
        return hasChannelEntries
    }

    /// Whether a room beside the ticket layer has entries.
    var hasChannelEntries: Bool {
        if ownEpochs.hasEntries || counterpartEpochs.hasEntries || values.hasEntries { return true }
        if heldValues.hasEntries { return true }
        // By index: a loop over the values would copy each of them, after every input.
        for index in senders.indices where senders[index].hasEntries { return true }
        for index in receivers.indices where receivers[index].hasEntries { return true }
        return false
    }

    /// The entries of batch `batch`.
    mutating func formBatch(_ batch: UInt64) -> [JournalEntry] {
        // Entering a ticket says what the counterpart lost before what it states in the session.
        var entries = tickets.formBatch(batch) + ownEpochs.takeEntries()
        for index in senders.indices { entries += senders[index].takeEntries() }
        for index in receivers.indices { entries += receivers[index].takeEntries() }
        // An epoch is closed behind what the channels write of it.
        entries += counterpartEpochs.takeEntries()
        entries += values.takeEntries()
        entries += heldValues.takeEntries()
        ownEpochs.batchFormed(batch, entries)
        counterpartEpochs.batchFormed(batch)
        for index in senders.indices { senders[index].batchFormed(batch) }
        for index in receivers.indices { receivers[index].batchFormed(batch) }
        values.batchFormed(batch)
        heldValues.batchFormed(batch)
        return entries
    }

    /// Batches up to this one are durable.
    mutating func committed(through batch: UInt64) {
        tickets.committed(through: batch)
        ownEpochs.committed(through: batch)
        counterpartEpochs.committed(through: batch)
        for index in senders.indices { senders[index].committed(through: batch) }
        for index in receivers.indices { receivers[index].committed(through: batch) }
        values.committed(through: batch)
        heldValues.committed(through: batch)
        stateWhatIsOver()
    }

    /// Durable records whose end the counterpart owes.
    var waitingCount: Int {
        var count = values.unsettledCount
        for index in senders.indices where senders[index].traits.isDurable {
            count += senders[index].unsettledCount - senders[index].pendingThere
        }
        return count
    }

    /// Whether the counterpart owes a word on a record.
    var isAwaitingAnswers: Bool {
        for index in senders.indices
        where senders[index].unsettledCount > senders[index].pendingThere { return true }
        return values.hasUnsettled
    }

    // MARK: Epochs

    /// Whether the counterpart goes on from a state whose epochs this journal may have dropped.
    func mayHaveForgotten(_ tickets: TicketPresentation) -> Bool {
        let history = self.tickets.image.history
        guard history.hasDropped || counterpartEpochs.hasDropped else { return false }
        return !(tickets.common.map(history.contains) ?? false)
    }

    /// Whether this journal holds something of an epoch of the counterpart.
    func hasMet(_ epoch: EpochID) -> Bool {
        counterpartEpochs.isKnown(epoch) || counterpartEpochs.isClosed(epoch)
            || receivers.contains { $0.durable[epoch] != nil }
    }

    /// Own epochs of which nothing is unsettled are stated as over; when a session begins also
    /// those that are gone, if the counterpart may have forgotten them. (Models/IDENTITY.md,
    /// section 7.)
    mutating func stateWhatIsOver(atBegin: Bool = false) {
        for epoch in ownEpochs.all.dropLast()
        where epoch.isGone ? atBegin && !epoch.isConfirmed : isSettled(epoch.id) {
            ownEpochs.over.add(epoch.id)
        }
    }

    /// Whether every record of an own epoch is durably settled.
    func isSettled(_ epoch: EpochID) -> Bool {
        for index in senders.indices
        where senders[index].traits.isDurable && !senders[index].isSettled(epoch) {
            return false
        }
        return true
    }

    /// An own epoch as a hello lists it.
    func listed(_ epoch: OwnEpoch) -> ListedEpoch {
        var numbers: [ListedEpoch.Numbers] = []
        for sender in senders where sender.channel.isListed {
            let (last, watermark) = sender.state(of: epoch.id)
            guard last > 0 else { continue }
            numbers.append(
                ListedEpoch.Numbers(channel: sender.channel, last: last, watermark: watermark))
        }
        let end = epoch.isConfirmed ? nil : ownEpochs.versionEnd(of: epoch.id)
        return ListedEpoch(id: epoch.id, announcedEnd: end, numbers: numbers)
    }
}
