internal import WatchProtoCore
internal import WatchProtoRecords

/// The state under the driver's lock: the peer, its environment, and the plan of the thread's
/// sleep.
struct DriverState: ~Copyable {
    enum Phase {
        /// The driver was made, or deactivated: no link is wanted.
        case resting
        case active
        /// The thread must end. No call has any effect any more.
        case stopping
    }

    var peer: Peer
    var environment: DriverEnvironment
    var pending: PendingCarriers
    var phase = Phase.resting
    /// How the source is to be closed when stopping.
    var leavesFiles = false
    var isExhausted = false
    /// Whether the source has claimed its address and has not released it to rest.
    var isPrepared = false
    /// Whether the source has been prepared since it last rested.
    var mustRest = false
    /// When the failed journal is opened again, and the wait before that.
    var journalRetry = JournalRetry()
    /// The plan on which the driver's thread sleeps or is about to sleep.
    var armed = SleepPlan()
    private var spareAnswers: [CommitNotifier.Answer] = []
    private var spareInputs: [DeferredInputs.Input] = []

    init(peer: consuming Peer, environment: DriverEnvironment, pending: PendingCarriers) {
        self.peer = peer
        self.environment = environment
        self.pending = pending
    }

    /// The rounds of deferred inputs that one call handles. The rest is left to the thread, so that
    /// a delegate that always causes new work cannot keep the lock.
    static var deferredRoundLimit: Int { 64 }

    /// Runs until idle: drains after an input, then feeds the peer the inputs of the environment
    /// and the delegate, with a drain after each.
    mutating func settle(at now: Instant) {
        defer {
            environment.flush()
            environment.startJournal()
        }
        environment.now = now
        environment.flush()
        peer.drain(into: &environment)
        var rounds = 0
        while rounds < Self.deferredRoundLimit {
            if !environment.answers.isEmpty {
                feedJournalAnswers(at: now)
            } else if environment.mustClose {
                environment.flush()
                environment.retireCarrier()
            } else if !environment.deferred.inputs.isEmpty {
                feedDeferred(at: now)
                rounds += 1
            } else if !environment.deferred.writes.isEmpty {
                environment.persistWrites()
            } else {
                return
            }
        }
    }

    /// Sets aside a carrier that is gone or could not be opened, and reports it to the peer.
    mutating func loseLink(_ failure: CarrierFailure, at now: Instant) {
        environment.retireCarrier()
        environment.report(.linkLost(failure))
        peer.linkDown(failure, at: now)
        peer.drain(into: &environment)
    }

    private mutating func feedJournalAnswers(at now: Instant) {
        // Two buffers change places, so that neither is allocated anew for every batch.
        swap(&environment.answers, &spareAnswers)
        for (place, answer) in spareAnswers.enumerated() {
            if answer.isCommitted {
                // A receipt covers all before it, and a group's answers come together.
                let next = place + 1
                if next < spareAnswers.count, spareAnswers[next].isCommitted,
                    spareAnswers[next].receipt > answer.receipt
                {
                    continue
                }
                peer.committed(answer.receipt, at: now)
            } else {
                peer.failed(answer.receipt, at: now)
            }
            peer.drain(into: &environment)
        }
        spareAnswers.removeAll(keepingCapacity: true)
        if environment.hasJournalFailed {
            journalRetry.failed(at: now, isOpen: environment.journal.isOpen)
        }
    }

    private mutating func feedDeferred(at now: Instant) {
        swap(&environment.deferred.inputs, &spareInputs)
        for input in spareInputs {
            switch input {
            case .send(let draft, let tag, let writes):
                let result = Result { () throws(SendRefusal) in
                    try send(draft, writes, at: now)
                }
                if draft.inReplyTo != nil, case .success(let id) = result {
                    environment.delegate?.deferredReply(id, draft)
                }
                environment.delegate?.deferredSend(
                    tag, result, at: now, later: &environment.deferred)
            case .cancel(let id): cancel(id, at: now)
            case .applied(let id, let writes): decide(id, .applied, writes, at: now)
            case .rejected(let id, let code, let writes):
                decide(id, .rejected(code: code), writes, at: now)
            case .deactivate(let code):
                phase = .resting
                peer.deactivate(code, at: now)
            }
            peer.drain(into: &environment)
        }
        spareInputs.removeAll(keepingCapacity: true)
    }

    // MARK: Requests

    /// Gives a draft to the peer. If a record with its idempotency key is under way, that record
    /// stands for the draft. Its writes went with that record.
    mutating func send(
        _ draft: RecordDraft, _ writes: [any StoreWrite], at now: Instant
    ) throws(SendRefusal) -> RecordID {
        guard phase != .stopping else { throw .notReachable }
        let isRepeated = peer.recordUnderWay(for: draft) != nil
        let id = try peer.send(draft, at: now)
        if !isRepeated { environment.deferred.writes += writes }
        return id
    }

    /// Cancels a record; false if it is not under way.
    @discardableResult
    mutating func cancel(_ id: RecordID, at now: Instant) -> Bool {
        guard phase != .stopping, case .underWay = peer.status(of: id) else { return false }
        peer.cancel(id, at: now)
        return true
    }

    /// Applies the application's decision on a pending record; false if it was not pending. Nothing
    /// is written then, because the earlier decision had its own writes.
    @discardableResult
    mutating func decide(
        _ id: RecordID, _ word: Disposition, _ writes: [any StoreWrite], at now: Instant
    ) -> Bool {
        guard phase != .stopping, !environment.hasJournalFailed, peer.isPending(id) else {
            return false
        }
        environment.deferred.writes += writes
        peer.decide(id, word, at: now)
        return true
    }

    // MARK: The thread's plan

    /// When the thread must wake by itself.
    var nextDeadline: Instant {
        mutating get {
            let own = peer.nextDeadline ?? .distantFuture
            let delegate = environment.delegate?.nextDeadline ?? .distantFuture
            let waiting = pending.nextDeadline ?? .distantFuture
            let journal = journalRetry.nextAt ?? .distantFuture
            return min(min(own, delegate), min(waiting, journal))
        }
    }

    /// Whether the thread sleeps on a wrong plan after a caller's work. (An earlier deadline does
    /// not count: the caller sets the timer.)
    var mustWakeThread: Bool {
        phase == .stopping || (phase == .resting && mustRest)
            || !environment.retired.isEmpty || !environment.deferred.isEmpty
            || environment.writeFailure != nil
            || (environment.wantsLink && !armed.knowsLinkIsWanted)
            || (environment.isWriteBlocked && !armed.watchesWriting)
    }
}

/// The descriptors and the deadline on which the driver's thread sleeps.
struct SleepPlan {
    var carrierReading: Int32 = -1
    /// The descriptor of the carrier while a write was cut short.
    var writing: Int32 = -1
    var sign: Int32 = -1
    var pending: Int32 = -1
    var deadline = Instant.distantFuture
    /// The deadline that the timer is set to.
    var timer = Instant.distantFuture
    var watchesWriting = false
    var knowsLinkIsWanted = false
    /// Whether the wake descriptor was written and the thread has not seen it yet.
    var isWakePending = false
    /// Whether the thread went to sleep on this plan.
    var isAsleep = false
}
