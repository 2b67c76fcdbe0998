extension LatestValueSender {
    /// The sender's finding about its own journal in this session.
    enum Verdict: Sendable {
        /// The counterpart's hello has not come: values leave as early data.
        case early
        case nothingLost
        /// A version is lost. Nothing leaves, and nothing is adopted.
        case lost
        /// Versions are mended, and not durable yet.
        case mending
        case mended
    }

    /// The state that exists only while there is a session, or early data under way.
    struct Session: Sendable {
        let isLossless: Bool
        var verdict: Verdict
        /// Own epochs, by their index in this session's frames.
        var epochs: [EpochID]
        /// The own reference, if values may be coded.
        var coding: CodingReference?
        /// The counterpart may not know epochs that are not listed.
        var waitsForListing = false
        /// The receiver's summary that the session goes by, if any.
        var presented: HeldPresentation?
        /// Keys by their handle.
        var handles: [ValueName] = []
        var comparison: Comparison?
        /// The number of listings that were asked for.
        var listings: UInt64 = 0
        /// The verdict is to be told.
        var owesVerdict = false
        /// Questions to ask.
        var asksDigest = false
        var rangesDue: [HeldQueryFrame.Asked] = []
        var epochsDue: [EpochID] = []
        var valueQueriesDue: [ValueQueryFrame] = []
        /// The receiver has told that it holds durably just what this side has.
        var isMatched = false
        /// The watermark that was told.
        var toldWatermark: UInt64 = 0
        /// The highest version when the digest was last asked for.
        var digestAskedAt: UInt64?
    }

    /// The facts about a session that the handshake establishes.
    package struct SessionStart: Sendable {
        /// The carrier is lossless: everything that it is given arrives.
        package var isLossless: Bool
        /// Own epochs, by their index in this session's frames; the present one first.
        package var epochs: [EpochID]
        /// The summary that the counterpart presented, or ``LatestValueSender/unfinished``; nil in
        /// a session that keeps its ticket, where no earlier one left anything open.
        package var presented: HeldPresentation?
        /// The highest version that the top's epoch may have given out; nil where it is none of the
        /// own epochs.
        package var topEnd: UInt64?
        /// The counterpart is in the opening in which the last session found it.
        package var isSameOpening: Bool
        /// The own reference, if both sides have the same table.
        package var coding: CodingReference?

        /// Describes the start of a session.
        package init(
            isLossless: Bool, epochs: [EpochID], presented: HeldPresentation?,
            topEnd: UInt64?, isSameOpening: Bool
        ) {
            self.isLossless = isLossless
            self.epochs = epochs
            self.presented = presented
            self.topEnd = topEnd
            self.isSameOpening = isSameOpening
        }
    }

    /// Values may leave as early data, behind the first handshake message of this side.
    package mutating func beginEarly(isLossless: Bool, epochs: [EpochID]) {
        resetTransmissions(keepsBases: true)
        session = Session(isLossless: isLossless, verdict: .early, epochs: epochs)
        offerUnsettled()
    }

    /// A session begins. After early data the Peer says with `lost(_:)` what was not taken.
    ///
    /// - Throws: a version that no counterpart can have been given.
    package mutating func begin(_ start: SessionStart) throws(WireError) {
        let (presented, top) = (start.presented, start.presented?.top)
        try checkTold(top?.version ?? 0)
        let wasEarly = session?.verdict == .early
        if !wasEarly { resetTransmissions(keepsBases: start.isSameOpening) }
        let isLost =
            !mutants.contains(.noTopCheck)
            && top.map { top in start.topEnd.map { $0 < top.version } ?? true } == true
        session = Session(
            isLossless: start.isLossless, verdict: isLost ? .lost : .nothingLost,
            epochs: start.epochs, coding: start.coding, presented: presented)
        session?.owesVerdict = !isLost && presented != nil
        if isLost || start.isSameOpening && resumesComparison {
            beginComparison(askingEpochs: isLost)
        } else if let presented {
            compare(presented)
        }
        if !wasEarly { offerUnsettled() }
    }

    /// The counterpart has more epochs of this side than the hello listed: the frame that lists
    /// them has left on a carrier that loses nothing, or was acknowledged.
    package mutating func listed(_ epochs: [EpochID]) {
        session?.epochs += epochs
        requeueDue()
    }

    /// The counterpart went back or was wiped, and all epochs are announced anew: the verdict is
    /// told whatever the hello held, and values wait until their epoch is listed.
    package mutating func announcedAnew() {
        session?.waitsForListing = true
        if session?.verdict == .nothingLost { session?.owesVerdict = true }
    }

    /// The session is over, or early data is given up. The next one between the same openings goes
    /// on with a comparison, and with the verdict, unless the receiver `isToldAll`: it has written
    /// the present epoch down.
    package mutating func endSession(isToldAll: Bool) {
        if let session, session.verdict != .early {
            interrupted = session.comparison?.awaited
            unfinished =
                isToldAll && !resumesComparison ? nil : session.presented ?? .nothing
        }
        session = nil
        for index in fragmented.indices { fragmented[index].removeAll() }
    }

    func checkTold(_ version: UInt64) throws(WireError) {
        guard version <= Self.highestToldVersion else {
            throw WireError(
                .outOfRange, at: 0, expected: "version that was given out", found: version)
        }
    }

    private mutating func resetTransmissions(keepsBases: Bool) {
        for index in fragmented.indices { fragmented[index].removeAll() }
        markedNames.removeAll()
        for name in transmissions.keys {
            guard let value = values[name] else {
                // A queued entry of a forgotten key is passed over.
                transmissions.modify(name) { $0.isDue = false }
                continue
            }
            transmissions.modify(name) { $0.beginSession(keepsBase: keepsBases, of: value) }
        }
    }

    private mutating func offerUnsettled() {
        for name in offered { makeDue(name) }
    }

    /// The keys whose value a session offers at its start. Values pending at the counterpart are
    /// offered, too: the answer tells any decision since.
    private var offered: [ValueName] {
        values.table.keys.filter { name in
            values[name]?.progress.isUnsettled == true || transmissions[name]?.isLost == true
        }
    }

    /// The epochs by which these values are named.
    var offeredEpochs: [EpochID] { offered.compactMap { values[$0]?.newest.id.epoch } }

    /// Looks at the digest that the counterpart presented.
    private mutating func compare(_ presented: HeldPresentation) {
        if presented.digest == values.digest(through: 0)
            || presented.digest == values.digest(through: presented.top?.version ?? 0)
        {
            return
        }
        beginComparison(askingEpochs: false)
    }
}
