internal import WatchProtoCore
internal import WatchProtoSecurity

/// The carriers of a pairing. One at a time is used.
///
/// Connections to a listening side are pending until they send a message, so that silent ones keep
/// nobody out. If this side speaks first, it takes the oldest connection.
extension PairingDriver {
    /// The descriptors and the deadline on which the thread sleeps.
    struct SleepPlan {
        var reading: Int32 = -1
        var writing: Int32 = -1
        var sign: Int32 = -1
        var pending: Int32 = -1
        var deadline: Instant?
    }

    func turn(_ state: inout State, _ buffer: inout [UInt8]) {
        let now = SystemClock.now
        if let deadline = state.link.nextDeadline, deadline <= now { state.link.wake(at: now) }
        for entry in state.pending.expired(at: now) { entry.carrier.close() }
        read(&state, &buffer)
        write(&state)
        if state.link.mustClose || state.link.isOver { loseCarrier(&state) }
        acceptNewcomers(&state, at: now)
        openCarrier(&state, at: now)
        write(&state)
    }

    private func read(_ state: inout State, _ buffer: inout [UInt8]) {
        // A peer that writes without end must not keep the thread from its other work.
        for _ in 0..<64 {
            guard let carrier = state.carrier, !state.link.mustClose else { return }
            var span = buffer.mutableSpan
            switch carrier.read(into: &span) {
            case .bytes(let count):
                state.link.receive(buffer.span.extracting(first: count), at: SystemClock.now)
            case .datagram(let count, let source):
                state.link.receive(
                    buffer.span.extracting(first: count), from: source, at: SystemClock.now)
            case .ignored, .portRefused: break
            case .nothingYet: return
            case .ended, .failed: loseCarrier(&state)
            }
        }
    }

    private func write(_ state: inout State) {
        while let carrier = state.carrier {
            // The link keeps few packets for a carrier that takes none, and drops the rest.
            if state.unsent.isEmpty { state.unsent = state.link.takeOutgoing() }
            guard let first = state.unsent.first else { return }
            switch carrier.write(first.bytes.span, to: first.address ?? carrier.address) {
            case .took(let count):
                guard count == first.bytes.count else {
                    state.unsent[0].bytes.removeFirst(count)
                    return
                }
                state.unsent.removeFirst()
            case .failed: loseCarrier(&state)
            }
        }
    }

    private func loseCarrier(_ state: inout State) {
        guard let carrier = state.carrier else { return }
        state.carrier = nil
        state.unsent = []
        state.reopenAt = SystemClock.now.advanced(by: Self.reopenTime)
        carrier.close()
        state.link.linkDown(at: SystemClock.now)
    }

    private func take(_ carrier: any Carrier, _ state: inout State, at now: Instant) {
        state.carrier = carrier
        state.link.linkUp(carrier.traits, at: now)
    }

    /// Accepts connections to a listening side as pending. On datagrams there is only one socket.
    private func acceptNewcomers(_ state: inout State, at now: Instant) {
        guard accepts(state) else { return }
        for _ in 0..<PendingConnections.limit {
            guard case .opened(let carrier) = source.open(.sign) else { return }
            if carrier.traits.isLossy { return take(carrier, &state, at: now) }
            state.pending.accept(carrier, at: now).evicted?.close()
        }
    }

    /// Returns connections made before the source was withdrawn. The session accepts later ones.
    func newcomers() -> [any Carrier] {
        guard source.waitsForCounterpart else { return [] }
        var all: [any Carrier] = []
        while case .opened(let carrier) = source.open(.sign), !carrier.traits.isLossy {
            all.append(carrier)
        }
        return all
    }

    /// Sends in clear that this side is pairing, and closes the carrier.
    func turnAway(_ carrier: any Carrier) {
        var writer = WireWriter()
        AdvisoryPacket(version: NoiseSecurity.wireVersion, code: .pairing).write(to: &writer)
        let packet = PacketFraming.plain(.advisory, writer.bytes, carrier: carrier.traits)
        _ = carrier.write(packet.span)
        carrier.close()
    }

    private func accepts(_ state: borrowing State) -> Bool {
        source.waitsForCounterpart && !state.isStopping && !state.link.isOver
            && (state.carrier.map { !$0.traits.isLossy } ?? state.link.wantsLink)
    }

    private func openCarrier(_ state: inout State, at now: Instant) {
        guard state.carrier == nil, state.link.wantsLink, !state.isStopping else { return }
        if source.waitsForCounterpart {
            let next =
                state.link.speaksFirst ? state.pending.oldest : state.pending.ready.ready().first
            guard let next, let entry = state.pending.take(next) else { return }
            if let descriptor = entry.carrier.readDescriptor {
                state.pending.ready.remove(descriptor)
            }
            take(entry.carrier, &state, at: now)
        } else {
            let isDue = now >= state.reopenAt
            switch source.open(isDue ? .asked : .sign) {
            case .opened(let carrier): take(carrier, &state, at: now)
            case .failed: state.reopenAt = now.advanced(by: Self.reopenTime)
            case .nobodyYet, .exhausted:
                if isDue { state.reopenAt = now.advanced(by: Self.reopenTime) }
            }
        }
    }

    func sleepPlan(_ state: borrowing State) -> SleepPlan {
        var plan = SleepPlan()
        let waits = state.carrier == nil && state.link.wantsLink
        let reopensAt = waits && !source.waitsForCounterpart ? state.reopenAt : nil
        plan.reading = state.carrier?.readDescriptor ?? -1
        if !state.unsent.isEmpty { plan.writing = state.carrier?.writeDescriptor ?? -1 }
        if waits || accepts(state) { plan.sign = source.readinessDescriptor ?? -1 }
        if waits, !state.link.speaksFirst, !state.pending.isEmpty {
            plan.pending = state.pending.ready.descriptor
        }
        plan.deadline = [state.link.nextDeadline, state.pending.nextDeadline, reopensAt]
            .compactMap(\.self).min()
        return plan
    }
}
