internal import WatchProtoCore

/// The work of the driver's thread on the state. Only this thread reads, opens and closes carriers.
extension DriverState {
    /// Counts a return from sleep under its causes.
    mutating func count(_ signs: DriverLoop.Signs, at now: Instant) {
        guard armed.isAsleep else { return }
        armed.isAsleep = false
        environment.counters.wakeUps += 1
        if signs.isAwake { environment.counters.busyPollWakeUps += 1 }
        if signs.isReadable || signs.isWritable { environment.counters.carrierWakeUps += 1 }
        if signs.isSignUp || signs.isPendingUp { environment.counters.signWakeUps += 1 }
        if signs.isWoken { environment.counters.requestedWakeUps += 1 }
        if now >= armed.deadline { environment.counters.deadlineWakeUps += 1 }
    }

    /// Reads received bytes, at most about `limit`, with a drain after each chunk.
    mutating func read(into buffer: inout [UInt8], atMost limit: Int) {
        var budget = limit
        while budget > 0, !environment.isSuspended, let carrier = environment.carrier {
            var span = buffer.mutableSpan
            let isStream = carrier.traits.framing == .stream
            switch carrier.read(into: &span) {
            case .bytes(let count):
                receive(buffer.span.extracting(first: count), from: nil)
                // A stream that gave less than was asked for is empty: spare the call that says so.
                if isStream, count < buffer.count { return }
                budget -= max(count, 256)
            case .datagram(let count, let source):
                receive(buffer.span.extracting(first: count), from: source)
                budget -= max(count, 256)
            case .portRefused:
                let now = environment.clock.now
                peer.portRefused(at: now)
                settle(at: now)
                budget -= 256
            case .ignored(let cause):
                environment.now = environment.clock.now
                environment.ignored(cause)
                budget -= 4096
            case .nothingYet: return
            case .ended: endLink(.endOfStream)
            case .failed(let failure): endLink(failure)
            }
        }
    }

    private mutating func receive(_ bytes: Span<UInt8>, from source: PathAddress?) {
        environment.counters.reads += 1
        environment.counters.bytesRead += UInt64(bytes.count)
        let now = environment.clock.now
        if peer.receive(bytes, from: source, at: now) { settle(at: now) }
    }

    private mutating func endLink(_ failure: CarrierFailure) {
        let now = environment.clock.now
        environment.now = now
        loseLink(failure, at: now)
        settle(at: now)
    }

    /// Ends a link whose writes fail, if reading has not ended it before.
    mutating func handleWriteFailure(at now: Instant) {
        guard let failure = environment.writeFailure else { return }
        loseLink(failure, at: now)
        settle(at: now)
    }

    /// Wakes the peer and the delegate if their deadlines have come.
    mutating func meetDeadlines(at now: Instant) {
        if let deadline = peer.nextDeadline, deadline <= now {
            peer.wake(at: now)
            settle(at: now)
        }
        if let deadline = environment.delegate?.nextDeadline, deadline <= now {
            environment.delegate?.wake(at: now, later: &environment.deferred)
            settle(at: now)
        }
    }

    /// Asks the source for a carrier. If only the readiness descriptor caused the attempt, a
    /// failure is reported only if the peer waits for an answer.
    mutating func openLink(
        from source: any CarrierSource, _ occasion: OpeningOccasion, at now: Instant
    ) {
        environment.linkHasEnded = false
        guard phase == .active, environment.carrier == nil, !environment.isSuspended, !isExhausted,
            !environment.hasJournalFailed
        else { return }
        environment.now = now
        switch source.open(occasion) {
        case .opened(let carrier):
            takeOver(carrier, at: now)
        case .nobodyYet: break
        case .failed(let failure):
            environment.counters.linkFailures += 1
            guard environment.wantsLink else { break }
            environment.wantsLink = false
            environment.report(.linkNotOpened(failure))
            peer.linkDown(failure, at: now)
        case .exhausted:
            isExhausted = true
            environment.wantsLink = false
            environment.report(.noFurtherLink)
        }
        settle(at: now)
    }

    /// Takes over an open carrier: as the link's, or as a pending one that has not authenticated
    /// yet.
    mutating func takeOver(_ carrier: any Carrier, at now: Instant) {
        if !carrier.traits.isLossy, carrier.initiation == .whenCalled {
            accept(carrier, at: now)
            return
        }
        environment.install(carrier)
        peer.linkUp(
            carrier.traits, address: carrier.address, initiation: carrier.initiation, at: now)
    }

    /// Lets the source rest once the last link is over.
    mutating func restIfIdle(_ source: any CarrierSource) {
        guard phase == .resting, environment.carrier == nil, environment.retired.isEmpty else {
            return
        }
        for carrier in pending.removeAll() { environment.retired.append(carrier) }
        rest(source)
    }

    /// Lets the source rest, once for each time that it was wanted.
    mutating func rest(_ source: any CarrierSource) {
        guard mustRest else { return }
        mustRest = false
        if source.rest() { isPrepared = false }
    }

    /// Records the plan for the next sleep.
    mutating func plan(_ source: any CarrierSource) {
        let carrier = environment.isSuspended ? nil : environment.carrier
        armed.carrierReading = carrier?.readDescriptor ?? -1
        armed.watchesWriting = environment.isWriteBlocked
        armed.writing = environment.isWriteBlocked ? carrier?.writeDescriptor ?? -1 : -1
        armed.sign = watchesSign(of: source) ? source.readinessDescriptor ?? -1 : -1
        armed.pending = environment.isSuspended || pending.isEmpty ? -1 : pending.ready.descriptor
        armed.knowsLinkIsWanted = environment.wantsLink
        let isUnfinished =
            !environment.deferred.isEmpty || !environment.retired.isEmpty
            || environment.linkHasEnded
            || environment.writeFailure != nil
        armed.deadline = isUnfinished ? .zero : nextDeadline
        armed.isAsleep = true
    }

    /// Whether to watch the readiness descriptor. A side that listens for connections always does;
    /// others do while they lack a link.
    private func watchesSign(of source: any CarrierSource) -> Bool {
        guard phase == .active, !environment.isSuspended, !isExhausted,
            !environment.hasJournalFailed
        else {
            return false
        }
        guard let carrier = environment.carrier else { return true }
        return source.waitsForCounterpart && !carrier.traits.isLossy
    }
}
