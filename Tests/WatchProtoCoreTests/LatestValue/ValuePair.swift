import Testing

@testable import WatchProtoCore

/// A sender and a receiver of values with a journal each, and a link that delivers when asked.
struct ValuePair {
    /// Frames and marks under way between the two.
    enum Carried {
        case value(ValueFrame)
        case fragment(FragmentFrame)
        case nothingLost
        case mended
        case watermark(RemovalWatermarkFrame)
        case heldQuery(HeldQueryFrame)
        case valueQuery(ValueQueryFrame)
        case acknowledgement(ValueAcknowledgementFrame)
        case outcome(ValueOutcomeFrame)
        case needBase(NeedBaseFrame)
        case digest(HeldDigestFrame)
        case ranges(HeldRangesFrame)
        case held(HeldFrame)
        case heldValue(HeldValueFrame)
        case epochsKnown([EpochID])
        case epochs([EpochID], announced: [EpochID])
    }

    let limits: Limits
    let mutants: LatestMutants
    /// Versions that the sender reserves at a time.
    let block: UInt64
    var sender: LatestValueSender
    var receiver: LatestValueReceiver
    var senderEpochs = TestEpochs()
    var receiverEpochs = TestEpochs()
    var senderJournal = TestJournal()
    var receiverJournal = TestJournal()
    var toReceiver: [Carried] = []
    var toSender: [Carried] = []
    var isLossless = true
    var largestPacket = 1 << 16
    var nextEpoch: UInt64 = 1
    var events: [LatestValueSender.Event] = []
    /// The records that the receiver's application was given, and its answers.
    var delivered: [InboundRecord] = []
    var disposition: @Sendable (InboundRecord) -> Disposition = { _ in .applied }
    /// Values as they left.
    var sentFrames: [ValueFrame] = []
    var needBases = 0
    /// Bytes of all frames, both ways.
    var carriedBytes = 0
    /// A mistake of the room Identity where false: epochs are not announced anew to a receiver that
    /// lost them.
    var reannounces = true
    let clock = WallTime(milliseconds: 1000)

    init(limits: Limits = Limits(), block: UInt64 = 64, mutants: LatestMutants = []) {
        self.limits = limits
        self.block = block
        self.mutants = mutants
        let image = LatestValueSender.Image(kinds: TestKinds.table)
        sender = LatestValueSender(
            limits: limits, present: EpochID(rawValue: 1), versionsAbove: 0, reservationEnd: 0,
            restoring: image, mutants: mutants)
        receiver = LatestValueReceiver(
            limits: limits,
            restoring: LatestValueReceiver.Image(kinds: TestKinds.table, mutants: mutants))
        restartSender()
        restartReceiver()
    }

    // MARK: Openings

    /// The sender's process starts on its journal. Frames that have left still arrive.
    mutating func restartSender() {
        sender.endSession(isToldAll: senderEpochs.confirmed.contains(sender.present))
        toSender = []
        senderJournal.crash()
        senderEpochs = TestEpochs.restored(senderJournal.entries)
        var image = LatestValueSender.Image(kinds: TestKinds.table)
        for entry in senderJournal.entries { image.apply(entry) }
        let above = senderEpochs.own.map { $0.end }.max() ?? 0
        let id = EpochID(rawValue: nextEpoch)
        nextEpoch += 1
        let opened = JournalEntry.opened(id, reservationEnd: above + block)
        senderEpochs.apply(opened)
        senderJournal.durable.append([opened])
        sender = LatestValueSender(
            limits: limits, present: id, versionsAbove: above, reservationEnd: above + block,
            restoring: image, reservationBlock: block, mutants: mutants)
    }

    /// The receiver's process starts on its journal. Frames that have left still arrive.
    mutating func restartReceiver() {
        receiver.endSession()
        toReceiver = []
        receiverJournal.crash()
        receiverEpochs = TestEpochs.restored(receiverJournal.entries)
        var image = LatestValueReceiver.Image(kinds: TestKinds.table, mutants: mutants)
        for entry in receiverJournal.entries { image.apply(entry) }
        receiver = LatestValueReceiver(limits: limits, restoring: image)
    }

