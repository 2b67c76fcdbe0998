internal import CPosix
internal import Glibc
internal import Locks
package import WatchProtoCore
package import WatchProtoSecurity

/// Runs a `PairingLink` on its own thread: opens carriers, moves bytes, keeps time. A session of
/// the device at the same address must be closed meanwhile.
///
/// Events are reported on that thread, in order, with no lock held.
package final class PairingDriver: Sendable {
    /// Receives the events.
    package typealias Observer = @Sendable (PairingLink.Event) -> Void
    /// Makes a pairing durable. If it throws, nothing is paired.
    package typealias Store = @Sendable (PairedDevice) throws -> Void

    struct State: ~Copyable {
        var link: PairingLink
        var carrier: (any Carrier)?
        /// Connections to a listening side that have sent nothing, or wait for their turn.
        var pending: PendingCarriers
        var unsent: [OutgoingPacket] = []
        var reopenAt = Instant.zero
        var isStopping = false
    }

    /// The wait after a link that ended or could not be opened: 1 s.
    package static let reopenTime: Duration = .seconds(1)

    let source: any CarrierSource
    private let state: Mutex<State>
    private let wake: WakeDescriptor
    private let observer: Observer
    private let store: Store
    private let thread = Mutex<SystemThread?>(nil)

    /// Makes a driver that does nothing yet.
    ///
    /// - Parameters:
    ///   - identity: the identity of this device.
    ///   - source: opens the carriers; it belongs to the driver from now on.
    ///   - lifeOfCodes: how long a code is good for, at most `PairingCoordinator.codeLife`.
    ///   - store: makes a pairing durable.
    ///   - observer: receives the events; `store` events are not among them.
    /// - Throws: ``JournalFailure`` if the system has no descriptor left.
    package init(
        _ identity: PairingIdentity, source: any CarrierSource,
        lifeOfCodes: Duration = PairingCoordinator.codeLife, store: @escaping Store,
        observer: @escaping Observer
    ) throws(JournalFailure) {
        let ready: ReadySet
        do throws(SystemErrorNumber) {
            wake = try WakeDescriptor()
            ready = try ReadySet()
        } catch {
            throw JournalFailure("no descriptor: \(error.failure(of: "eventfd").text)")
        }
        self.source = source
        self.store = store
        self.observer = observer
        let link = PairingLink(identity, lifeOfCodes: lifeOfCodes)
        state = Mutex(State(link: link, pending: PendingCarriers(limits: Limits(), ready: ready)))
    }

    /// Claims the address and starts the thread.
    ///
    /// - Throws: ``LinkError`` if the address cannot be claimed; the driver is unusable then.
    package func start() throws(LinkError) {
        try source.prepare()
        do throws(SystemErrorNumber) {
            let made = try SystemThread { self.run() }
            thread.withLock { $0 = made }
        } catch {
            source.close(leavingFiles: false)
            throw .system(error.failure(of: "pthread_create"), subject: "the pairing's thread")
        }
    }

    /// Applies an action of the user: to show or enter a code, to confirm, to give up.
    ///
    /// - Throws: the error of `body`.
    package func act<Value: Sendable, Failure: Error>(
        _ body: (inout PairingLink, Instant) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        defer { wake.signal() }
        return try state.withLock { state throws(Failure) in
            try body(&state.link, SystemClock.now)
        }
    }

    /// Whether pairing is over.
    package var isOver: Bool { state.withLock { $0.link.isOver } }

    /// The number of packets that wait for a carrier.
    var unsentPackets: Int { state.withLock { $0.unsent.count } }

    /// Releases everything and waits for the thread to end.
    package func close() {
        state.withLock { $0.isStopping = true }
        wake.signal()
        thread.withLock { $0 }?.join()
    }

    // MARK: The thread

    private func run() {
        // The longest message of a pairing is far shorter; the rest of a longer datagram is lost.
        var buffer = [UInt8](repeating: 0, count: 1 << 12)
        while true {
            let (events, isStopping) = state.withLock { state in
                turn(&state, &buffer)
                return (state.link.takeEvents(), state.isStopping)
            }
            for event in events { report(event) }
            // An event may have changed something.
            if isStopping { break }
            if events.isEmpty { sleep() }
        }
        state.withLock { state in
            state.carrier?.close()
            state.carrier = nil
            source.withdraw()
            for carrier in state.pending.removeAll() + newcomers() { turnAway(carrier) }
        }
        source.close(leavingFiles: false)
    }

    private func report(_ event: PairingLink.Event) {
        guard case .store(let device) = event else {
            observer(event)
            return
        }
        do {
            try store(device)
            state.withLock { $0.link.stored(at: SystemClock.now) }
        } catch {
            state.withLock { $0.link.notStored(at: SystemClock.now) }
        }
    }

    private func sleep() {
        let plan = state.withLock { sleepPlan($0) }
        var set: InlineArray<5, pollfd> = [
            pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: plan.reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: plan.writing, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: plan.sign, events: Int16(POLLIN), revents: 0),
            pollfd(fd: plan.pending, events: Int16(POLLIN), revents: 0),
        ]
        let now = SystemClock.now
        let wait = plan.deadline.map { max(0, now.duration(to: $0).nanosecondsClamped) }
        var span = set.mutableSpan
        _ = unsafe span.withUnsafeMutableBufferPointer { set in
            unsafe watchproto_poll(set.baseAddress, UInt(set.count), wait ?? -1)
        }
        if set[0].revents != 0 { wake.clear() }
    }
}
