import Locks
import WatchProtoCore

/// Messages: one at once, with an answer or an error.
extension PlatformMedium {
    func sendMessage(_ item: PlatformItem, from role: DeviceRole) throws(SendRefusal) {
        guard isReachable(from: role) else { throw .notReachable }
        let (profile, isTaken) = state.withLock { state -> (PlatformProfile, Bool) in
            let most = state.profile[.messagesInFlight] ?? .max
            guard state.side(role).messages.count < most else {
                state.apply(.messagesInFlight)
                return (state.profile, false)
            }
            state.change(role) { $0.messages[item.number] = item }
            return (state.profile, true)
        }
        guard isTaken else { throw .queueFull(records: profile[.messagesInFlight] ?? 0) }
        if let seconds = profile[.answerSeconds] {
            time.at(time.now.advanced(by: .seconds(seconds))) { [weak self] in
                self?.giveUp(item, of: role)
            }
        }
        guard carries(from: role) else { return }
        let arrivals = transit(role, item.bytes)
        guard let seconds = profile[.earlyAnswerSeconds] else {
            for moment in arrivals {
                time.at(moment) { [weak self] in self?.arrive(item, from: role) }
            }
            return
        }
        guard let moment = arrivals.first else { return }
        time.at(moment) { [weak self] in
            self?.answerEarly(item, from: role, appHasItAfter: .seconds(seconds))
        }
    }

    /// The platform answers for the app, which gets the message later if it still runs then.
    private func answerEarly(
        _ item: PlatformItem, from role: DeviceRole, appHasItAfter wait: Duration
    ) {
        let run = state.withLock { state -> Int in
            state.apply(.earlyAnswerSeconds)
            return state.side(role.counterpart).run
        }
        // Before the sender, who may go on at once, so that the order stays.
        time.at(time.now.advanced(by: wait)) { [weak self] in
            guard let self, state.withLock({ $0.side(role.counterpart).run }) == run else {
                return
            }
            _ = deliver(item, from: role)
        }
        answer(item, from: role, with: [])
    }

    func arrive(_ item: PlatformItem, from role: DeviceRole) {
        guard state.withLock({ $0.isConnected && !$0.launchesApp(by: item, from: role) }),
            let bytes = deliver(item, from: role)
        else { return }
        answer(item, from: role, with: bytes)
    }

    /// Sends the answer to a message of this device.
    private func answer(_ item: PlatformItem, from role: DeviceRole, with bytes: [UInt8]) {
        guard carries(from: role.counterpart),
            let moment = transit(role.counterpart, bytes).first
        else { return fail(item, of: role) }
        time.at(moment) { [weak self] in self?.answered(item, of: role, with: bytes) }
    }

    /// The answer cannot travel: a switch of the watch says so, and nothing else does.
    private func fail(_ item: PlatformItem, of role: DeviceRole) {
        guard state.withLock({ $0.profile })[.watchSwitchSeconds] != nil else { return }
        take(item, of: role)?.fail("cancelled: another watch is active")
    }

    private func answered(_ item: PlatformItem, of role: DeviceRole, with bytes: [UInt8]) {
        guard carries(from: role.counterpart) else { return fail(item, of: role) }
        guard let item = take(item, of: role) else { return }
        let (isFailed, hasBoth) = state.withLock { state -> (Bool, Bool) in
            let number = state.change(role) { side -> Int in
                side.answered += 1
                return side.answered
            }
            if let each = state.profile[.errorAfterDelivery], number % each == 0 {
                state.apply(.errorAfterDelivery)
                return (true, false)
            }
            return (false, state.apply(.bothHandlers) != nil)
        }
        if isFailed { return item.fail("not delivered") }
        item.reply(bytes)
        if hasBoth { item.fail("the reply handler was called before") }
    }

    private func giveUp(_ item: PlatformItem, of role: DeviceRole) {
        guard let item = take(item, of: role) else { return }
        state.withLock { _ = $0.apply(.answerSeconds) }
        item.fail("no answer came")
    }

    /// Takes a message out of those that wait for an answer; nil where it has one.
    private func take(_ item: PlatformItem, of role: DeviceRole) -> PlatformItem? {
        state.withLock { state in
            state.change(role) { $0.messages.removeValue(forKey: item.number) }
        }
    }
}

extension PlatformMedium.State {
    /// Whether a message of the watch launches the phone's app, which gets it when its handler is
    /// set.
    fileprivate mutating func launchesApp(
        by item: PlatformItem, from role: DeviceRole
    ) -> Bool {
        guard profile.kind == .wcsession, role == .watch, side(.phone).handler == nil else {
            return false
        }
        change(.phone) { $0.launching.append(item) }
        return true
    }
}
