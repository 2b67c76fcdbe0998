internal import CPosix
internal import Glibc
internal import Synchronization
public import WatchProto
public import WatchSecurity

/// Runs a `PairingLink` on one thread of its own: opens carriers, moves bytes, keeps time. A
/// session of the device at the same address must be closed meanwhile.
///
/// What happens is told on that thread, in order, with no lock held.
public final class PairingDriver: Sendable {
    /// Hears what happens.
    public typealias Ear = @Sendable (PairingLink.Event) -> Void
    /// Makes a pairing durable; throws where that failed, and nothing is paired then.
    public typealias Store = @Sendable (PairedDevice) throws -> Void

    private struct State: ~Copyable {
        var link: PairingLink
        var carrier: (any Carrier)?
        var unsent: [[UInt8]] = []
        var reopenAt = Instant.zero
        /// Guests that may still be let in.
        var guests = WorkBudget.pairingGuests
        var isStopping = false
    }

    /// How long a link that ended, or could not be opened, is left alone: 1 s.
    public static let reopenTime: Duration = .seconds(1)

    private let source: any CarrierSource
    private let state: Mutex<State>
    private let wake: WakeDescriptor
    private let ear: Ear
    private let store: Store
    private let thread = Mutex<SystemThread?>(nil)

    /// Makes a driver that does nothing yet.
    ///
    /// - Parameters:
    ///   - identity: who this device is.
    ///   - source: where carriers come from; the driver's own from now on.
    ///   - lifeOfCodes: how long a code is good for, at most `PairingDesk.codeLife`.
    ///   - store: makes a pairing durable.
    ///   - ear: hears what happens; `store` events are not among it.
    /// - Throws: ``JournalFailure`` when the system has no descriptor left.
    public init(
        _ identity: PairingIdentity, source: any CarrierSource,
        lifeOfCodes: Duration = PairingDesk.codeLife, store: @escaping Store, ear: @escaping Ear
    ) throws(JournalFailure) {
        do throws(SystemErrorNumber) { wake = try WakeDescriptor() } catch {
            throw JournalFailure("no descriptor: \(error.failure(of: "eventfd").text)")
        }
        self.source = source
        self.store = store
        self.ear = ear
        state = Mutex(State(link: PairingLink(identity, lifeOfCodes: lifeOfCodes)))
    }

    /// Claims the address and starts the thread.
    ///
    /// - Throws: ``LinkError`` when the address cannot be had; the driver is of no more use.
    public func start() throws(LinkError) {
        try source.prepare()
        do throws(SystemErrorNumber) {
            let made = try SystemThread { self.run() }
            thread.withLock { $0 = made }
        } catch {
            source.close(leavingFiles: false)
            throw .system(error.failure(of: "pthread_create"), subject: "the pairing's thread")
        }
    }

    /// What the user does: shows or enters a code, confirms, gives up. Throws what `body` throws.
    public func act<Value: Sendable, Failure: Error>(
        _ body: (inout PairingLink, Instant) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        defer { wake.signal() }
        return try state.withLock { state throws(Failure) in
            try body(&state.link, SystemClock.now)
        }
    }

    /// Whether pairing is over.
    public var isOver: Bool { state.withLock { $0.link.isOver } }

    /// Gives everything back and waits for the thread to end.
    public func close() {
        state.withLock { $0.isStopping = true }
        wake.signal()
        thread.withLock { $0 }?.join()
    }

    // MARK: The thread

    private func run() {
        var buffer = [UInt8](repeating: 0, count: 1 << 12)
        var isSignUp = false
        while true {
            let (events, isStopping) = state.withLock { state in
                turn(&state, &buffer, isSignUp: isSignUp)
                return (state.link.takeEvents(), state.isStopping)
            }
            for event in events { tell(event) }
            // What was told may have changed something.
            if isStopping { break }
            isSignUp = events.isEmpty ? sleep() : false
        }
        let carrier = state.withLock { state in
            defer { state.carrier = nil }
            return state.carrier
        }
        carrier?.close()
        source.close(leavingFiles: false)
    }

