internal import Glibc
internal import Locks
internal import WatchProtoCore

/// The internals of a driver, shared by its calls and its thread.
final class DriverLoop: Sendable {
    let configuration: DriverConfiguration
    let source: any CarrierSource
    let security: AnySecurity
    let journal: any JournalBackend
    let wake: WakeDescriptor
    let timer: DeadlineTimer
    let state: Mutex<DriverState>
    var clock: any DriverClock { configuration.clock }
    /// The thread, once started.
    private let thread = Mutex<SystemThread?>(nil)
    /// The thread that holds the lock and may be inside a delegate; 0 for none.
    private let insider = Atomic<UInt>(0)

    init(
        _ configuration: DriverConfiguration, source: any CarrierSource, security: AnySecurity,
        journal: any JournalBackend, delegate: any SessionDelegate
    ) throws(JournalFailure) {
        let ready: ReadySet
        do throws(SystemErrorNumber) {
            wake = try WakeDescriptor()
            timer = try DeadlineTimer()
            ready = try ReadySet()
        } catch {
            throw JournalFailure(
                "no descriptor to wake the driver: \(error.failure(of: "eventfd or timerfd").text)")
        }
        self.configuration = configuration
        self.source = source
        self.security = security
        self.journal = journal
        let now = configuration.clock.now
        let peer = Self.makePeer(
            configuration, try journal.restore(configuration.peer), security, at: now)
        let environment = DriverEnvironment(
            delegate: delegate, journal: journal, notifier: CommitNotifier(wake: wake),
            clock: configuration.clock)
        state = Mutex(
            DriverState(
                peer: peer, environment: environment,
                pending: PendingCarriers(limits: configuration.peer.limits, ready: ready)))
    }

    private static func makePeer(
        _ configuration: DriverConfiguration, _ image: JournalImage, _ security: AnySecurity,
        at now: Instant
    ) -> Peer {
        Peer(
            configuration.peer, restoring: image, epoch: SystemRandomness.epoch(),
            security: security, clock: configuration.clock.wall, at: now)
    }

    // MARK: Calls

    /// Takes the lock, gives the peer one input and drains. If the thread sleeps on a wrong plan,
    /// wakes it.
    @discardableResult
    func input<Value: Sendable, Failure: Error>(
        _ body: (inout DriverState, Instant) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try locked { state throws(Failure) in
            let now = clock.now
            let value = try body(&state, now)
            state.settle(at: now)
            self.wakeIfNeeded(&state)
            return value
        }
    }

    /// Takes the lock to read.
    func ask<Value: Sendable>(_ body: (borrowing DriverState) -> Value) -> Value {
        locked { state in body(state) }
    }

    /// Takes the lock. If a delegate calls its own driver, stops the process, because the call
    /// would wait for ever.
    func locked<Value: Sendable, Failure: Error>(
        _ body: (inout DriverState) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let me = SystemThread.current
        precondition(
            insider.load(ordering: .relaxed) != me,
            "a delegate called its own session: put what should follow into `later`")
        return try state.withLock { state throws(Failure) in
            // Acquire and release add nothing to the lock, but show the thread sanitizer, which
            // cannot see into it, who comes after whom.
            _ = insider.exchange(me, ordering: .acquiring)
            defer { insider.store(0, ordering: .releasing) }
            return try body(&state)
        }
    }

    private func wakeIfNeeded(_ state: inout DriverState) {
        guard !state.armed.isWakePending else { return }
        if state.mustWakeThread {
            state.armed.isWakePending = true
            wake.signal()
            return
        }
        let deadline = state.nextDeadline
        if deadline < state.armed.deadline {
            state.armed.deadline = deadline
            setTimer(&state, at: .zero)
        }
    }

    /// Sets the timer to the planned deadline, if it is not set so, or if that deadline had come by
    /// `now`.
    func setTimer(_ state: inout DriverState, at now: Instant) {
        let deadline = state.armed.deadline
        guard deadline != state.armed.timer || deadline <= now else { return }
        state.armed.timer = deadline
        clock.set(timer, to: deadline)
    }

