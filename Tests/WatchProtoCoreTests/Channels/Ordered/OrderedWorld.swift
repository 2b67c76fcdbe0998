@testable import WatchProtoCore

/// Two sides of one ordered channel, joined by a pipe that loses, duplicates and reorders packets,
/// with the parts of a peer that the machines need: batches, epochs, sessions.
struct OrderedWorld {
    /// Which faults may happen.
    struct Faults: OptionSet {
        var rawValue: Int
        static let crashes = Faults(rawValue: 1)
        static let senderRestore = Faults(rawValue: 2)
        static let receiverRestore = Faults(rawValue: 4)
        static let cancels = Faults(rawValue: 8)
        static let early = Faults(rawValue: 16)
        static let pending = Faults(rawValue: 32)
        static let redo = Faults(rawValue: 64)
        static let expiry = Faults(rawValue: 128)
        static let all: Faults = [
            .crashes, .senderRestore, .receiverRestore, .cancels, .early, .pending, .redo, .expiry,
        ]
    }

    struct Packet {
        var bytes: [UInt8] = []
        var over: [EpochID] = []
        var closed: [EpochID] = []
        var sent: [OrderedSender.Reference] = []
        var told: [OrderedReceiver.Reference] = []
        var held: [EpochID] = []
    }

    let channel: Channel
    var random: SeededGenerator
    let faults: Faults
    let mutants: OrderedMutants
    var limits = Limits()
    var now = Instant.zero
    var clock = WallTime(milliseconds: 1_000_000)

    var senderJournal = OrderedJournal()
    var sender: OrderedSender
    var senderImage: OrderedSender.Image
    var senderEpochs: [EpochID] = []
    var goneEpochs: [EpochID] = []
    var senderBackup: Int?
    var overDue: [EpochID] = []

    var receiverJournal = OrderedJournal()
    var receiver: OrderedReceiver
    var receiverImage: OrderedReceiver.Image
    var receiverOpening = EpochID(rawValue: 1)
    var truth = ReceiverTruth()
    var closedEpochs: [EpochID] = []
    var closedDue: [EpochID] = []
    var heldDue: [EpochID] = []
    /// Epochs that the sender called over, and that could not be closed yet.
    var receiverOver: [EpochID] = []
    var receiverBackup: Int?

    var isConnected = false
    /// Early data was taken, and the sender has not heard of the session.
    var isReceiverAlone = false
    var toReceiver: [Packet] = []
    var toSender: [Packet] = []
    var receiverLosses = 0
    var senderWentBack = false
    var serial: UInt64 = 0
    var act: UInt64 = 0
    var acceptedActs: [RecordID: UInt64] = [:]
    var problems: [String] = []
    var isHealing = false

    init(
        _ channel: Channel = .background, seed: UInt64, faults: Faults,
        mutants: OrderedMutants = []
    ) {
        self.channel = channel
        random = SeededGenerator(seed: seed)
        self.faults = faults
        self.mutants = mutants
        senderImage = OrderedSender.Image(channel: channel)
        receiverImage = OrderedReceiver.Image(channel: channel)
        sender = OrderedSender(
            channel: channel, limits: limits, presentEpoch: EpochID(rawValue: 1),
            restoring: senderImage, clock: clock, at: now)
        receiver = OrderedReceiver(channel: channel, limits: limits, restoring: receiverImage)
        openSender()
        openReceiver()
    }

    // MARK: Openings

    mutating func openSender() {
        let epoch = EpochID(rawValue: random.next() | 1)
        _ = senderJournal.form([.opened(epoch, reservationEnd: 0)])
        _ = senderJournal.commit()
        senderImage = OrderedSender.Image(channel: channel)
        (senderEpochs, goneEpochs, overDue) = ([], [], [])
        for entry in senderJournal.durable {
            senderImage.apply(entry)
            if case .opened(let id, _) = entry { senderEpochs.append(id) }
            if case .epoch(let id, .gone) = entry { goneEpochs.append(id) }
        }
        sender = OrderedSender(
            channel: channel, limits: limits, presentEpoch: epoch, restoring: senderImage,
            clock: clock, at: now)
        sender.mutants = mutants
        disconnect()
    }

