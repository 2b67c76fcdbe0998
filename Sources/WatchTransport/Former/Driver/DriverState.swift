internal import WatchProto

/// Everything a driver guards with its lock: the peer, its host, and what the thread sleeps on.
struct DriverState<Security: PeerSecurity>: ~Copyable {
    enum Phase {
        /// Made, or deactivated: no link is wanted.
        case resting
        case active
        /// The thread must end; no call has any effect any more.
        case stopping
    }

    var peer: Peer<Security>
    var host: DriverHost
    var phase = Phase.resting
    /// How the source is to be closed when stopping.
    var leavesFiles = false
    var isExhausted = false
    /// The source has claimed what it needs, and has not given it up to rest.
    var isPrepared = false
    /// The source has been invited to give links since it last rested.
    var mustRest = false
    /// Guests that a listening side may still let in who then do not introduce themselves.
    var guests = WorkBudget.guests
    /// The guest who is in has taken of ``guests``.
    var isGuestCharged = false
    /// What the driver's thread is, or is about to be, asleep on.
    var armed = SleepPlan()
    private var spareAnswers: [JournalMailbox.Answer] = []
    private var spareInputs: [DeferredInputs.Input] = []

    init(peer: consuming Peer<Security>, host: DriverHost) {
        self.peer = peer
        self.host = host
    }

    /// The rounds of deferred inputs one call works off; the rest is left to the thread, so that
    /// a delegate that always answers itself cannot keep the lock.
    static var deferredRoundLimit: Int { 64 }

    /// Drains after an input, then feeds what the host and the delegate have for the peer, each
    /// followed by a drain of its own.
    mutating func settle(at now: Instant) {
        defer {
            host.flush()
            host.startJournal()
        }
        host.now = now
        host.flush()
        peer.drain(into: &host)
        var rounds = 0
        while rounds < Self.deferredRoundLimit {
            if !host.answers.isEmpty {
                feedJournalAnswers(at: now)
            } else if host.mustClose {
                host.flush()
                host.retireCarrier()
            } else if !host.deferred.inputs.isEmpty {
                feedDeferred(at: now)
                rounds += 1
            } else if !host.deferred.writes.isEmpty {
                host.persistWrites()
            } else {
                return
            }
        }
    }

    /// The carrier is gone, or could not be opened: sets it aside and tells the peer.
    mutating func loseLink(_ failure: CarrierFailure, at now: Instant) {
        host.retireCarrier()
        host.report(.linkLost(failure))
        peer.linkDown(failure, at: now)
        peer.drain(into: &host)
    }

    private mutating func feedJournalAnswers(at now: Instant) {
        // Two buffers change places, so that neither is allocated anew for every batch.
        swap(&host.answers, &spareAnswers)
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
            peer.drain(into: &host)
        }
        spareAnswers.removeAll(keepingCapacity: true)
    }

    private mutating func feedDeferred(at now: Instant) {
        swap(&host.deferred.inputs, &spareInputs)
        for input in spareInputs {
            switch input {
            case .send(let draft, let tag, let writes):
                let result = Result { () throws(SendRefusal) in
                    try send(draft, writes, at: now)
                }
                host.delegate?.deferredSend(tag, result, at: now, later: &host.deferred)
            case .updateComplication(let key, let payload):
                do throws(SendRefusal) {
                    try peer.updateComplication(key, payload, at: now)
                } catch {
                    host.delegate?.deferredSend(
                        .max, .failure(error), at: now, later: &host.deferred)
                }
            case .cancel(let id): peer.cancel(id, at: now)
            case .applied(let id, let writes): applied(id, writes, at: now)
            case .rejected(let id, let code, let writes): rejected(id, code, writes, at: now)
            case .deactivate(let code):
                phase = .resting
                peer.deactivate(code, at: now)
            }
            peer.drain(into: &host)
        }
        spareInputs.removeAll(keepingCapacity: true)
    }

    /// Gives a draft to the peer. Where a record of its idempotency key is under way, that one
    /// stands for it, and the writes went with that one.
    mutating func send(
        _ draft: RecordDraft, _ writes: [any StoreWrite], at now: Instant
    ) throws(SendRefusal) -> RecordID {
        let isRepeated = peer.recordUnderWay(for: draft) != nil
        let id = try peer.send(draft, at: now)
        if !isRepeated { host.deferred.writes += writes }
        return id
    }

    /// A record left pending is taken over; says whether it was pending. Otherwise nothing is
    /// written: it was disposed of before, and so were its writes.
    @discardableResult
    mutating func applied(
        _ id: RecordID, _ writes: [any StoreWrite], at now: Instant
    ) -> Bool {
        guard phase != .stopping, peer.isPending(id) else { return false }
        host.deferred.writes += writes
        peer.applied(id, at: now)
        return true
    }

    /// As ``applied(_:_:at:)``, for a record refused.
    @discardableResult
    mutating func rejected(
        _ id: RecordID, _ code: UInt16, _ writes: [any StoreWrite], at now: Instant
    ) -> Bool {
        guard phase != .stopping, peer.isPending(id) else { return false }
        host.deferred.writes += writes
        peer.rejected(id, code: code, at: now)
        return true
    }

    /// When the thread must wake by itself: the peer's moment or the delegate's, the earlier.
    var nextDeadline: Instant {
        let own = peer.nextDeadline ?? .distantFuture
        let delegate = host.delegate?.nextDeadline ?? .distantFuture
        return min(own, delegate)
    }

    /// Whether the thread sleeps on the wrong things after what a caller has just done. (An earlier
    /// deadline is none: the timer is set from here.)
    var mustWakeThread: Bool {
        phase == .stopping || (phase == .resting && mustRest)
            || !host.retired.isEmpty || !host.deferred.isEmpty
            || host.writeFailure != nil
            || (host.wantsLink && !armed.knowsLinkIsWanted)
            || (host.isWriteBlocked && !armed.watchesWriting)
    }
}

/// What the driver's thread sleeps on.
struct SleepPlan {
    var carrierReading: Int32 = -1
    /// The carrier's, while a write was cut short, or the source's, while it waits for room.
    var writing: Int32 = -1
    var sign: Int32 = -1
    var deadline = Instant.distantFuture
    /// What the timer is set to.
    var timer = Instant.distantFuture
    var watchesWriting = false
    var knowsLinkIsWanted = false
    /// Somebody has written to the wake descriptor and the thread has not seen it yet.
    var isWakePending = false
    /// The thread went to sleep on this plan.
    var isAsleep = false
}
