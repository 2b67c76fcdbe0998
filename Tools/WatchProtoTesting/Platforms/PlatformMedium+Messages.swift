import Locks
import WatchProtoCore

/// Messages: one at once, with an answer or an error.
extension PlatformMedium {
    func sendMessage(_ item: PlatformItem, from role: DeviceRole) throws(SendRefusal) {
        guard isReachable else { throw .notReachable }
        let profile = state.withLock { $0.profile }
        let isTaken = state.withLock { state in
            state.change(role) { side in
                if let most = profile[.messagesInFlight], side.messages.count >= most {
                    return false
                }
                side.messages[item.number] = item
                return true
            }
        }
        guard isTaken else { throw .queueFull(records: profile[.messagesInFlight] ?? 0) }
        if let seconds = profile[.answerSeconds] {
            time.at(time.now.advanced(by: .seconds(seconds))) { [weak self] in
                self?.take(item, of: role)?.fail("no answer came")
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
        let run = state.withLock { $0.side(role.counterpart).run }
        // Before the sender, who may go on at once, so that the order stays.
        time.at(time.now.advanced(by: wait)) { [weak self] in
            guard let self, state.withLock({ $0.side(role.counterpart).run }) == run else {
                return
            }
            _ = deliver(item, from: role)
        }
        answer(item, from: role, with: [])
    }

    private func arrive(_ item: PlatformItem, from role: DeviceRole) {
        guard state.withLock({ $0.isConnected }), let bytes = deliver(item, from: role) else {
            return
        }
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
        let (profile, number) = state.withLock { state in
            (
                state.profile,
                state.change(role) { side in
                    side.answered += 1
                    return side.answered
                }
            )
        }
        if let each = profile[.errorAfterDelivery], number % each == 0 {
            return item.fail("not delivered")
        }
        item.reply(bytes)
        if profile[.bothHandlers] != nil { item.fail("the reply handler was called before") }
    }

    /// Takes a message out of those that wait for an answer; nil where it has one.
    private func take(_ item: PlatformItem, of role: DeviceRole) -> PlatformItem? {
        state.withLock { state in
            state.change(role) { $0.messages.removeValue(forKey: item.number) }
        }
    }
}