    // MARK: Sessions

    mutating func disconnect() {
        toReceiver = []
        toSender = []
        sender.endSession(isToldAll: senderEpochs.confirmed.contains(sender.present))
        receiver.endSession()
    }

    /// A session opens. The receiver has what the sender's hello says; the sender answers it with
    /// `join`, at once unless early data is under way.
    mutating func connect(lossless: Bool = true, presents: Bool = true) throws {
        disconnect()
        isLossless = lossless
        let presented = receiver.presentation
        beginReceiver()
        try join(presents ? presented : nil)
    }

    mutating func beginReceiver() {
        let unconfirmed = senderEpochs.unconfirmed
        var epochs = [sender.present]
        for epoch in unconfirmed where epoch.id != sender.present { epochs.append(epoch.id) }
        let isDirty =
            receiver.hasEntries || !receiverEpochs.entries.isEmpty
            || !receiverJournal.underWay.isEmpty
        let isUnformed = receiver.hasEntries || !receiverEpochs.entries.isEmpty
        receiver.begin(
            LatestValueReceiver.SessionStart(
                epochs: epochs,
                announced: unconfirmed.map { .init(id: $0.id, reservationEnd: end(of: $0.id)) },
                newestConfirmed: senderEpochs.newestConfirmed.map {
                    .init(id: $0.id, reservationEnd: end(of: $0.id))
                },
                cleanAfter: isDirty ? receiverJournal.formed + (isUnformed ? 1 : 0) : nil),
            known: &receiverEpochs, clock: clock)
        listed = epochs
        presentedKnown = receiverEpochs.known
    }

    /// Whether the next session is between the openings of the last one.
    var isSameOpening = false

    /// The epochs that the receiver knew when the session began.
    var presentedKnown: [EpochID] = []

    /// The sender's epochs as this session's frames name them.
    var listed: [EpochID] = []

    func end(of epoch: EpochID) -> UInt64 {
        if epoch == sender.present { return sender.reservationEnd }
        return senderEpochs.last[epoch] ?? 0
    }

    mutating func join(_ presented: HeldPresentation?) throws {
        let topEnd = presented?.top.flatMap { top in
            senderEpochs.own.contains { $0.id == top.epoch } ? end(of: top.epoch) : nil
        }
        try sender.begin(
            LatestValueSender.SessionStart(
                isLossless: isLossless, epochs: listed, presented: presented,
                topEnd: topEnd, isSameOpening: isSameOpening))
        // The counterpart went back or was wiped: all epochs are announced anew.
        let lacks = senderEpochs.confirmed.contains { !presentedKnown.contains($0) }
        if lacks, self.reannounces {
            senderEpochs.confirmed = []
            let anew = senderEpochs.own.map { $0.id }.filter { !listed.contains($0) }
            listed += anew
            toReceiver.append(.epochs(anew, announced: senderEpochs.own.map { $0.id }))
            sender.announcedAnew()
        }
    }

    // MARK: Journals

    mutating func formSender() {
        let entries = sender.takeEntries() + senderEpochs.entries
        senderEpochs.entries = []
        for entry in entries { senderEpochs.apply(entry) }
        if let batch = senderJournal.form(entries) { sender.batchFormed(batch) }
    }

    mutating func commitSender() {
        formSender()
        if let batch = senderJournal.commit() { sender.committed(through: batch) }
        events += sender.takeEvents()
    }

    mutating func formReceiver() {
        let entries = receiver.takeEntries() + receiverEpochs.entries
        receiverEpochs.entries = []
        if let batch = receiverJournal.form(entries) { receiver.batchFormed(batch) }
    }

    mutating func commitReceiver() {
        formReceiver()
        if let batch = receiverJournal.commit() { receiver.committed(through: batch) }
    }
}
