/// The carrier: wanted, opened, closed, and opened again.
extension Connection {
    /// The application wants a session, or the environment knows that a carrier can be had.
    package mutating func activate(at now: Instant) {
        guard case .down = state else { return }
        state = .opening
        events.append(.carrierWanted)
    }

    /// The application is in the foreground, or not. When it comes to the foreground, a link that
    /// is wanted is opened at once.
    package mutating func setForeground(_ isForeground: Bool, at now: Instant) {
        backoff.isForeground = isForeground
        guard isForeground, case .down(let down) = state, down.isWanted else { return }
        backoff.succeeded()
        activate(at: now)
    }

    /// The application wants no session. The peer has sealed a close frame before.
    package mutating func deactivate(at now: Instant) {
        if link != nil { events.append(.carrierClosed(.localRequest)) }
        rememberAddress()
        inbound = nil
        failedAttempts = 0
        state = .down(DownState())
    }

    /// The carrier is open. `address` is the counterpart's on datagrams that can be lost; where
    /// nil, it is the one of the last session on such a carrier, if any.
    package mutating func carrierUp(
        _ carrier: CarrierTraits, address: PathAddress? = nil, initiation: InitiationTime,
        at now: Instant
    ) {
        switch state {
        case .down(let down) where down.isWanted: break
        case .opening: break
        default:
            events.append(.carrierClosed(.notWanted))
            return
        }
        begin(carrier, address: address, initiation, at: now)
    }

    /// An authentic message 1 that is not stale came on a new carrier, as ``screen(_:on:at:)``
    /// found: the counterpart has left the former one.
    package mutating func carrierReplaced(by carrier: CarrierTraits, at now: Instant) {
        if case .down(let down) = state, !down.isWanted {
            events.append(.carrierClosed(.notWanted))
            return
        }
        if link != nil {
            events.append(.carrierClosed(.replaced))
            inbound = nil
            outgoing = []
        }
        begin(carrier, address: nil, .whenCalled, at: now)
    }

    private mutating func begin(
        _ carrier: CarrierTraits, address: PathAddress?, _ initiation: InitiationTime,
        at now: Instant
    ) {
        let needed = configuration.limits.smallestDatagramBytes
        if case .datagram(let bytes) = carrier.framing, bytes < needed {
            events.append(.carrierClosed(.datagramTooSmall(bytes: bytes, needed: needed)))
            fall(repeating: true, at: now)
            return
        }
        let link = OpenLink(
            carrier: carrier,
            framing: StreamFraming(limitBytes: ConnectionConfiguration.firstPacketBytes),
            path: PathValidation(proven: address ?? (carrier.isLossy ? knownAddress : nil)))
        var handshake = Handshake(link: link)
        switch initiation {
        case .atOnce: handshake.isInitiationDue = true
        case .afterPatience:
            handshake.initiateAt = now.advanced(by: configuration.calledPatience)
        case .whenCalled: break
        }
        if !carrier.isLossy { handshake.deadline = now.advanced(by: configuration.stallTime) }
        state = .handshaking(Owned(handshake))
    }

    /// Whether this side has a carrier on which it waits for the counterpart's message 1.
    package var waitsToBeCalled: Bool {
        guard case .handshaking(let owned) = state, case .none = owned.value.attempt else {
            return false
        }
        return owned.value.request == nil && !owned.value.isInitiationDue
    }

    /// The peer has something to send, and this side waits to be called: it makes message 1 now,
    /// where it knows where to.
    package mutating func initiateNow() {
        guard let handshake, case .none = handshake.attempt else { return }
        self.handshake?.isInitiationDue = true
        self.handshake?.initiateAt = nil
    }

    /// The carrier is gone, or could not be opened.
    package mutating func carrierDown(_ failure: CarrierFailure, at now: Instant) {
        switch state {
        case .down: return
        case .opening: backoff.openingFailed()
        case .handshaking, .established:
            let bytes = partialBytes
            events.append(
                .carrierClosed(
                    bytes > 0 ? .cutShort(bytes: bytes, failure) : .carrier(failure)))
        }
        outgoing = []
        fall(repeating: false, at: now)
    }

    /// Ends the link from this side. The peer has sealed a close frame before, where one is due.
    package mutating func close(_ end: ConnectionEnd, at now: Instant) {
        guard link != nil else { return }
        events.append(.carrierClosed(end))
        fall(repeating: end.repeats, at: now)
    }

    /// Something was settled or delivered in the session: the next one may follow at once. In a
    /// constant shape the length of the session alone says so: the wait must not tell of records.
    package mutating func sessionIsOfUse() {
        guard !configuration.hasConstantLengths else { return }
        if case .established(let owned) = state, !owned.value.isOfUse {
            established?.isOfUse = true
        }
    }

    /// Ends the session and keeps the carrier: a handshake follows. On carriers that cannot lose
    /// the carrier ends, too.
    mutating func endSession(_ end: ConnectionEnd, at now: Instant) {
        guard let link, link.isLossy else {
            close(end, at: now)
            return
        }
        let former = currentSession?.ownID
        // The counterpart had given the candidate session up before this side's packets came.
        if phase == .responded { failedAttempts += 1 }
        events.append(.sessionEnded(end))
        var handshake = Handshake(link: link)
        handshake.link.path.abandonCandidate()
        handshake.isInitiationDue = true
        handshake.formerID = former
        state = .handshaking(Owned(handshake))
    }

    /// The next carrier begins at the address that a packet of the session has shown last.
    private mutating func rememberAddress() {
        guard let link, link.isLossy else { return }
        knownAddress = link.path.proven ?? knownAddress
    }

    /// Leaves the link and waits for the next attempt.
    private mutating func fall(repeating: Bool, at now: Instant) {
        if let established, !repeating,
            established.isOfUse
                || established.since.duration(to: now) >= configuration.reopenBackoff
        {
            backoff.succeeded()
        }
        rememberAddress()
        inbound = nil
        let wait = backoff.nextWait(random: security.random())
        state = .down(DownState(isWanted: true, reopenAt: now.advanced(by: wait)))
    }
}

/// When a side makes message 1 on a new carrier.
package enum InitiationTime: Hashable, Sendable {
    /// Now: this side opened the carrier, or has records that may leave early.
    case atOnce
    /// If none came within the patience of a side that was called.
    case afterPatience
    /// Not before it is called, or has something to send.
    case whenCalled
}
