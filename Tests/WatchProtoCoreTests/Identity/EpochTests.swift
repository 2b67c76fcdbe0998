import Testing

@testable import WatchProtoCore

@Suite("Own and counterpart epochs")
struct EpochTests {
    private func id(_ number: UInt64) -> EpochID { EpochID(rawValue: number) }

    private func record(_ epoch: UInt64, _ channel: Channel) -> JournalEntry {
        let isOrdered = channel.traits.order == .ordered
        var draft = RecordDraft(channel: channel, kind: .opaque, payload: [1])
        if !isOrdered { draft.key = RecordKey(rawValue: 1) }
        return .queued(
            OutboundRecord(
                id: RecordID(epoch: id(epoch), channel: channel, number: RecordNumber(1)),
                draft: draft, acceptedAt: WallTime(milliseconds: 0)))
    }

    /// An opening whose first batch is durable, and the image that holds it.
    private func open(
        _ number: UInt64, _ image: inout OwnEpochs.Image, _ more: [JournalEntry] = []
    ) -> OwnEpochs {
        var epochs = OwnEpochs(opening: id(number), restoring: image)
        let entries = epochs.takeEntries() + more
        epochs.batchFormed(1, entries)
        for entry in entries { image.apply(entry) }
        epochs.committed(through: 1)
        return epochs
    }

    /// Shows I-12.
    @Test("Nothing of an opening leaves before its first batch is durable")
    func opening() {
        var epochs = OwnEpochs(opening: id(1), restoring: OwnEpochs.Image())
        #expect(epochs.hasEntries && !epochs.isOpened)
        let entries = epochs.takeEntries()
        #expect(entries == [.opened(id(1), reservationEnd: 1024)])
        epochs.batchFormed(1, entries)
        #expect(!epochs.isOpened)
        epochs.committed(through: 1)
        #expect(epochs.isOpened && !epochs.hasEntries)
    }

    /// Shows I-13.
    @Test("Versions go on above the last reservation; what an earlier opening held is its end")
    func versions() {
        var image = OwnEpochs.Image()
        let numbered = JournalEntry.numbered(id(1), .context, last: 7)
        _ = open(1, &image, [.opened(id(1), reservationEnd: 5000), numbered])
        let epochs = open(2, &image)
        #expect(epochs.versionsAbove == 5000)
        #expect(epochs.versionEnd(of: id(1)) == 7)
        #expect(epochs.versionEnd(of: id(2)) == 6024)
        #expect(epochs.versionEnd(of: id(3)) == nil)
        image.apply(.opened(id(2), reservationEnd: RecordNumber.largest))
        #expect(open(3, &image).present.reservationEnd == RecordNumber.largest)
    }

