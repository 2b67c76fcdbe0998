/// Timers: the one deadline of the peer, and the work that is due at it.
extension Peer {
    /// When to call ``wake(at:)``, if nothing arrives before.
    package var nextDeadline: Instant? {
        mutating get {
            var earliest = connection.nextDeadline
            func consider(_ deadline: Instant?) {
                guard let deadline else { return }
                earliest = min(earliest ?? deadline, deadline)
            }
            consider(reachability.nextDeadline)
            consider(alarm.deadline)
            consider(receivedDeadline)
            consider(session?.earlyLossAt)
            for index in rooms.senders.indices {
                consider(rooms.senders[index].nextExpiry.map { time.instant(of: $0) })
            }
            guard session != nil, connection.canSeal else { return earliest }
            // A value waits for something else once the moment of its token has passed.
            if let token = pacer.nextDeadline, token > time.now, reachability.state != .unreachable
            {
                consider(token)
            }
            if let token = gathering.nextDeadline, token > time.now { consider(token) }
            let recovery = readRecovery {
                (loss: $0.lossDeadline, paced: $0.pacedUntil, ack: $0.received.ackDeadline)
            }
            consider(recovery?.loss)
            // Behind a packet that the carrier does not take nothing leaves.
            guard !output.isBlocked else { return earliest }
            if configuration.shape == nil {
                consider(recovery?.paced)
                consider(recovery?.ack)
            } else if connection.unprovenRoom == nil {
                // Nothing leaves between two moments.
                consider(session?.grid.next ?? time.now)
            }
            return earliest
        }
    }

    /// When the sender of a record whose commit takes long is told that it was received.
    private var receivedDeadline: Instant? {
        guard session?.listing != nil else { return nil }
        var oldest: Instant?
        for index in rooms.receivers.indices {
            guard let taken = rooms.receivers[index].oldestUntold else { continue }
            oldest = min(oldest ?? taken, taken)
        }
        return oldest.map { $0.advanced(by: configuration.receivedNoticeTime) }
    }

    /// Does what is due now.
    mutating func expireTimers() {
        counts.timersFired += 1
        connection.expire(at: time.now)
        for index in rooms.senders.indices { rooms.senders[index].expire(at: time.wall) }
        for index in rooms.receivers.indices {
            guard let taken = rooms.receivers[index].oldestUntold,
                taken.advanced(by: configuration.receivedNoticeTime) <= time.now
            else { continue }
            rooms.receivers[index].oweReceived()
        }
        if connection.canSeal, let lost = session?.recovery?.expire(at: time.now) { takeBack(lost) }
        if let deadline = session?.earlyLossAt, deadline <= time.now { returnEarlyData() }
        let (change, action) = reachability.wake(at: time.now)
        report(change)
        switch action {
        case .ping: session?.requestPing()
        case .stalled: close(.stalled, telling: .stalled)
        case nil: break
        }
    }

    /// Brings the rooms up to date with each other after any input.
    mutating func afterInput() {
        stepConnection()
        stateForeign()
        if connection.phase == .established,
            connection.needsRenewal(next: session?.recovery?.nextNumber)
        {
            close(.numbersUsedUp, telling: .normal)
            stepConnection()
        }
    }

    /// Silence counts only while an answer is owed. Evaluated after a drain: an answer to
    /// lost frames is owed again only once they have left again.
    mutating func updateLiveness() {
        guard session != nil else { return }
        let recovering = readRecovery { (!$0.inFlight.isEmpty, $0.firstTimeout) }
        // In a constant shape the end of a dead link must not tell whether something was said.
        let isOwed =
            configuration.shape != nil || session?.pingSentAt != nil || recovering?.0 == true
            || output.isBlocked || rooms.isAwaitingAnswers
        let silence = reachability.silenceTime(firstTimeout: recovering?.1)
        reachability.owes(isOwed, silenceTime: silence, at: time.now)
    }
}
