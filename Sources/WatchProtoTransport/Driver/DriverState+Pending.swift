internal import WatchProtoCore

/// Pending connections of a listening source on carriers that cannot lose. They wait until message
/// 1 has authenticated, and then take the carrier's place (C-40 to C-42).
extension DriverState {
    /// The connections that one turn accepts at most, so that callers get the lock.
    private static var acceptLimit: Int { 64 }

    /// Accepts pending connections after the readiness descriptor was readable.
    mutating func acceptNewcomers(_ source: any CarrierSource, at now: Instant) {
        environment.now = now
        for _ in 0..<Self.acceptLimit {
            guard mayAccept(source) else { return }
            switch source.open(.sign) {
            case .opened(let carrier):
                takeOver(carrier, at: now)
                settle(at: now)
            case .failed:
                environment.counters.linkFailures += 1
                return
            case .nobodyYet, .exhausted: return
            }
        }
    }

    private func mayAccept(_ source: any CarrierSource) -> Bool {
        // Behind datagrams there is one socket, which is the carrier's own.
        phase == .active && !environment.isSuspended && !environment.hasJournalFailed
            && environment.carrier?.traits.isLossy != true
    }

    /// Accepts a connection that has not authenticated. Its first packet has mostly arrived with
    /// it.
    mutating func accept(_ carrier: any Carrier, at now: Instant) {
        let (name, evicted) = pending.accept(carrier, at: now)
        if let evicted { turnAway(evicted) }
        screen(name, at: now)
    }

    /// Examines connections that have sent bytes, or have ended.
    mutating func screenReady(at now: Instant) {
        guard !environment.isSuspended else { return }
        environment.now = now
        for name in pending.ready.ready() { screen(name, at: now) }
    }

    /// Ends connections that took too long. If a connection waited for this side's own message 1,
    /// and that had no result, it takes the carrier's place.
    mutating func expirePending(at now: Instant) {
        guard let deadline = pending.nextDeadline, deadline <= now else { return }
        environment.now = now
        for var entry in pending.expired(at: now) {
            guard entry.isCrossed else {
                turnAway(entry.carrier)
                continue
            }
            switch peer.screen(&entry.first, on: entry.carrier.traits, at: now) {
            case .admitted, .crossed: admit(entry, at: now)
            case .incomplete, .answer, .refused: turnAway(entry.carrier)
            }
        }
    }

    private enum Fate {
        case waits, admitted, ended
    }

    private mutating func screen(_ name: UInt64, at now: Instant) {
        guard var entry = pending.change(name, { $0 }) else { return }
        switch look(&entry, at: now) {
        case .waits: _ = pending.change(name) { $0 = entry }
        case .admitted:
            _ = pending.take(name)
            admit(entry, at: now)
        case .ended:
            _ = pending.take(name)
            turnAway(entry.carrier)
        }
    }

    private mutating func look(_ entry: inout PendingCarriers.Entry, at now: Instant) -> Fate {
        while true {
            switch peer.screen(&entry.first, on: entry.carrier.traits, at: now) {
            case .admitted: return .admitted
            case .crossed:
                entry.isCrossed = true
                // More of it would wake the thread again and again; its time ends soon.
                if let descriptor = entry.carrier.readDescriptor {
                    pending.ready.remove(descriptor)
                }
                return .waits
            case .answer(let bytes):
                _ = entry.carrier.write(bytes.span)
                continue
            case .refused(let answer):
                if let answer { _ = entry.carrier.write(answer.span) }
                return .ended
            case .incomplete: break
            }
            var chunk = [UInt8](repeating: 0, count: entry.first.room)
            var span = chunk.mutableSpan
            switch entry.carrier.read(into: &span) {
            case .bytes(let count): entry.first.receive(chunk.span.extracting(first: count))
            case .nothingYet: return .waits
            default: return .ended
            }
        }
    }

    private mutating func admit(_ entry: PendingCarriers.Entry, at now: Instant) {
        if let descriptor = entry.carrier.readDescriptor { pending.ready.remove(descriptor) }
        environment.retireCarrier()
        environment.install(entry.carrier)
        peer.linkReplaced(by: entry.carrier.traits, at: now)
        settle(at: now)
        guard environment.carrier === entry.carrier else { return }
        peer.receive(entry.first.received.span, at: now)
        settle(at: now)
    }

    private mutating func turnAway(_ carrier: any Carrier) {
        environment.retired.append(carrier)
        environment.refused()
    }
}
