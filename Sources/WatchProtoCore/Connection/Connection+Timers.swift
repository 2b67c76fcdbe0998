/// Time: repetition, patience, back-off and ages. One deadline at a time.
extension Connection {
    /// When ``expire(at:)`` is to be called; nil while nothing is due at any time.
    package var nextDeadline: Instant? {
        switch state {
        case .opening: return nil
        case .down(let down): return down.reopenAt
        case .handshaking(let owned):
            let own =
                switch owned.value.attempt {
                case .none: Instant?.none
                case .initiated(let initiated): initiated.times?.repeatAt
                case .responded(let responded): responded.confirmBy
                }
            return Self.first(
                owned.value.deadline, owned.value.initiateAt,
                partialDeadline(since: owned.value.link.partialSince), own)
        case .established(let owned):
            return Self.first(
                owned.value.renewAt, owned.value.session.former?.until, owned.value.probeDeadline,
                partialDeadline(since: owned.value.link.partialSince))
        }
    }

    private static func first(
        _ one: Instant?, _ two: Instant?, _ three: Instant?, _ four: Instant?
    ) -> Instant? {
        let first = min(
            one ?? .distantFuture, two ?? .distantFuture, three ?? .distantFuture,
            four ?? .distantFuture)
        return first < .distantFuture ? first : nil
    }

    private func partialDeadline(since start: Instant?) -> Instant? {
        start?.advanced(by: configuration.stallTime)
    }

    private func isOver(_ deadline: Instant?, _ now: Instant) -> Bool {
        deadline.map { $0 <= now } ?? false
    }

    /// ``nextDeadline`` has come; calling early does no harm.
    package mutating func expire(at now: Instant) {
        if let link, isOver(partialDeadline(since: link.partialSince), now) {
            return close(.stalled, at: now)
        }
        switch state {
        case .opening: break
        case .down(let down):
            if isOver(down.reopenAt, now) { activate(at: now) }
        case .handshaking(let owned): expire(owned.value, at: now)
        case .established(let owned):
            let established = owned.value
            if isOver(established.session.former?.until, now) {
                self.established?.session.dropFormerKey(at: now)
            }
            if isOver(established.probeDeadline, now) {
                endSession(.unreachable, at: now)
            } else if isOver(established.renewAt, now) {
                self.established?.renewAt = nil
                events.append(.renewalDue)
            }
        }
    }

    private mutating func expire(_ handshake: Handshake, at now: Instant) {
        if isOver(handshake.deadline, now) {
            if handshake.link.isLossy { failedAttempts += 1 }
            return close(.handshakeTimedOut, at: now)
        }
        if isOver(handshake.initiateAt, now) {
            self.handshake?.initiateAt = nil
            self.handshake?.isInitiationDue = true
        }
        if let responded = handshake.responded, isOver(responded.confirmBy, now) {
            // Nobody went on with the session: the message 1 was old, or the carrier is slow, or
            // lost much.
            failedAttempts += 1
            self.handshake?.beginAnew()
            self.handshake?.link.path.abandonCandidate()
            events.append(.sessionEnded(.handshakeTimedOut))
        }
        guard let initiated = handshake.initiated, let times = initiated.times,
            isOver(times.repeatAt, now)
        else { return }
        self.handshake?.repetitions += 1
        guard times.endsAt > now else {
            // The counterpart may have answered it on a link that is gone.
            failedAttempts += 1
            self.handshake?.beginAnew()
            return
        }
        let repeatAt = now.advanced(by: repetitionWait(handshake.repetitions + 1))
        self.handshake?.initiated?.isFresh = times.freshUntil > now
        self.handshake?.initiated?.times?.repeatAt = repeatAt
        counters.initiationsRepeated += 1
        sendInitiation(initiated.message)
    }

    /// The system reports that nobody takes the datagrams: a hint that anybody on the way can
    /// forge. In a session the peer sends a ping, and without a packet of the session in time a
    /// handshake follows.
    package mutating func portRefused(at now: Instant) {
        guard let established, established.link.isLossy, established.probeDeadline == nil else {
            return
        }
        let deadline = now.advanced(by: max(firstTimeout * 3, .milliseconds(100)))
        self.established?.probeDeadline = deadline
        events.append(.probeWanted)
    }
}
