extension LatestValueReceiver {
    /// The knowledge, in a session, of whether the sender has lost versions.
    enum Conclusion: Sendable {
        /// Nothing: values of epochs that are not known wait in memory.
        case none
        /// This side concluded from the hello that nothing is lost.
        case own
        /// The sender said that nothing is lost, or that it has mended.
        case told
    }

    /// The state that exists only while there is a session.
    struct Session: Sendable {
        /// The counterpart's epochs, by their index in this session's frames.
        var epochs: [EpochID]
        /// Its reference, if values may be coded.
        var coding: CodingReference?
        /// Those of them that it announced and that are not written down yet.
        var announced: [EpochID]
        var conclusion = Conclusion.none
        /// The batch with which all that was held when the session began is durable; nil when it
        /// is. While the batch is not formed, it is the highest number.
        var cleanAfter: UInt64?
        /// Values that the application was given before the session began and has not answered.
        var wordsAwaited: [RecordID] = []
        /// The sender has mended, and the top is of its present epoch.
        var hasMended = false
        /// The watermark that was told and is not written yet.
        var toldWatermark: UInt64 = 0
        /// Keys by their handle.
        var handles: [ValueName?] = []
        /// Values of epochs that are not known, the newest of each key, and their bytes.
        var waiting = OrderedTable<ValueName, InboundRecord>()
        var waitingBytes = 0
        /// Values put together from fragments, by the code of their channel; the one that got a
        /// fragment last stands last.
        var assemblies: [[FragmentAssembly]] = Array(repeating: [], count: Channel.count)
        /// Subjects requested whole, each with the newest version that could not be applied, until
        /// that one or a later one comes; and subjects still to be requested.
        var basesAsked = OrderedTable<NeedBaseFrame.Subject, UInt64>()
        var basesDue: [NeedBaseFrame.Subject] = []
        /// Versions to be acknowledged.
        var applied = NumberRanges()
        var pending = NumberRanges()
        var outcomes: [ValueOutcomeFrame] = []
        /// Answers to give.
        var owesDigest = false
        var epochAnswers: [EpochID] = []
        /// The listing that was asked for last; nil before it is begun.
        var listing: HeldListing?
        var listingAsked: UInt64 = 0
        var rangesOwed: [Owed] = []
        var valueAnswers: [ValueQueryFrame] = []

        /// Whether a subject that was to be asked for is still wanted.
        func awaits(_ subject: NeedBaseFrame.Subject) -> Bool {
            subject.isVersion || basesAsked[subject] != nil
        }

        /// A value of a subject came and can be applied.
        mutating func noLongerNeeds(_ subject: NeedBaseFrame.Subject, for version: UInt64) {
            guard !basesAsked.isEmpty, let asked = basesAsked[subject], asked <= version else {
                return
            }
            basesAsked.remove(subject)
        }
    }

    /// An answer about a range of names that is to be told.
    struct Owed: Hashable, Sendable {
        var question: HeldQueryFrame.Asked
        /// The entries to tell, counted from the first of the range; nil where none was told yet.
        var entries: Range<Int>?
    }

    /// An epoch of the counterpart with its end: of the present one the end of its reservation, of
    /// an earlier one the last version that the counterpart's journal holds.
    package struct AnnouncedEpoch: Hashable, Sendable {
        /// The epoch.
        package var id: EpochID
        /// Its end.
        package var reservationEnd: UInt64

        /// Names an epoch and its end.
        package init(id: EpochID, reservationEnd: UInt64) {
            self.id = id
            self.reservationEnd = reservationEnd
        }
    }

    /// The facts about the counterpart's epochs at the start of a session, from its hello.
    package struct SessionStart: Sendable {
        /// Its epochs, by their index in this session's frames; the present one first.
        package var epochs: [EpochID]
        /// Its epochs that this side has not confirmed.
        package var announced: [AnnouncedEpoch]
        /// The newest confirmed one that gave out a version; nil for none.
        package var newestConfirmed: AnnouncedEpoch?
        /// The batch with which all that this process holds is durable; nil when it is.
        package var cleanAfter: UInt64?
        /// Its reference, if both sides have the same table.
        package var coding: CodingReference?

        /// Describes the start of a session.
        package init(
            epochs: [EpochID], announced: [AnnouncedEpoch], newestConfirmed: AnnouncedEpoch?,
            cleanAfter: UInt64?
        ) {
            self.epochs = epochs
            self.announced = announced
            self.newestConfirmed = newestConfirmed
            self.cleanAfter = cleanAfter
        }
    }