    mutating func openReceiver() {
        receiverOpening = EpochID(rawValue: random.next() | 1)
        receiverImage = OrderedReceiver.Image(channel: channel)
        receiverImage.mutants = mutants
        truth = ReceiverTruth()
        truth.checksOrder = !senderWentBack
        closedEpochs = []
        for entry in receiverJournal.durable {
            receiverImage.apply(entry)
            truth.apply(entry)
            if case .epoch(let id, .closed) = entry { closedEpochs.append(id) }
        }
        problems += truth.takeFaults()
        receiver = OrderedReceiver(channel: channel, limits: limits, restoring: receiverImage)
        receiver.mutants = mutants
        disconnect()
    }

    mutating func disconnect() {
        isConnected = false
        isReceiverAlone = false
        sender.end()
        receiver.end()
        (toReceiver, toSender) = ([], [])
        (overDue, closedDue, heldDue, receiverOver) = ([], [], [], [])
    }

    /// Records lost in a crash or restore may be redone under their key.
    var listing: [EpochID] {
        let present = senderEpochs[senderEpochs.count - 1]
        return [present] + senderEpochs.dropLast().filter { !goneEpochs.contains($0) }
    }

    /// Rule W: no handshake message is made while a conclusion from a statement is not durable.
    private mutating func becomeStable() {
        formSenderBatch()
        while senderJournal.underWay.contains(where: { $0.entries.contains(where: isConclusion) }) {
            commitSender()
        }
        formReceiverBatch()
        while receiverJournal.underWay.contains(where: { $0.entries.contains(where: isConclusion) })
        {
            commitReceiver()
        }
    }

    private func isConclusion(_ entry: JournalEntry) -> Bool {
        switch entry {
        case .settled, .committedThere, .tailLost, .epoch, .watermark, .ticketEntered: true
        default: false
        }
    }

    mutating func connect() {
        disconnect()
        becomeStable()
        let isEarly = faults.contains(.early) && !isHealing && random.chance(0.4)
        let listing = listing
        sender.begin(listing: listing)
        receiver.begin(
            listing.map { id in
                let state = sender.state(of: id)
                let isClosed =
                    closedEpochs.contains(id) && !mutants.contains(.forgetClosed)
                return .init(
                    id: id, last: state.last, watermark: state.watermark, isClosed: isClosed)
            })
        heldDue = receiver.unlistedEpochs
        if isEarly {
            sendOffers(isEarly: true)
            isReceiverAlone = true
        } else {
            greet()
        }
    }

    mutating func greet() {
        isReceiverAlone = false
        isConnected = true
        sender.greet(
            opening: receiverOpening, taken: receiver.takenAboveWatermark, isComplete: true)
        var seen = 0
        for entry in senderJournal.durable {
            if case .ticketEntered(let entry) = entry {
                seen = Int(entry.counterpartCounter)
            }
        }
        if seen < receiverLosses {
            sender.counterpartLostState()
            formSenderBatch(
                adding: .ticketEntered(
                    TicketEntry(
                        ticket: Ticket(rawValue: 1), promotesPending: false, abandoned: [],
                        counterpartCounter: UInt64(receiverLosses), counterpartLostState: true)))
        }
        overDue = senderEpochs.dropLast().filter { !goneEpochs.contains($0) }
    }

    // MARK: Batches

    mutating func formSenderBatch(adding entry: JournalEntry? = nil) {
        let entries = sender.takeEntries() + (entry.map { [$0] } ?? [])
        guard !entries.isEmpty else { return }
        sender.batchFormed(senderJournal.form(entries))
    }

    mutating func formReceiverBatch(adding entry: JournalEntry? = nil) {
        let entries = receiver.takeEntries() + (entry.map { [$0] } ?? [])
        guard !entries.isEmpty else { return }
        receiver.batchFormed(receiverJournal.form(entries))
    }

    mutating func commitSender() {
        guard let (batch, entries) = senderJournal.commit() else { return }
        for entry in entries { senderImage.apply(entry) }
        sender.committed(through: batch)
        for event in sender.takeEvents() {
            if case .tailLost(let epoch, _, _) = event, isConnected, !overDue.contains(epoch) {
                overDue.append(epoch)
            }
        }
    }

    mutating func commitReceiver() {
        guard let (batch, entries) = receiverJournal.commit() else { return }
        for entry in entries {
            receiverImage.apply(entry)
            truth.apply(entry)
            if case .epoch(let id, .closed) = entry { closedDue.append(id) }
        }
        problems += truth.takeFaults()
        receiver.committed(through: batch)
        closeWaitingEpochs()
    }
}
