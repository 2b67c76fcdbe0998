internal import WatchProto

/// What the driver's thread does to the state: only it reads, opens and closes carriers.
extension DriverState {
    /// Books a return from sleep under its causes.
    mutating func count(_ signs: DriverLoop<Security>.Signs, at now: Instant) {
        guard armed.isAsleep else { return }
        armed.isAsleep = false
        host.counters.wakeUps += 1
        if signs.isAwake { host.counters.busyPollWakeUps += 1 }
        if signs.isReadable || signs.isWritable { host.counters.carrierWakeUps += 1 }
        if signs.isSignUp { host.counters.signWakeUps += 1 }
        if signs.isWoken { host.counters.requestedWakeUps += 1 }
        if now >= armed.deadline { host.counters.deadlineWakeUps += 1 }
    }

    /// Reads what has arrived, at most about `limit` bytes, each chunk followed by its drain.
    ///
    /// - Parameter isEndSought: somebody knocks, who may be the successor of a carrier that has
    ///   ended behind its last bytes: only a read that finds nothing tells that it has not.
    /// - Returns: whether more may have arrived.
    @discardableResult
    mutating func read(
        into buffer: inout [UInt8], atMost limit: Int, isEndSought: Bool
    ) -> Bool {
        var budget = limit
        while !host.isSuspended, let carrier = host.carrier {
            guard budget > 0 else { return true }
            var span = buffer.mutableSpan
            let isStream = carrier.traits.framing == .stream
            switch carrier.read(into: &span) {
            case .bytes(let count):
                host.counters.reads += 1
                host.counters.bytesRead += UInt64(count)
                let now = SystemClock.now
                peer.receive(buffer.span.extracting(first: count), at: now)
                settle(at: now)
                welcomeGuest()
                // A stream that gave less than was asked for is empty: spare the call that says so.
                if isStream, !isEndSought, count < buffer.count { return false }
                budget -= max(count, 256)
            case .ignored(let cause):
                host.ignored(cause)
                budget -= 4096
            case .nothingYet: return false
            case .ended: endLink(.endOfStream)
            case .failed(let failure): endLink(failure)
            }
        }
        return false
    }

    private mutating func endLink(_ failure: CarrierFailure) {
        let now = SystemClock.now
        host.now = now
        loseLink(failure, at: now)
        settle(at: now)
    }

    /// Ends a link whose writes fail, if reading has not ended it before.
    mutating func heedWriteFailure(at now: Instant) {
        guard let failure = host.writeFailure else { return }
        loseLink(failure, at: now)
        settle(at: now)
    }

    /// Wakes the peer and the delegate where their moments have come.
    mutating func meetDeadlines(at now: Instant) {
        if let deadline = peer.nextDeadline, deadline <= now {
            peer.wake(at: now)
            settle(at: now)
        }
        if let deadline = host.delegate?.nextDeadline, deadline <= now {
            host.delegate?.wake(at: now, later: &host.deferred)
            settle(at: now)
        }
    }

    /// Asks the source for a carrier. On a mere sign a failure is nobody's business, unless the
    /// peer has been waiting for an answer.
    mutating func openLink(
        from source: any CarrierSource, _ occasion: OpeningOccasion, at now: Instant
    ) {
        host.linkHasEnded = false
        guard !host.isSuspended, !isExhausted else { return }
        let isOpenable = phase == .active && host.carrier == nil
        guard isOpenable || source.waitsForCounterpart || source.roomDescriptor != nil else {
            return
        }
        host.now = now
        let isWelcome = isOpenable && mayEnter(source, occasion, at: now)
        var hasCome = false
        switch source.open(isWelcome ? occasion : .signWhileBusy) {
        case .opened(let carrier):
            hasCome = true
            install(carrier, at: now)
        case .nobodyYet:
            break
        case .refused(let count):
            host.counters.refusedConnections += UInt64(count)
            host.report(.connectionRefused(count: count))
        case .ignored(let cause):
            host.ignored(cause)
        case .failed(let failure):
            host.counters.linkFailures += 1
            guard host.wantsLink else { break }
            host.wantsLink = false
            host.report(.linkNotOpened(failure))
            peer.linkDown(failure, at: now)
        case .exhausted:
            isExhausted = true
            host.wantsLink = false
            host.report(.noFurtherLink)
        }
        if isWelcome, !hasCome { welcomeNobody() }
        settle(at: now)
    }

