internal import WatchProto

/// What the driver's thread does to the state: only it reads, opens and closes carriers.
extension DriverState {
    /// Books a return from sleep under its causes.
    mutating func count(_ signs: DriverLoop<Security>.Signs, at now: Instant) {
        guard armed.isAsleep else { return }
        armed.isAsleep = false
        host.counters.wakeUps += 1
        if signs.isReadable || signs.isWritable { host.counters.carrierWakeUps += 1 }
        if signs.isSignUp { host.counters.signWakeUps += 1 }
        if signs.isWoken { host.counters.requestedWakeUps += 1 }
        if now >= armed.deadline { host.counters.deadlineWakeUps += 1 }
    }

    /// Reads what has arrived, at most about `limit` bytes, each chunk followed by its drain.
    mutating func read(into buffer: inout [UInt8], atMost limit: Int) {
        var budget = limit
        while budget > 0, !host.isSuspended, let carrier = host.carrier {
            var span = buffer.mutableSpan
            let isStream = carrier.traits.framing == .stream
            switch carrier.read(into: &span) {
            case .bytes(let count):
                host.counters.reads += 1
                host.counters.bytesRead += UInt64(count)
                let now = SystemClock.now
                peer.receive(buffer.span.extracting(first: count), at: now)
                settle(at: now)
                // A stream that gave less than was asked for is empty: spare the call that says so.
                if isStream, count < buffer.count { return }
                budget -= max(count, 256)
            case .ignored(let cause):
                host.ignored(cause)
                budget -= 4096
            case .nothingYet: return
            case .ended: return endLink(.endOfStream)
            case .failed(let failure): return endLink(failure)
            }
        }
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
        guard isOpenable || source.waitsForCounterpart else { return }
        host.now = now
        switch source.open(isOpenable ? occasion : .signWhileBusy) {
        case .opened(let carrier):
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
        settle(at: now)
    }

    private mutating func install(_ carrier: any Carrier, at now: Instant) {
        host.install(carrier)
        peer.linkUp(carrier.traits, at: now)
    }

    /// Notes what the thread is about to sleep on.
    mutating func plan(_ source: any CarrierSource) {
        let carrier = host.isSuspended ? nil : host.carrier
        armed.carrierReading = carrier?.readDescriptor ?? -1
        armed.watchesWriting = host.isWriteBlocked
        armed.carrierWriting = host.isWriteBlocked ? carrier?.writeDescriptor ?? -1 : -1
        armed.sign = watchesSign(of: source) ? source.signDescriptor ?? -1 : -1
        armed.knowsLinkIsWanted = host.wantsLink
        let isUnfinished =
            !host.deferred.isEmpty || !host.retired.isEmpty || host.linkHasEnded
            || host.writeFailure != nil
        armed.deadline = isUnfinished ? .zero : nextDeadline
        armed.isAsleep = true
    }

    /// A listening side always answers the door; a connecting one looks out while it lacks a link.
    private func watchesSign(of source: any CarrierSource) -> Bool {
        guard !host.isSuspended, !isExhausted else { return false }
        return source.waitsForCounterpart || (phase == .active && host.carrier == nil)
    }
}
