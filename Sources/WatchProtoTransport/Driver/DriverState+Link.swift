internal import WatchProtoCore

/// The work of the driver's thread on the state. Only this thread reads, opens and closes carriers.
extension DriverState {
    /// Counts a return from sleep under its causes.
    mutating func count(_ signs: DriverLoop<Security>.Signs, at now: Instant) {
        guard armed.isAsleep else { return }
        armed.isAsleep = false
        host.counters.wakeUps += 1
        if signs.isAwake { host.counters.busyPollWakeUps += 1 }
        if signs.isReadable || signs.isWritable { host.counters.carrierWakeUps += 1 }
        if signs.isSignUp || signs.isPendingUp { host.counters.signWakeUps += 1 }
        if signs.isWoken { host.counters.requestedWakeUps += 1 }
        if now >= armed.deadline { host.counters.deadlineWakeUps += 1 }
    }

    /// Reads received bytes, at most about `limit`, with a drain after each chunk.
    mutating func read(into buffer: inout [UInt8], atMost limit: Int) {
        var budget = limit
        while budget > 0, !host.isSuspended, let carrier = host.carrier {
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
                let now = host.clock.now
                peer.portRefused(at: now)
                settle(at: now)
                budget -= 256
            case .ignored(let cause):
                host.now = host.clock.now
                host.ignored(cause)
                budget -= 4096
            case .nothingYet: return
            case .ended: endLink(.endOfStream)
            case .failed(let failure): endLink(failure)
            }
        }
    }

    private mutating func receive(_ bytes: Span<UInt8>, from source: PathAddress?) {
        host.counters.reads += 1
        host.counters.bytesRead += UInt64(bytes.count)
        let now = host.clock.now
        peer.receive(bytes, from: source, at: now)
        settle(at: now)
    }

    private mutating func endLink(_ failure: CarrierFailure) {
        let now = host.clock.now
        host.now = now
        loseLink(failure, at: now)
        settle(at: now)
    }

    /// Ends a link whose writes fail, if reading has not ended it before.
    mutating func handleWriteFailure(at now: Instant) {
        guard let failure = host.writeFailure else { return }
        loseLink(failure, at: now)
        settle(at: now)
    }

    /// Wakes the peer and the delegate if their deadlines have come.
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

    /// Asks the source for a carrier. If only the readiness descriptor caused the attempt, a
    /// failure is reported only if the peer waits for an answer.
    mutating func openLink(
        from source: any CarrierSource, _ occasion: OpeningOccasion, at now: Instant
    ) {
        host.linkHasEnded = false
        guard phase == .active, host.carrier == nil, !host.isSuspended, !isExhausted,
            !host.hasJournalFailed
        else { return }
        host.now = now
        switch source.open(occasion) {
        case .opened(let carrier):
            takeOver(carrier, at: now)
        case .nobodyYet: break
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
        settle(at: now)
    }

    /// Takes over an open carrier: as the link's, or as a pending one that has not authenticated
    /// yet.
    mutating func takeOver(_ carrier: any Carrier, at now: Instant) {
        if !carrier.traits.isLossy, carrier.initiation == .whenCalled {
            accept(carrier, at: now)
            return
        }
        host.install(carrier)
        peer.linkUp(
            carrier.traits, address: carrier.address, initiation: carrier.initiation, at: now)
    }

    /// Lets the source rest once the last link is over.
    mutating func restIfIdle(_ source: any CarrierSource) {
        guard phase == .resting, host.carrier == nil, host.retired.isEmpty else { return }
        for carrier in pending.removeAll() { host.retired.append(carrier) }
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
        let carrier = host.isSuspended ? nil : host.carrier
        armed.carrierReading = carrier?.readDescriptor ?? -1
        armed.watchesWriting = host.isWriteBlocked
        armed.writing = host.isWriteBlocked ? carrier?.writeDescriptor ?? -1 : -1
        armed.sign = watchesSign(of: source) ? source.signDescriptor ?? -1 : -1
        armed.pending = host.isSuspended || pending.isEmpty ? -1 : pending.ready.descriptor
        armed.knowsLinkIsWanted = host.wantsLink
        let isUnfinished =
            !host.deferred.isEmpty || !host.retired.isEmpty || host.linkHasEnded
            || host.writeFailure != nil
        armed.deadline = isUnfinished ? .zero : nextDeadline
        armed.isAsleep = true
    }

    /// Whether to watch the readiness descriptor. A side that listens for connections always does;
    /// others do while they lack a link.
    private func watchesSign(of source: any CarrierSource) -> Bool {
        guard phase == .active, !host.isSuspended, !isExhausted, !host.hasJournalFailed else {
            return false
        }
        guard let carrier = host.carrier else { return true }
        return source.waitsForCounterpart && !carrier.traits.isLossy
    }
}
