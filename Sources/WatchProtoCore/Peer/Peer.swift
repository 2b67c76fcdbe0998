/// One side of one pairing: the whole protocol as one value.
///
/// Bytes and time go in; bytes, journal entries and events come out through a ``PeerEnvironment``.
/// After any call that takes `at:`, call ``drain(into:)`` once, then wait until ``nextDeadline`` or
/// the next input. ``receive(_:from:at:)`` says whether it needs that drain. Time never runs
/// backwards.
package struct Peer: ~Copyable {
    /// The configuration of this peer.
    package let configuration: PeerConfiguration
    /// The counts that no room keeps; ``counters`` adds the rooms' own.
    var counts = PeerCounters()

    var time: PeerTime
    var journal = JournalQueue()
    var rooms: Rooms
    var connection: Connection
    /// The state that exists only between a handshake message and the end of its session.
    var session: PeerSession?
    var reachability: Reachability
    var pacer = ComplicationPacer()
    var gathering = ChangeGathering()
    /// Whether the application is in the foreground.
    package private(set) var isForeground = true
    var quality = LinkQualityEstimator()
    /// The path estimate while no session measures the path.
    var path: PathMeasurement
    var unconfirmed = UnconfirmedSessions()
    /// The epoch of the counterpart in the last session; nil before the first of this process.
    package var counterpartEpoch: EpochID?
    var alarm = OverdueAlarm()
    var waitingValues = WaitingRecords()
    /// Events to report, in order.
    var events: [PeerEvent] = []
    var output = PacketOutput()
    /// The packets that were sent and opened since the environment asked for a log.
    package var packetLog: PacketLog?
    /// The link ends once what was written before has left.
    var closing: ConnectionEnd?
    private let addressOnly = AddressOnly()

    /// Opens the peer on the state in its journal. The first batch holds the opening; nothing
    /// leaves before it is durable.
    ///
    /// - Parameters:
    ///   - configuration: the settings of the peer.
    ///   - image: the state in the journal; it begins with the entries of the pairing
    ///     (``TicketState/Image/paired(_:)``).
    ///   - epoch: 64 random bits, not zero: the name of this opening.
    ///   - security: makes and opens handshake messages.
    ///   - clock: the wall clock at `now`.
    ///   - now: the present moment.
    package init(
        _ configuration: PeerConfiguration, restoring image: JournalImage, epoch: EpochID,
        security: AnySecurity, clock: WallClock, at now: Instant
    ) {
        precondition(epoch.rawValue != 0, "an epoch is never zero")
        self.configuration = configuration
        time = PeerTime(now: now, clock: clock)
        rooms = Rooms(
            configuration, restoring: image, epoch: epoch, clock: clock.time, at: now)
        var connecting = ConnectionConfiguration(limits: configuration.limits)
        connecting.stallTime = configuration.stallTime
        connecting.reopenBackoff = configuration.reopenBackoff
        connecting.longestReopenBackoff = configuration.longestReopenBackoff
        connecting.hasConstantLengths = configuration.shape != nil
        connecting.mutant = configuration.mutants.connection
        connection = Connection(
            connecting, security: security, highestCounter: image.tickets.counterpartCounter)
        // The moment of the last answer depends on the records that were sent. In a constant shape
        // the counterpart, which receives nothing, ends such a link before.
        let answerTime = configuration.stallTime * (configuration.shape == nil ? 1 : 3)
        reachability = Reachability(
            stallTime: configuration.stallTime, answerTime: answerTime,
            keepAlive: configuration.keepAlive)
        connection.knownAddress = image.address
        path = PathMeasurement(image.path, address: image.address)
        recallWaitingValues()
    }

    // MARK: Time and the journal

    /// ``nextDeadline`` has come; calling early does no harm.
    package mutating func wake(at now: Instant) {
        advance(to: now)
        expireTimers()
        afterInput()
    }

    /// A batch of journal entries is durable.
    package mutating func committed(_ receipt: JournalReceipt, at now: Instant) {
        advance(to: now)
        if journal.commit(receipt) {
            rooms.committed(through: receipt.rawValue)
            closeWaitingEpochs()
        }
        afterInput()
    }

    /// A batch of journal entries could not be made durable. Nothing it held is stated, and the
    /// peer stops: the environment opens the journal again and makes a new peer on it.
    package mutating func failed(_ receipt: JournalReceipt, at now: Instant) {
        advance(to: now)
        guard journal.fail() else { return }
        events.append(.journalFailed)
        deactivate(.normal, at: now)
    }

    /// The wall clock or the time zone changed.
    package mutating func wallClockChanged(_ clock: WallClock, at now: Instant) {
        advance(to: now)
        time.set(clock)
        expireTimers()
        afterInput()
    }

    // MARK: Requests of the application

    /// The application is in the foreground, which is so until it says otherwise, or in the
    /// background. There it gathers changes for longer, keeps no idle link alive, and waits longer
    /// before it opens a link again. When it comes back, all of that ends at once.
    package mutating func setForeground(_ isForeground: Bool, at now: Instant) {
        advance(to: now)
        guard isForeground != self.isForeground else { return }
        self.isForeground = isForeground
        gathering.setForeground(isForeground, at: now)
        reachability.setForeground(isForeground)
        if !journal.hasFailed { connection.setForeground(isForeground, at: now) }
        afterInput()
    }

    /// Wants a link, or opens one at once where the environment knows that it can be had.
    package mutating func activate(at now: Instant) {
        advance(to: now)
        if !journal.hasFailed { connection.activate(at: now) }
        afterInput()
    }

    /// Closes the link, telling the counterpart why, and stops wanting one.
    package mutating func deactivate(_ code: CloseCode, at now: Instant) {
        advance(to: now)
        sendGathered()
        sealClose(code)
        connection.deactivate(at: now)
        afterInput()
    }

    /// Accepts a record for delivery.
    ///
    /// - Throws: ``SendRefusal`` when the caller asked for the impossible; nothing changes then.
    package mutating func send(
        _ draft: RecordDraft, at now: Instant
    ) throws(SendRefusal) -> RecordID {
        advance(to: now)
        guard !journal.hasFailed else { throw .journalFailed }
        let (id, isNew) = try accept(draft)
        counts.recordsAccepted += 1
        if draft.channel.traits.isGathered, isNew || draft.isUrgent {
            gathering.add(isUrgent: draft.isUrgent)
        }
        afterInput()
        return id
    }

    /// Gives the record that stands for the draft, and whether it is a new one.
    private mutating func accept(
        _ draft: RecordDraft
    ) throws(SendRefusal) -> (id: RecordID, isNew: Bool) {
        guard draft.channel.traits.order == .latestValue else {
            let former = recordUnderWay(for: draft)
            if let former, former.channel != draft.channel { return (former, false) }
            // Another opening of the counterpart gives the same numbers to other messages.
            if let epoch = draft.askedIn, epoch != counterpartEpoch { throw .notReachable }
            let id = try rooms.accept(draft, conditions(of: draft))
            return (id, id != former)
        }
        let former = draft.key.flatMap { newestValue(draft.channel, $0)?.id }
        let id = try rooms.accept(draft, conditions(of: draft))
        if id != former { valueWaits(id) }
        // A value equal to the newest one is that one: it takes no token.
        if draft.channel.traits.isPaced, let key = draft.key, id != former { pacer.mark(key) }
        return (id, id != former)
    }

    /// Cancels a record if it does not count yet; ``PeerEvent/settled(_:_:)`` says how it ended.
    package mutating func cancel(_ id: RecordID, at now: Instant) {
        advance(to: now)
        if id.channel.traits.order == .latestValue {
            _ = rooms.values.cancel(id)
        } else {
            rooms.senders[Rooms.place(of: id.channel)].cancel(id)
        }
        afterInput()
    }

    /// Makes the counterpart hold exactly `values` among the values of `kinds`, sending only what
    /// it lacks.
    ///
    /// - Throws: ``SendRefusal`` when not all of it is accepted; nothing has changed then.
    package mutating func synchronize(
        _ channel: Channel, _ values: [SyncValue], kinds: [ContentKind], removalKind: ContentKind,
        at now: Instant
    ) throws(SendRefusal) -> SyncResult {
        advance(to: now)
        guard !journal.hasFailed else { throw .journalFailed }
        let result = try rooms.values.synchronize(
            channel, values, kinds: kinds, removalKind: removalKind, clock: time.wall)
        if case .queued(let ids) = result { for id in ids { valueWaits(id) } }
        afterInput()
        return result
    }

    /// The application's later word on a record that it had left pending.
    package mutating func decide(_ id: RecordID, _ disposition: Disposition, at now: Instant) {
        advance(to: now)
        if id.channel.traits.order == .latestValue {
            rooms.heldValues.decide(id, disposition)
        } else {
            rooms.receivers[Rooms.place(of: id.channel)].decide(id, disposition)
        }
        afterInput()
    }

    /// Moves time on.
    mutating func advance(to now: Instant) {
        precondition(now >= time.now, "time runs backwards")
        time.now = now
    }
}
