internal import CPosix
internal import Glibc
internal import Locks
internal import WatchProtoCore

/// The thread: sleeps, does one turn under the lock, and sleeps again.
extension DriverLoop {
    /// The reasons for which a sleep ended.
    struct Signs {
        var isReadable = false
        var isWritable = false
        var isSignUp = false
        var isPendingUp = false
        var isWoken = false
        var isClockSet = false
        /// Whether the thread had polled and not slept.
        var isAwake = false
    }

    /// The result of a turn.
    private enum Turn {
        case sleep(SleepPlan)
        case reopenJournal
        case end
    }

    /// Runs until the driver is stopped.
    func run() {
        var buffer = [UInt8](repeating: 0, count: max(configuration.readBufferBytes, 1))
        let clockWatch = watchproto_open_clock_watch()
        defer { if clockWatch >= 0 { DescriptorCall.close(clockWatch) } }
        var signs = Signs()
        var busyPoll = BusyPoll(
            limit: min(configuration.busyPollDuration, clock.busyPollLimit))
        while true {
            let (turn, retired) = turn(signs, &buffer)
            for carrier in retired { carrier.close() }
            switch turn {
            case .sleep(let plan):
                signs = wait(plan, clockWatch, &busyPoll)
                if signs.isClockSet { watchproto_clear_clock_watch(clockWatch) }
                if signs.isWoken { wake.clear() }
            case .reopenJournal:
                signs = Signs()
                reopenJournal()
            case .end:
                finish()
                return
            }
        }
    }

    /// Does one turn: all that the ready descriptors call for, then the plan for the next sleep.
    private func turn(
        _ signs: Signs, _ buffer: inout [UInt8]
    ) -> (Turn, retired: [any Carrier]) {
        locked { state in
            var now = clock.now
            state.count(signs, at: now)
            if state.phase == .stopping { return (.end, []) }
            if signs.isWoken {
                state.armed.isWakePending = false
                state.environment.collectAnswers()
                state.settle(at: now)
            }
            if signs.isClockSet {
                state.peer.wallClockChanged(clock.wall, at: now)
                state.settle(at: now)
            }
            if signs.isWritable {
                state.environment.isWriteBlocked = false
                // A drain has the time of the last input, which may be long ago.
                state.peer.wake(at: now)
                state.settle(at: now)
            }
            if signs.isReadable || state.environment.writeFailure != nil {
                state.read(into: &buffer, atMost: configuration.readBytesPerTurn)
                now = clock.now
                state.handleWriteFailure(at: now)
            }
            state.meetDeadlines(at: now)
            if signs.isPendingUp { state.screenReady(at: now) }
            state.expirePending(at: now)
            if signs.isSignUp {
                if source.waitsForCounterpart {
                    state.acceptNewcomers(source, at: now)
                } else {
                    state.openLink(from: source, .sign, at: now)
                }
            }
            openWanted(&state, &buffer, at: &now)
            state.settle(at: now)
            let reopensJournal = state.journalRetry.begin(at: now)
            state.plan(source)
            setTimer(&state, at: now)
            let retired = state.environment.retired
            state.environment.retired = []
            return (reopensJournal ? .reopenJournal : .sleep(state.armed), retired)
        }
    }

    private func openWanted(
        _ state: inout DriverState, _ buffer: inout [UInt8], at now: inout Instant
    ) {
        // The counterpart must see the end of a link before the beginning of the next.
        if state.environment.retired.isEmpty || source.waitsForCounterpart {
            if state.environment.linkHasEnded { state.openLink(from: source, .sign, at: now) }
            if state.environment.wantsLink { state.openLink(from: source, .asked, at: now) }
        }
        // A carrier may hold bytes from its opening, for which no descriptor is readable.
        if state.environment.hasFreshCarrier {
            state.environment.hasFreshCarrier = false
            state.read(into: &buffer, atMost: configuration.readBytesPerTurn)
            now = clock.now
            state.handleWriteFailure(at: now)
        }
        state.restIfIdle(source)
    }

    /// Polls for a moment if that is worth it, then sleeps.
    private func wait(
        _ plan: SleepPlan, _ clockWatch: Int32, _ busyPoll: inout BusyPoll
    ) -> Signs {
        var set: InlineArray<7, pollfd> = [
            pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: plan.carrierReading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: plan.writing, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: plan.sign, events: Int16(POLLIN), revents: 0),
            pollfd(fd: clockWatch, events: Int16(POLLIN), revents: 0),
            pollfd(fd: timer.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: plan.pending, events: Int16(POLLIN), revents: 0),
        ]
        let start = watchproto_monotonic_nanoseconds()
        if let look = busyPoll.lookNanoseconds {
            var hasFound = false
            repeat {
                hasFound = Self.poll(&set, nanoseconds: 0) > 0
                if !hasFound { sched_yield() }
            } while !hasFound && watchproto_monotonic_nanoseconds() &- start < look
            busyPoll.looked(hasFound: hasFound)
            if hasFound { return Self.signs(set, isAwake: true) }
        }
        _ = Self.poll(&set, nanoseconds: -1)
        busyPoll.slept(
            nanoseconds: watchproto_monotonic_nanoseconds() &- start,
            hasArrival: set[0].revents != 0 || set[1].revents != 0)
        return Self.signs(set, isAwake: false)
    }

    /// Waits for a descriptor (`ppoll`). An interruption counts as a wake-up without work; all
    /// signals are blocked here.
    ///
    /// - Parameter nanoseconds: the longest wait; negative for ever.
    private static func poll(_ set: inout InlineArray<7, pollfd>, nanoseconds: Int64) -> Int32 {
        var span = set.mutableSpan
        return unsafe span.withUnsafeMutableBufferPointer { set in
            unsafe watchproto_poll(set.baseAddress, UInt(set.count), nanoseconds)
        }
    }

    private static func signs(_ set: InlineArray<7, pollfd>, isAwake: Bool) -> Signs {
        Signs(
            isReadable: set[1].revents != 0, isWritable: set[2].revents != 0,
            isSignUp: set[3].revents != 0, isPendingUp: set[6].revents != 0,
            isWoken: set[0].revents != 0, isClockSet: set[4].revents != 0, isAwake: isAwake)
    }
}
