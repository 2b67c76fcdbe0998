/// The start and end of a session, and the end of epochs.
extension OrderedReceiver {
    /// Begins a session, in which frames index the counterpart's epochs as `epochs` does: the
    /// present one first, then the earlier ones, oldest first. It ends the former session.
    ///
    /// Answers are owed for each listed epoch with records that are unsettled at the sender, and
    /// for what it does not know of an earlier one.
    package mutating func begin(_ epochs: [SessionEpoch]) {
        end()
        session = Session(epochs: [], due: [])
        credit.begin()
        updateCredit()
        if !traits.isDurable, let present = epochs.first?.id {
            for id in durable.ids where id != present { durable.apply(.closed(id)) }
            for id in taken.keys where id != present { taken[id] = nil }
        }
        list(epochs)
    }

    /// The counterpart lists further epochs, which found no room in its hello.
    package mutating func list(_ more: [SessionEpoch]) {
        guard session != nil else { return }
        for var epoch in more {
            if mutants.contains(.forgetClosed) { epoch.isClosed = false }
            let index = session?.epochs.count ?? 0
            session?.epochs.append(epoch)
            session?.due.append(NumberRanges())
            session?.receivedTold.append(0)
            oweAtBegin(index, epoch)
        }
        untoldHead = takenAtHead
    }

    private mutating func oweAtBegin(_ index: Int, _ epoch: SessionEpoch) {
        let through = durable.through(epoch.id)
        // Early data may be newer than the hello of its message 1, which is answered later.
        let last = index == 0 ? max(epoch.last, through) : epoch.last
        let end = epoch.isClosed || epoch.answersUnknown ? epoch.last : min(last, through)
        if epoch.watermark < end { owe(index, (epoch.watermark + 1)...end) }
        // The tail of an epoch that is over, which the sender does not know.
        let known = max(epoch.last, durable[epoch.id]?.watermark ?? 0)
        if index > 0, !epoch.isClosed, known < through { owe(index, (known + 1)...through) }
    }

    /// Ends the session. Records that were taken stay; those that were only buffered are sent
    /// again.
    package mutating func end() {
        guard let former = session else { return }
        session = nil
        credit.release(records: former.buffer.records, bytes: former.buffer.bytes)
    }

    // MARK: Watermarks

    /// Takes a statement: the sender has settled every record up to this one, durably. The packet's
    /// author is at fault for every error.
    mutating func receive(_ frame: WatermarkFrame, at now: Instant) throws(WireError) {
        let id = try epoch(frame.address.epochIndex)
        let number = frame.address.number
        guard session?.epochs[frame.address.epochIndex].isClosed == false,
            number > taken[id]?.watermark ?? 0
        else { return }
        try checkNewEpoch(id)
        taken.update(id, default: Taken()) { taken in
            taken.watermark = number
            taken.through = max(taken.through, number)
        }
        write(.watermark(id, channel, number), .settled(id, through: number))
        try release(frame.address.epochIndex, at: now)
    }

    // MARK: Closing

    /// Whether an epoch that the sender calls over may be closed: nothing was taken above the
    /// watermark, and nothing that was taken still waits for the application or for a batch.
    /// Otherwise the sender does not know of a tail yet, and is told. Of an epoch that it did not
    /// list, it knows what it was told.
    package func canClose(_ epoch: EpochID) -> Bool {
        guard let taken = taken[epoch] else { return true }
        let isListed = session?.epochs.contains { $0.id == epoch } ?? false
        return !isListed && held(epoch) != nil
            || taken.through <= taken.watermark
                && (!traits.isDurable || durable.through(epoch) >= taken.through)
    }

    /// Closes an epoch; the room that remembers closed epochs writes the entry, in the same batch.
    package mutating func close(_ epoch: EpochID) {
        let isOpen = taken[epoch] != nil
        taken[epoch] = nil
        if let index = session?.epochs.firstIndex(where: { $0.id == epoch }) {
            session?.epochs[index].isClosed = true
        }
        if mutants.contains(.closeDropsPending) {
            for id in pending.keys where id.epoch == epoch { pending[id] = nil }
        }
        if isOpen { commits.append(.closed(epoch)) }
    }

    /// Open epochs, durable or not, that the session does not list: the sender does not have them,
    /// or calls them gone.
    package var unlistedEpochs: [EpochID] {
        guard let session else { return [] }
        return taken.keys.filter { id in !session.epochs.contains { $0.id == id } }
    }

    /// The statement about an epoch that is not listed. It is nil where the epoch is not open here,
    /// or where its taken records are not durable yet.
    func held(_ epoch: EpochID) -> EpochHeldFrame.Part? {
        guard traits.isDurable, let numbers = durable[epoch],
            numbers.through == taken[epoch]?.through
        else { return nil }
        return EpochHeldFrame.Part(
            channel: channel, through: numbers.through, watermark: numbers.watermark)
    }
}
