/// Time: repetition, patience, back-off and ages. One deadline at a time.
extension Connection {
    /// When ``expire(at:)`` is to be called; nil while nothing is due at any time.
    public var nextDeadline: Instant? {
        switch state {
        case .opening: return nil
        case .down(let down): return down.reopenAt
        case .handshaking(let owned):
            let handshake = owned.value
            var next = handshake.deadline
            next = Self.earlier(next, handshake.initiateAt)
            next = Self.earlier(next, partialDeadline(handshake.link))
            switch handshake.attempt {
            case .none: return next
            case .initiated(let initiated): return Self.earlier(next, initiated.repeatAt)
            case .responded(let responded): return Self.earlier(next, responded.confirmBy)
            }
        case .established(let owned):
            let established = owned.value
            return Self.earlier(
                Self.earlier(established.renewAt, established.probeDeadline),
                partialDeadline(established.link))
        }
    }

    private static func earlier(_ one: Instant?, _ other: Instant?) -> Instant? {
        guard let one else { return other }
        guard let other else { return one }
        return min(one, other)
    }

    private func partialDeadline(_ link: OpenLink) -> Instant? {
        link.partialSince?.advanced(by: configuration.stallTime)
    }

    private func isOver(_ deadline: Instant?, _ now: Instant) -> Bool {
        deadline.map { $0 <= now } ?? false
    }

    /// ``nextDeadline`` has come; calling early does no harm.
    public mutating func expire(at now: Instant) {
        switch state {
        case .opening: break
        case .down(let down):
            if isOver(down.reopenAt, now) { activate(at: now) }
        case .handshaking(let owned): expire(owned.value, at: now)
        case .established(let owned):
            var established = owned.value
            if isOver(partialDeadline(established.link), now) {
                close(.stalled, at: now)
            } else if isOver(established.probeDeadline, now) {
                endSession(.unreachable, at: now)
            } else if isOver(established.renewAt, now) {
                established.renewAt = nil
                state = .established(Owned(established))
                events.append(.renewalDue)
            }
        }
    }

    private mutating func expire(_ former: Handshake, at now: Instant) {
        var handshake = former
        if isOver(partialDeadline(handshake.link), now) {
            close(.stalled, at: now)
            return
        }
        if isOver(handshake.deadline, now) {
            close(.handshakeTimedOut, at: now)
            return
        }
        if isOver(handshake.initiateAt, now) {
            handshake.initiateAt = nil
            handshake.isInitiationDue = true
        }
        switch handshake.attempt {
        case .none: break
        case .responded(let responded) where isOver(responded.confirmBy, now):
            // Nobody went on with the session: the message 1 was old, or the carrier lost much.
            handshake.attempt = .none
            handshake.isInitiationDue = true
            handshake.link.path.abandonCandidate()
            events.append(.sessionEnded(.handshakeTimedOut))
        case .responded: break
        case .initiated(var initiated) where isOver(initiated.repeatAt, now):
            initiated.repetitions += 1
            handshake.repetitions += 1
            if initiated.repetitions > ConnectionConfiguration.initiationRepetitions {
                // The counterpart may have answered it on a link that is gone.
                handshake.attempt = .none
                handshake.isInitiationDue = true
            } else {
                initiated.repeatAt = now.advanced(by: repetitionWait(handshake.repetitions))
                handshake.attempt = .initiated(initiated)
                state = .handshaking(Owned(handshake))
                counters.initiationsRepeated += 1
                sendInitiation(initiated.message)
                return
            }
        case .initiated: break
        }
        state = .handshaking(Owned(handshake))
    }

    /// The system reports that nobody takes the datagrams: a hint that anybody on the way can
    /// forge. In a session the peer sends a ping, and without a packet of the session in time a
    /// handshake follows.
    public mutating func portRefused(at now: Instant) {
        guard case .established(let owned) = state, case var established = owned.value,
            established.link.isLossy,
            established.probeDeadline == nil
        else { return }
        let wait = max(firstTimeout * 3, .milliseconds(100))
        established.probeDeadline = now.advanced(by: wait)
        state = .established(Owned(established))
        events.append(.probeWanted)
    }
}
