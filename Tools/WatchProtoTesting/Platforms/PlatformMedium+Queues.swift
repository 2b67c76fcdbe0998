import Locks
import WatchProtoCore

/// Transfers that the platform keeps: user info, the newest state, complications.
extension PlatformMedium {
    // MARK: The queue

    func enqueue(_ item: PlatformItem, from role: DeviceRole) {
        let isOffline = !isReachable(from: role)
        state.withLock { state in
            let isForgotten =
                state.apply(.noUserInfo) != nil
                || isOffline && state.apply(.offlineNeverSent) != nil
            state.change(role) { side in
                if isForgotten { side.forgotten.append(item) } else { side.queue.append(item) }
            }
        }
        goOn(role)
    }

    /// Sends the next transfer of the queue and the states that wait.
    func goOn(_ role: DeviceRole) {
        for channel in Channel.allCases { scheduleState(channel, of: role) }
        guard carries(from: role) else { return goOnLater(role) }
        let next = state.withLock { state -> (PlatformItem, Duration)? in
            guard let item = Self.beginTransfer(&state, role) else { return nil }
            return (item, state.part(of: state.apply(.userInfoSeconds)))
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
        let isWaiting = state.withLock { state -> Bool in
            let side = state.side(role)
            return state.isConnected && !(side.queue.isEmpty && side.states.isEmpty)
        }
        guard isWaiting, let end = interruptionEnd else { return }
        time.at(end) { [weak self] in self?.goOn(role) }
    }

    /// The oldest transfer, if it may leave.
    private static func beginTransfer(_ state: inout State, _ role: DeviceRole) -> PlatformItem? {
        let side = state.side(role)
        guard state.side(role.counterpart).handler != nil, side.transferring == nil,
            let item = side.queue.first
        else { return nil }
        if side.queue.count < 2, state.apply(.stuckUntilNext) != nil { return nil }
        if let number = state.profile[.stuckUntilRestart], !side.wasStuck, side.ended + 1 >= number
        {
            state.apply(.stuckUntilRestart)
            state.change(role) { $0.isStuck = true }
            return nil
        }
        state.change(role) { $0.transferring = item.number }
        return item
    }

    private func finishTransfer(_ item: PlatformItem, of role: DeviceRole) {
        let carries = carries(from: role)
        let copies = state.withLock { state -> Int? in
            let isRunning = state.side(role.counterpart).handler != nil
            let isDelivered = state.change(role) { side -> Bool in
                guard side.transferring == item.number else { return false }
                side.transferring = nil
                guard carries, isRunning, side.queue.first?.number == item.number else {
                    return false
                }
                side.queue.removeFirst()
                side.ended += 1
                return true
            }
            return isDelivered ? state.apply(.userInfoCopies) ?? 1 : nil
        }
        guard let copies else { return goOn(role) }
        _ = deliver(item, from: role, copies: copies)
        item.reply([])
        goOn(role)
    }

    /// A new run of the sender begins: a stuck queue goes on.
    func endStuckTransfer(of role: DeviceRole) {
        state.withLock { $0.change(role) { $0.endStuckTransfer() } }
        goOn(role)
    }

    /// Cancels the transfers of a device's queue, each of which gets an error.
    func cancelTransfers(of role: DeviceRole) {
        let ended = state.withLock { state in
            state.change(role) { side -> [PlatformItem] in
                defer { (side.queue, side.forgotten, side.transferring) = ([], [], nil) }
                return side.queue + side.forgotten
            }
        }
        for item in ended { item.fail("cancelled") }
    }

    // MARK: The newest state

    func setState(_ item: PlatformItem, from role: DeviceRole) {
        let now = time.now
        let isTaken = state.withLock { state -> Bool in
            let isEqual = state.side(role).sentStates[item.channel] == item.bytes
            if isEqual, state.apply(.equalStateSkipped) != nil { return false }
            // A complication is urgent.
            let delay = state.part(
                of: item.channel == .complication ? nil : state.apply(.stateSeconds))
            state.change(role) { side in
                side.sentStates[item.channel] = item.bytes
                side.states[item.channel] = item
                side.delayEnds[item.channel] = now.advanced(by: delay)
            }
            return true
        }
        if isTaken { scheduleState(item.channel, of: role) }
    }

    /// Sends a state, which arrives when its delay is over.
    private func scheduleState(_ channel: Channel, of role: DeviceRole) {
        let (side, now) = (state.withLock { $0.side(role) }, time.now)
        guard let item = side.states[channel], let moment = transit(role, item.bytes).first else {
            return
        }
        let delay = now.duration(to: side.delayEnds[channel] ?? now)
        let turn = (side.turns[channel] ?? 0) + 1
        state.withLock { $0.change(role) { $0.turns[channel] = turn } }
        time.at(moment.advanced(by: max(.zero, delay))) { [weak self] in
            self?.deliverState(item, of: role, turn)
        }
    }

    private func deliverState(_ item: PlatformItem, of role: DeviceRole, _ turn: Int) {
        guard state.withLock({ $0.side(role).turns[item.channel] }) == turn else { return }
        guard carries(from: role) else { return goOnLater(role) }
        let copies = state.withLock { state -> Int? in
            guard state.side(role.counterpart).handler != nil,
                state.side(role).states[item.channel]?.number == item.number
            else { return nil }
            state.change(role) { $0.states[item.channel] = nil }
            return state.apply(.stateCopies) ?? 1
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
        let former = state.withLock { state -> PlatformItem? in
            let former = state.side(role).current
            state.change(role) { $0.current = item }
            return former != nil && state.apply(.complicationUntags) != nil ? former : nil
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
            let isLeft = state.change(role) { side -> Bool in
                if side.day != today { (side.day, side.spentToday) = (today, 0) }
                guard side.spentToday < budget else { return false }
                side.spentToday += 1
                return true
            }
            let isOffFace = state.profile[.offFace] != nil
            if !isLeft { state.apply(isOffFace ? .offFace : .complicationsPerDay) }
            return isLeft
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
