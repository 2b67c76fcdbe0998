/// The state that a journal amounts to: its entries, folded by the rooms that make them. The
/// environment keeps it; a peer starts from it.
package struct JournalImage: Sendable {
    package internal(set) var tickets: TicketState.Image
    var ownEpochs: OwnEpochs.Image
    var counterpartEpochs: CounterpartEpochs.Image
    /// By the place of the channel in ``Channel/ordered``.
    var senders: [OrderedSender.Image] = []
    var receivers: [OrderedReceiver.Image] = []
    var values: LatestValueSender.Image
    var heldValues: LatestValueReceiver.Image
    /// The path estimate that the journal keeps across restarts.
    package private(set) var path: PathMemory?
    /// The counterpart's address on datagrams in the last session.
    private(set) var address: PathAddress?

    /// The image of an empty journal; `mutants` is for tests only.
    package init(
        kinds: RecordKinds, limits: Limits = Limits(), mutants: PeerMutants = PeerMutants()
    ) {
        tickets = TicketState.Image(limits: limits)
        ownEpochs = OwnEpochs.Image(
            limits: limits, announcesAnew: !mutants.latest.contains(.noReannounce))
        counterpartEpochs = CounterpartEpochs.Image(limits: limits)
        values = LatestValueSender.Image(kinds: kinds)
        heldValues = LatestValueReceiver.Image(kinds: kinds, mutants: mutants.latest)
        for index in 0..<Channel.ordered.count {
            senders.append(OrderedSender.Image(channel: Channel.ordered[index]))
            receivers.append(OrderedReceiver.Image(channel: Channel.ordered[index]))
            receivers[index].mutants = mutants.ordered
        }
    }

    /// Gives the entries that make this image from that of an empty journal, one after the other: a
    /// checkpoint.
    package func forEachEntry<Failure: Error>(
        _ body: (JournalEntry) throws(Failure) -> Void
    ) throws(Failure) {
        for entry in tickets.entries + ownEpochs.entries + counterpartEpochs.entries {
            try body(entry)
        }
        for sender in senders { for entry in sender.entries { try body(entry) } }
        for receiver in receivers { for entry in receiver.entries { try body(entry) } }
        try values.forEachEntry(body)
        try heldValues.values.forEachEntry(body)
        if let path { try body(.pathMeasured(path)) }
        if let address { try body(.address(address)) }
    }

    /// The entries of a checkpoint.
    package var entries: [JournalEntry] {
        var entries: [JournalEntry] = []
        forEachEntry { entries.append($0) }
        return entries
    }

    /// Folds one entry.
    package mutating func apply(_ entry: JournalEntry) {
        tickets.apply(entry)
        ownEpochs.apply(entry)
        counterpartEpochs.apply(entry)
        for index in senders.indices {
            senders[index].apply(entry)
            receivers[index].apply(entry)
        }
        values.apply(entry)
        heldValues.apply(entry)
        switch entry {
        case .pathMeasured(let memory): path = memory
        case .address(let shown): address = shown
        default: break
        }
    }

    /// Folds the entries of a batch, in order.
    package mutating func apply(_ entries: [JournalEntry]) {
        for entry in entries { apply(entry) }
    }
}