    /// A session begins, or early data that comes with message 1.
    package mutating func begin(
        _ start: SessionStart, known: inout some KnownEpochs, clock: WallTime
    ) {
        endSession()
        session = Session(
            epochs: start.epochs, coding: start.coding, announced: start.announced.map { $0.id },
            cleanAfter: mutants.contains(.tellDirty) ? nil : start.cleanAfter)
        if !mutants.contains(.tellDirty) { session?.wordsAwaited = delivering.values }
        if isCovered(start, known) { session?.conclusion = .own }
        learn(&known, clock)
    }

    /// The session that began with early data goes on with another hello of the same epochs.
    package mutating func goOn(
        _ start: SessionStart, known: inout some KnownEpochs, clock: WallTime
    ) {
        guard let former = session, former.epochs.first == start.epochs.first else {
            begin(start, known: &known, clock: clock)
            return
        }
        session?.epochs = start.epochs
        session?.coding = start.coding
        session?.announced = start.announced.map { $0.id }
        learn(&known, clock)
    }

    /// The session is over. Values that the application was not given come again.
    package mutating func endSession() {
        session = nil
        let waiting = deliveries.table
        for (name, record) in zip(waiting.keys, waiting.values)
        where values.candidates[record.id] == nil {
            deliveries[name] = nil
        }
    }

    /// Whether all that was held when the session began is durable. Before, nothing that is held
    /// may be told, nor which epochs are known.
    package var isClean: Bool {
        guard let session else { return false }
        return session.cleanAfter == nil && session.wordsAwaited.isEmpty
    }

    /// Whether the hello shows that the sender has lost no version: the top lies in an epoch that
    /// it names, at or below the end of that epoch.
    private func isCovered(_ start: SessionStart, _ known: some KnownEpochs) -> Bool {
        if let newest = start.newestConfirmed, !known.isKnown(newest.id),
            !mutants.contains(.coverUnknown)
        {
            return false
        }
        guard let top = presentation.top, !mutants.contains(.coverAny) else { return true }
        for epoch in start.announced + [start.newestConfirmed].compactMap({ $0 })
        where epoch.id == top.epoch {
            return top.version <= epoch.reservationEnd || mutants.contains(.coverNoEnd)
        }
        return false
    }

    /// The hello was followed by more epochs of the counterpart.
    package mutating func listed(
        _ epochs: [EpochID], announced: [EpochID], known: inout some KnownEpochs, clock: WallTime
    ) {
        session?.epochs += epochs
        session?.announced += announced
        learn(&known, clock)
    }

    /// The sender has lost no version.
    mutating func receive(
        _ frame: NothingLostFrame, known: inout some KnownEpochs, clock: WallTime
    ) {
        session?.conclusion = .told
        learn(&known, clock)
    }

    /// The sender has mended: the top is of its present epoch now.
    mutating func receive(
        _ frame: MendedFrame, known: inout some KnownEpochs, clock: WallTime
    ) {
        guard let session, !session.hasMended, let present = session.epochs.first else { return }
        self.session?.hasMended = true
        self.session?.conclusion = .told
        if values.top != nil { emit(.topMoved(present)) }
        learn(&known, clock)
    }

    /// The sender's removal watermark.
    mutating func receive(_ frame: RemovalWatermarkFrame) {
        let told = session?.toldWatermark ?? 0
        session?.toldWatermark = max(told, frame.version)
        writeWatermark()
    }

    /// Writes down what was announced, once it may be, and takes the values that waited for it.
    private mutating func learn(_ known: inout some KnownEpochs, _ clock: WallTime) {
        guard let session, session.conclusion != .none || mutants.contains(.knowEarly) else {
            return
        }
        if !mutants.contains(.knowByValue) {
            // Those that were known are stated once more: S announces them because it was not told.
            for epoch in session.announced { known.markKnown(epoch) }
            self.session?.announced = []
        }
        for (name, record) in zip(session.waiting.keys, session.waiting.values)
        where known.isKnown(record.id.epoch) {
            self.session?.waiting.remove(name)
            let size = record.payload.count + Channel.keyBytes
            self.session?.waitingBytes -= size
            take(record, name, clock)
        }
        writeWatermark()
    }

    /// Writes the watermark, once the epochs of this session are written down.
    private mutating func writeWatermark() {
        guard let session, values.isNews(watermark: session.toldWatermark),
            let present = session.epochs.first
        else { return }
        let isEarly = mutants.contains(.watermarkBeforeKnown)
        guard isEarly || session.conclusion == .told else { return }
        guard isEarly || session.announced.isEmpty else { return }
        emit(.counterpartRemovalWatermark(session.toldWatermark, present))
        self.session?.toldWatermark = 0
        for name in bases.keys where values[name] == nil { bases.remove(name) }
    }
}
