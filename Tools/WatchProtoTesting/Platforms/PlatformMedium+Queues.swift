import Locks
import WatchProtoCore

/// Transfers that the platform keeps: user info, the newest state, complications.
extension PlatformMedium {
    // MARK: The queue

    func enqueue(_ item: PlatformItem, from role: DeviceRole) {
        let isOffline = !isReachable
        state.withLock { state in
            let isForgotten =
                state.profile[.noUserInfo] != nil
                || isOffline && state.profile[.offlineNeverSent] != nil
            state.change(role) { side in
                if isForgotten { side.forgotten.append(item) } else { side.queue.append(item) }
            }
        }
        goOn(role)
    }

    /// Sends the next transfer of the queue and the states that wait.
    func goOn(_ role: DeviceRole) {
        for channel in Channel.allCases { scheduleState(channel, of: role, wait: .zero) }
        guard carries(from: role) else { return goOnLater(role) }
        let next = state.withLock { state -> (PlatformItem, Duration)? in
            guard let item = Self.beginTransfer(&state, role) else { return nil }
            return (item, state.part(of: state.profile[.userInfoSeconds]))
        }
        guard let (item, wait) = next else { return }
        guard let arrival = transit(role, item.bytes).first else {
            state.withLock { state in state.change(role) { $0.transferring = nil } }
            return
        }
        time.at(arrival.advanced(by: wait)) { [weak self] in
            self?.finishTransfer(item, of: role)
        }
    }

    private func goOnLater(_ role: DeviceRole) {
        guard state.withLock({ $0.isConnected && !$0.side(role).queue.isEmpty }),
            let end = interruptionEnd
        else { return }
        time.at(end) { [weak self] in self?.goOn(role) }
    }

    /// The oldest transfer, if it may leave.
    private static func beginTransfer(_ state: inout State, _ role: DeviceRole) -> PlatformItem? {
        let profile = state.profile
        guard state.side(role.counterpart).handler != nil else { return nil }
        return state.change(role) { side in
            guard side.transferring == nil, let item = side.queue.first else { return nil }
            if profile[.stuckUntilNext] != nil, side.queue.count < 2 { return nil }
            if let number = profile[.stuckUntilRestart], !side.wasStuck {
                side.isStuck = side.ended + 1 >= number
                if side.isStuck { return nil }
            }
            side.transferring = item.number
            return item
        }
    }

    private func finishTransfer(_ item: PlatformItem, of role: DeviceRole) {
        let carries = carries(from: role)
        let isDelivered = state.withLock { state in
            let isRunning = state.side(role.counterpart).handler != nil
            return state.change(role) { side in
                guard side.transferring == item.number else { return false }
                side.transferring = nil
                guard carries, isRunning, side.queue.first?.number == item.number else {
                    return false
                }
                side.queue.removeFirst()
                side.ended += 1
                return true
            }
        }
        guard isDelivered else { return goOn(role) }
        _ = deliver(item, from: role)
        item.reply([])
        goOn(role)
    }

    // MARK: The newest state

    func setState(_ item: PlatformItem, from role: DeviceRole) {
        let wait = state.withLock { state -> Duration? in
            let skipsEqual = state.profile[.equalStateSkipped] != nil
            let isNew = state.change(role) { side in
                let isEqual = side.sentStates[item.channel] == item.bytes
                side.sentStates[item.channel] = item.bytes
                if isEqual, skipsEqual { return false }
                side.states[item.channel] = item
                return true
            }
            // A complication is urgent.
            let seconds = item.channel == .complication ? nil : state.profile[.stateSeconds]
            return isNew ? state.part(of: seconds) : nil
        }
        if let wait { scheduleState(item.channel, of: role, wait: wait) }
    }

    private func scheduleState(_ channel: Channel, of role: DeviceRole, wait: Duration) {
        guard let item = state.withLock({ $0.side(role).states[channel] }),
            let moment = transit(role, item.bytes).first
        else { return }
        time.at(moment.advanced(by: wait)) { [weak self] in
            self?.deliverState(item, of: role)
        }
    }

    private func deliverState(_ item: PlatformItem, of role: DeviceRole) {
        let carries = carries(from: role)
        let copies = state.withLock { state -> Int? in
            let copies = state.profile[.stateCopies] ?? 1
            guard carries, state.side(role.counterpart).handler != nil else { return nil }
            return state.change(role) { side in
                guard side.states[item.channel]?.number == item.number else { return nil }
                side.states[item.channel] = nil
                return copies
            }
        }
        guard let copies else { return }
        _ = deliver(item, from: role, copies: copies)
        item.reply([])
    }

    // MARK: Complications

    func sendComplication(_ item: PlatformItem, from role: DeviceRole) {
        let isUrgent = carries(from: role) && spendComplication(of: role)
        guard isUrgent, let arrival = transit(role, item.bytes).first else {
            return enqueue(item, from: role)
        }
        let former = state.withLock { state in
            let untags = state.profile[.complicationUntags] != nil
            return state.change(role) { side -> PlatformItem? in
                defer { side.current = item }
                return untags ? side.current : nil
            }
        }
        // The older one goes on without haste.
        if let former { enqueue(former, from: role) }
        time.at(arrival) { [weak self] in self?.deliverCurrent(item, of: role) }
    }

    private func deliverCurrent(_ item: PlatformItem, of role: DeviceRole) {
        let isCurrent = state.withLock { state in
            state.change(role) { side in
                guard side.current?.number == item.number else { return false }
                side.current = nil
                return true
            }
        }
        guard isCurrent else { return }
        guard carries(from: role) else { return enqueue(item, from: role) }
        _ = deliver(item, from: role)
        item.reply([])
    }

    private func spendComplication(of role: DeviceRole) -> Bool {
        state.withLock { state in
            let budget = Self.complications(state.profile)
            let today = today
            return state.change(role) { side in
                if side.day != today { (side.day, side.spentToday) = (today, 0) }
                guard side.spentToday < budget else { return false }
                side.spentToday += 1
                return true
            }
        }
    }

    func remainingComplications(of role: DeviceRole) -> Int {
        state.withLock { state in
            let side = state.side(role)
            let spent = side.day == today ? side.spentToday : 0
            return max(0, Self.complications(state.profile) - spent)
        }
    }

    private var today: Int64 {
        start.duration(to: time.now).nanosecondsClamped / 86_400_000_000_000
    }

    private static func complications(_ profile: PlatformProfile) -> Int {
        profile[.offFace] == nil ? profile[.complicationsPerDay] ?? .max : 0
    }
}