    /// Shows I-14, I-17.
    @Test("An epoch is listed until the counterpart has written it down and closed it")
    func listing() {
        var image = OwnEpochs.Image()
        _ = open(1, &image, [record(1, .background)])
        var epochs = open(2, &image)
        #expect(epochs.listed().map(\.id) == [id(1)])
        #expect(epochs.unsettledCount == 1)
        // One that is closed there, and not written down, is announced: its values are not taken.
        var closed = epochs
        closed.receiveClosed([id(1)])
        #expect(closed.isGone(id(1)) && !closed.confirmed(id(1)))
        #expect(closed.listed().map(\.id) == [id(1)])
        epochs.receiveKnown([id(1), id(2), id(9)])
        #expect(epochs.confirmed(id(1)) && epochs.confirmed(id(2)) && !epochs.confirmed(id(9)))
        #expect(epochs.listed().map(\.id) == [id(1)])
        epochs.over.add(id(1))
        // The present epoch is never gone, whatever the counterpart says.
        epochs.receiveClosed([id(1), id(2), id(9)])
        #expect(epochs.isGone(id(1)) && !epochs.isGone(id(2)))
        #expect(epochs.over.isEmpty)
        #expect(epochs.listed().isEmpty && epochs.unsettledCount == 0)
        let entries = epochs.takeEntries()
        #expect(
            entries == [
                .epoch(id(1), .confirmed), .epoch(id(2), .confirmed), .epoch(id(1), .gone),
            ])
        epochs.receiveKnown([id(1)])
        epochs.receiveClosed([id(1)])
        #expect(!epochs.hasEntries)
        for entry in entries { image.apply(entry) }
        let next = open(3, &image)
        #expect(next.all.dropLast().map(\.id) == [id(1), id(2)])
        #expect(next.isGone(id(1)) && next.confirmed(id(2)))
        #expect(next.listed().map(\.id) == [id(2)])
    }

    /// Shows I-19.
    @Test("A counterpart that lost state is told of every epoch anew")
    func announcedAnew() {
        var image = OwnEpochs.Image()
        _ = open(1, &image, [record(1, .context)])
        var epochs = open(2, &image)
        epochs.receiveKnown([id(1), id(2)])
        epochs.receiveClosed([id(1)])
        #expect(epochs.newestConfirmedWithVersions?.id == id(1))
        #expect(epochs.listed().isEmpty)
        let entry = TicketEntry(
            ticket: Ticket(rawValue: 1), promotesPending: false, abandoned: [],
            counterpartCounter: 0, counterpartLostState: true)
        let entries = epochs.takeEntries() + [.ticketEntered(entry)]
        epochs.batchFormed(2, entries)
        for entry in entries { image.apply(entry) }
        #expect(!epochs.confirmed(id(1)) && !epochs.confirmed(id(2)))
        #expect(epochs.isGone(id(1)))
        #expect(epochs.listed().map(\.id) == [id(1)])
        #expect(epochs.newestConfirmedWithVersions == nil)
        #expect(open(3, &image).all.dropLast() == epochs.all[...])
    }

    /// Shows I-80.
    @Test("1,024 openings are remembered; those that may hold unsettled records leave last")
    func bound() {
        var image = OwnEpochs.Image()
        _ = open(1, &image, [record(1, .bulk)])
        for number in UInt64(2)...2000 { _ = open(number, &image) }
        let epochs = open(2001, &image)
        #expect(epochs.all.count == 1024)
        #expect(epochs[id(1)]?.isUsed == true)
        #expect(epochs[id(2)] == nil)
        #expect(epochs.presentEpoch == id(2001))
    }

    /// Shows I-16, I-18.
    @Test("Known and closed epochs are stated once they are durable, and again when asked")
    func statements() {
        var epochs = CounterpartEpochs(restoring: CounterpartEpochs.Image())
        epochs.markKnown(id(1))
        epochs.markKnown(id(1))
        epochs.markClosed(id(2))
        #expect(epochs.isKnown(id(1)) && epochs.isClosed(id(2)) && !epochs.isKnown(id(2)))
        #expect(epochs.known.isEmpty)
        #expect(epochs.takeEntries() == [.epoch(id(1), .known), .epoch(id(2), .closed)])
        epochs.batchFormed(4)
        epochs.committed(through: 3)
        #expect(epochs.known.isEmpty && epochs.closed.isEmpty)
        epochs.committed(through: 4)
        #expect(epochs.known.take(atMost: 9) == [id(1)])
        #expect(epochs.closed.take(atMost: 9) == [id(2)])
        // The packet was lost, or the counterpart announces what is known.
        epochs.known.lost([id(1)])
        epochs.markKnown(id(1))
        epochs.markClosed(id(2))
        #expect(!epochs.hasEntries)
        #expect(epochs.known.take(atMost: 9) == [id(1)])
        #expect(epochs.closed.take(atMost: 0).isEmpty && epochs.closed.count == 1)
        epochs.sessionEnded()
        #expect(epochs.closed.isEmpty)
    }

    /// Shows I-80.
    @Test("1,024 epochs of the counterpart are remembered; that some were dropped is remembered")
    func counterpartBound() {
        var image = CounterpartEpochs.Image()
        for number in UInt64(1)...1024 { image.apply(.epoch(id(number), .known)) }
        for number in UInt64(1)...1024 { image.apply(.epoch(id(number), .closed)) }
        #expect(!image.hasDropped && image.count == 1024)
        image.apply(.epoch(id(5000), .closed))
        #expect(image.hasDropped && image.count == 1024)
        let epochs = CounterpartEpochs(restoring: image)
        #expect(!epochs.isKnown(id(1)) && !epochs.isClosed(id(1)))
        #expect(epochs.isKnown(id(2)) && epochs.isClosed(id(2)))
        #expect(epochs.isClosed(id(5000)) && !epochs.isKnown(id(5000)))
    }

    @Test("A journal holds the state of the process, at every durable batch")
    func imageIsState() {
        for seed in UInt64(1)...100 {
            var generator = SeededGenerator(seed: seed)
            var own = OwnEpochs.Image()
            var theirs = CounterpartEpochs.Image()
            for opening in UInt64(1)...5 {
                var epochs = open(opening, &own)
                var others = CounterpartEpochs(restoring: theirs)
                for batch in UInt64(2)...12 {
                    let some = id(1 + generator.next() % (opening + 1))
                    switch generator.next() % 6 {
                    case 0: epochs.receiveKnown([some])
                    case 1: epochs.receiveClosed([some])
                    case 2: others.markKnown(some)
                    case 3: others.markClosed(some)
                    default: break
                    }
                    var entries = epochs.takeEntries() + others.takeEntries()
                    if generator.chance(0.2) { entries.append(record(opening, .bulk)) }
                    if generator.chance(0.2) { entries.append(record(opening, .context)) }
                    epochs.batchFormed(batch, entries)
                    others.batchFormed(batch)
                    for entry in entries {
                        own.apply(entry)
                        theirs.apply(entry)
                    }
                    #expect(own.epochs == epochs.all)
                    for number in UInt64(1)...opening + 1 {
                        let known = CounterpartEpochs(restoring: theirs)
                        #expect(known.isKnown(id(number)) == others.isKnown(id(number)))
                        #expect(known.isClosed(id(number)) == others.isClosed(id(number)))
                    }
                }
            }
        }
    }
}