    /// Lets the source give up what invites the counterpart, once the last link is over.
    mutating func restIfIdle(_ source: any CarrierSource) {
        if phase == .resting, host.carrier == nil, host.retired.isEmpty { rest(source) }
    }

    /// Lets the source rest, once for each time that it was wanted.
    mutating func rest(_ source: any CarrierSource) {
        guard mustRest else { return }
        mustRest = false
        if source.rest() { isPrepared = false }
    }

    // MARK: Guests who have not introduced themselves

    /// Since when a guest has been in without completing the greeting; nil when there is none.
    private var unknownGuestSince: Instant? {
        guard phase == .active, host.carrier != nil, peer.activationState != .activated else {
            return nil
        }
        return host.openedAt
    }

    /// Until when those at the door wait for the one who is in to introduce himself: so long they
    /// are neither sent away for his sake nor let in before he had his time. Nil: not at all.
    private func doorStaysShutUntil(_ now: Instant) -> Instant? {
        guard let end = unknownGuestSince?.advanced(by: Self.introductionTime), now < end else {
            return nil
        }
        return end
    }

    /// Time that a guest who says nothing keeps others waiting.
    private static var introductionTime: Duration { .seconds(1) }

    /// Somebody knocks: a guest who has not introduced himself in his time makes room.
    mutating func dismissUnknownGuest(_ source: any CarrierSource, at now: Instant) {
        guard source.waitsForCounterpart, unknownGuestSince != nil, doorStaysShutUntil(now) == nil
        else { return }
        loseLink(.gaveWay, at: now)
        settle(at: now)
    }

    // MARK: Work for strangers

    /// Whether whoever knocks is let in: each guest costs a handshake, whoever he is.
    private mutating func mayEnter(
        _ source: any CarrierSource, _ occasion: OpeningOccasion, at now: Instant
    ) -> Bool {
        guard source.waitsForCounterpart, occasion == .sign else { return true }
        isGuestCharged = guests.take(at: now)
        return isGuestCharged
    }

    /// The guest is the counterpart, who may come as often as he likes.
    private mutating func welcomeGuest() {
        guard isGuestCharged, peer.activationState == .activated else { return }
        welcomeNobody()
    }

    private mutating func welcomeNobody() {
        if isGuestCharged { guests.giveBack() }
        isGuestCharged = false
    }

    private mutating func install(_ carrier: any Carrier, at now: Instant) {
        host.install(carrier)
        peer.linkUp(carrier.traits, isCalled: carrier.isCalled, at: now)
    }

    /// Notes what the thread is about to sleep on.
    mutating func plan(_ source: any CarrierSource, at now: Instant) {
        let carrier = host.isSuspended ? nil : host.carrier
        armed.carrierReading = carrier?.readDescriptor ?? -1
        armed.watchesWriting = host.isWriteBlocked
        let room = host.isWriteBlocked ? carrier?.writeDescriptor : roomDescriptor(of: source)
        armed.writing = room ?? -1
        let shutUntil = source.waitsForCounterpart ? doorStaysShutUntil(now) : nil
        let watchesSign = watchesSign(of: source) && shutUntil == nil
        armed.sign = watchesSign ? source.signDescriptor ?? -1 : -1
        armed.knowsLinkIsWanted = host.wantsLink
        let isUnfinished =
            !host.deferred.isEmpty || !host.retired.isEmpty || host.linkHasEnded
            || host.writeFailure != nil
        armed.deadline = isUnfinished ? .zero : min(nextDeadline, shutUntil ?? .distantFuture)
        armed.isAsleep = true
    }

    /// What becomes writable when the source can say what it has to; with a link there is nothing.
    private func roomDescriptor(of source: any CarrierSource) -> Int32? {
        guard host.carrier == nil, !host.isSuspended, !isExhausted else { return nil }
        return source.roomDescriptor
    }

    /// A listening side always answers the door; a connecting one looks out while it lacks a link.
    private func watchesSign(of source: any CarrierSource) -> Bool {
        guard !host.isSuspended, !isExhausted else { return false }
        return source.waitsForCounterpart || (phase == .active && host.carrier == nil)
    }
}