    private func tell(_ event: PairingLink.Event) {
        guard case .store(let device) = event else {
            ear(event)
            return
        }
        do {
            try store(device)
            state.withLock { $0.link.stored(at: SystemClock.now) }
        } catch {
            state.withLock { $0.link.notStored(at: SystemClock.now) }
        }
    }

    private func turn(_ state: inout State, _ buffer: inout [UInt8], isSignUp: Bool) {
        if let deadline = state.link.nextDeadline, deadline <= SystemClock.now {
            state.link.wake(at: SystemClock.now)
        }
        read(&state, &buffer)
        write(&state)
        if state.link.mustClose || state.link.isOver { loseCarrier(&state) }
        openCarrier(&state, isSignUp: isSignUp)
        write(&state)
    }

    private func read(_ state: inout State, _ buffer: inout [UInt8]) {
        // A stranger who writes and writes does not keep the thread from everything else.
        for _ in 0..<64 {
            guard let carrier = state.carrier, !state.link.mustClose else { return }
            var span = buffer.mutableSpan
            switch carrier.read(into: &span) {
            case .bytes(let count):
                state.link.receive(
                    buffer.span.extracting(first: count), at: SystemClock.now)
            case .ignored: break
            case .nothingYet: return
            case .ended, .failed: loseCarrier(&state)
            }
        }
    }

    private func write(_ state: inout State) {
        state.unsent += state.link.takeOutgoing()
        while let carrier = state.carrier, let first = state.unsent.first {
            switch carrier.write(first.span) {
            case .took(let count):
                guard count == first.count else {
                    state.unsent[0].removeFirst(count)
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

    private func openCarrier(_ state: inout State, isSignUp: Bool) {
        let mayOpen = state.carrier == nil && state.link.wantsLink && !state.isStopping
        let now = SystemClock.now
        // A listener is asked whenever somebody knocks; who connects asks again after a while.
        let occasion: OpeningOccasion =
            mayOpen ? (now >= state.reopenAt ? .asked : .sign) : .signWhileBusy
        // With a carrier open only who knocks is worth a word.
        guard mayOpen || isSignUp && source.waitsForCounterpart else { return }
        // Each guest costs work; one too many is told to come again.
        let isListening = mayOpen && source.waitsForCounterpart
        let isWelcome = !isListening || state.guests.take(at: now)
        let opening = source.open(isWelcome ? occasion : .signWhileBusy)
        if case .opened = opening {} else if isListening, isWelcome { state.guests.giveBack() }
        switch opening {
        case .opened(let carrier):
            state.carrier = carrier
            state.link.linkUp(carrier.traits, at: now)
        case .failed: state.reopenAt = now.advanced(by: Self.reopenTime)
        case .nobodyYet, .refused, .ignored, .exhausted:
            if occasion == .asked { state.reopenAt = now.advanced(by: Self.reopenTime) }
        }
    }

    /// Gives whether the source has given its sign.
    private func sleep() -> Bool {
        let isListening = source.waitsForCounterpart
        let (waits, reading, writing, deadline) = state.withLock { state in
            let waits = state.carrier == nil && state.link.wantsLink
            let reopen = waits && !isListening ? state.reopenAt : nil
            return (
                waits, state.carrier?.readDescriptor ?? -1,
                state.unsent.isEmpty ? -1 : state.carrier?.writeDescriptor ?? -1,
                [state.link.nextDeadline, reopen].compactMap(\.self).min()
            )
        }
        let sign = waits || isListening ? source.signDescriptor : nil
        var set: InlineArray<4, pollfd> = [
            pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: writing, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: sign ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        let wait = deadline.map { max(0, SystemClock.now.duration(to: $0).nanosecondsClamped) }
        var span = set.mutableSpan
        _ = unsafe span.withUnsafeMutableBufferPointer { set in
            unsafe watchproto_poll(set.baseAddress, UInt(set.count), wait ?? -1)
        }
        if set[0].revents != 0 { wake.clear() }
        return set[3].revents != 0
    }
}