    // MARK: The journal

    /// Opens the journal again, and a peer on it. Runs on the driver's thread and without the lock,
    /// because the disk may be slow.
    func reopenJournal() {
        let restored = Result { () throws(JournalFailure) in
            try journal.restore(configuration.peer)
        }
        input { state, now in
            guard state.phase != .stopping else { return }
            switch restored {
            case .failure(let failure):
                state.journalRetry.failed(at: now)
                state.environment.report(.journalNotReopened(failure))
            case .success(let image):
                state.journalRetry.succeeded(at: now)
                state.environment.journalReopened(CommitNotifier(wake: self.wake))
                let isForeground = state.peer.isForeground
                state.peer = Self.makePeer(configuration, image, security, at: now)
                state.peer.setForeground(isForeground, at: now)
                state.environment.report(.journalReopened)
                if state.phase == .active { state.peer.activate(at: now) }
            }
        }
    }

    // MARK: Life

    /// Starts the thread without wanting a link. Outcomes of the journal are reported, and
    /// unanswered records are delivered again.
    func start() throws(LinkError) {
        try locked { state throws(LinkError) in
            guard state.phase != .stopping else { throw .closed }
            try startThread()
            state.settle(at: clock.now)
            state.armed.isWakePending = true
            wake.signal()
        }
    }

    func activate() throws(LinkError) {
        try locked { state throws(LinkError) in
            guard state.phase != .stopping else { throw .closed }
            guard state.phase == .resting else { return }
            // If the thread has not come to it yet: only a new claim shows that this side is back.
            state.rest(source)
            if !state.isPrepared { try source.prepare() }
            state.isPrepared = true
            state.mustRest = true
            try startThread()
            state.phase = .active
            let now = clock.now
            state.peer.activate(at: now)
            state.settle(at: now)
            // The thread may be asleep on other things: let it plan anew.
            state.armed.isWakePending = true
            wake.signal()
        }
    }

    private func startThread() throws(LinkError) {
        try thread.withLock { thread throws(LinkError) in
            guard thread == nil else { return }
            do throws(SystemErrorNumber) {
                thread = try SystemThread(pinnedCPU: configuration.pinnedCPU) { self.run() }
            } catch {
                throw .system(error.failure(of: "pthread_create"), subject: "the driver's thread")
            }
        }
    }

    /// Ends everything. Safe to call twice.
    func stop(goodbye: Bool, leavingFiles: Bool, waiting: Bool) {
        let isFirst = locked { state in
            guard state.phase != .stopping else { return false }
            if goodbye {
                let now = clock.now
                state.peer.deactivate(.normal, at: now)
                state.settle(at: now)
            }
            state.leavesFiles = leavingFiles
            state.phase = .stopping
            return true
        }
        let thread = thread.withLock { $0 }
        if isFirst {
            if thread == nil { finish() }
            wake.signal()
        }
        if waiting { thread?.join() }
    }

    /// Suspends or resumes; false if that changes nothing.
    func setSuspended(_ isSuspended: Bool) -> Bool {
        input { state, now in
            guard state.environment.isSuspended != isSuspended, state.phase != .stopping else {
                return false
            }
            state.environment.isSuspended = isSuspended
            if isSuspended {
                state.environment.carrier?.suspend()
            } else {
                state.environment.carrier?.resume()
                state.environment.isWriteBlocked = false
            }
            state.armed.isWakePending = true
            self.wake.signal()
            return true
        }
    }

    /// Closes everything that is open, on the thread that ends, or on the caller's if there never
    /// was one.
    func finish() {
        let (retired, leavesFiles) = locked { state in
            state.environment.retireCarrier()
            defer {
                state.environment.retired = []
                state.environment.delegate = nil
            }
            return (state.environment.retired + state.pending.removeAll(), state.leavesFiles)
        }
        // A process that dies has no last word: with the source gone first, neither has a carrier.
        if leavesFiles { source.close(leavingFiles: true) }
        for carrier in retired { carrier.close() }
        if !leavesFiles { source.close(leavingFiles: false) }
    }
}
