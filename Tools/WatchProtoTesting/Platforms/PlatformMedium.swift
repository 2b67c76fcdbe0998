import Locks
import WatchProtoCore

/// A platform between two devices: the transfers that it carries, with its limits and faults.
final class PlatformMedium: Sendable {
    struct State: Sendable {
        var profile: PlatformProfile
        var isConnected = true
        var sides: [DeviceRole: PlatformSide] = [.phone: PlatformSide(), .watch: PlatformSide()]
        var generator: SeededGenerator
        var nextNumber: UInt64 = 0
        /// How often each trait has had an effect.
        var effects: [PlatformTrait: Int] = [:]

        /// Counts an effect of a trait. Returns its value; nil where it is off and has none.
        @discardableResult
        mutating func apply(_ trait: PlatformTrait) -> Int? {
            guard let value = profile[trait] else { return nil }
            effects[trait, default: 0] += 1
            return value
        }

        mutating func makeItem(
            _ channel: Channel, _ bytes: [UInt8], _ reply: @escaping @Sendable ([UInt8]) -> Void,
            _ fail: @escaping @Sendable (String) -> Void
        ) -> PlatformItem {
            nextNumber += 1
            return PlatformItem(
                number: nextNumber, channel: channel, bytes: bytes, reply: reply, fail: fail)
        }

        /// Changes one device.
        mutating func change<Value>(
            _ role: DeviceRole, _ body: (inout PlatformSide) -> Value
        ) -> Value {
            var side = sides[role] ?? PlatformSide()
            defer { sides[role] = side }
            return body(&side)
        }

        func side(_ role: DeviceRole) -> PlatformSide { sides[role] ?? PlatformSide() }

        /// Whether an interruption clears the queue of a device.
        mutating func clearsQueue(of role: DeviceRole) -> Bool {
            !side(role).queue.isEmpty && apply(.queueCleared) != nil
        }

        /// A random part of this time.
        mutating func part(of seconds: Int?) -> Duration {
            guard let seconds else { return .zero }
            return .milliseconds(
                Int64.random(in: 0...Int64(clamping: seconds) * 1_000, using: &generator))
        }
    }

    /// The moments at which bytes of a device arrive at the other.
    typealias Transit = @Sendable (DeviceRole, [UInt8]) -> [Instant]

    let time: VirtualTime
    let start: Instant
    let transit: Transit
    let state: Mutex<State>

    init(
        _ profile: PlatformProfile, seed: UInt64, _ time: VirtualTime, transit: @escaping Transit
    ) {
        self.time = time
        self.transit = transit
        start = time.now
        state = Mutex(State(profile: profile, generator: SeededGenerator(seed: seed)))
    }

    // MARK: Reachability

    private var elapsed: Duration { start.duration(to: time.now) }

    private static func rhythms(
        _ profile: PlatformProfile
    ) -> [(trait: PlatformTrait, rhythm: PlatformRhythm)] {
        let all: [(PlatformTrait, closed: Duration)] = [
            (.flapSeconds, .seconds(1)), (.watchSwitchSeconds, .seconds(10)),
        ]
        return all.compactMap { trait, closed in
            profile[trait].map { (trait, PlatformRhythm(open: .seconds($0), closed: closed)) }
        }
    }

    /// Until when the platform is interrupted; nil where it is not.
    var interruptionEnd: Instant? {
        let elapsed = elapsed
        let end = state.withLock { state -> Duration? in
            var last: Duration?
            for (trait, rhythm) in Self.rhythms(state.profile) {
                guard let end = rhythm.end(covering: elapsed) else { continue }
                state.apply(trait)
                last = max(last ?? end, end)
            }
            return last
        }
        return end.map { start.advanced(by: $0) }
    }

    /// When the platform is interrupted next; nil for never.
    var nextInterruption: Instant? {
        let (profile, elapsed) = (state.withLock { $0.profile }, elapsed)
        return Self.rhythms(profile).map { $0.rhythm.next(after: elapsed) }.min()
            .map { start.advanced(by: $0) }
    }

    /// Whether bytes of this device arrive.
    func carries(from role: DeviceRole) -> Bool {
        guard interruptionEnd == nil else { return false }
        return state.withLock { state in
            state.isConnected && (role == .watch || state.apply(.oneWay) == nil)
        }
    }

    /// Whether messages of this device find the other one's app, which runs or is launched.
    func findsApp(from role: DeviceRole) -> Bool {
        state.withLock { state in
            guard role == .phone, state.profile.kind == .wcsession else { return true }
            return state.apply(.watchAsleep) == nil && state.side(.watch).handler != nil
        }
    }

    /// The reachability that the platform reports to this device.
    func isReachable(from role: DeviceRole) -> Bool {
        let (profile, isConnected) = state.withLock { ($0.profile, $0.isConnected) }
        if profile[.oneWay] != nil { return true }
        return isConnected && interruptionEnd == nil && findsApp(from: role)
    }

    /// Ends or restores the connection.
    func setConnected(_ isConnected: Bool) {
        let ended = state.withLock { state -> [PlatformItem] in
            state.isConnected = isConnected
            if isConnected { return [] }
            return DeviceRole.allCases.flatMap { role -> [PlatformItem] in
                let clearsQueue = state.clearsQueue(of: role)
                return state.change(role) { side in
                    defer { side.messages = [:] }
                    if clearsQueue { side.queue = [] }
                    side.transferring = nil
                    return side.messages.values.sorted { $0.number < $1.number }
                }
            }
        }
        for item in ended { item.fail("not reachable") }
        if isConnected { for role in DeviceRole.allCases { goOn(role) } }
    }

    // MARK: The app

    func setHandler(_ handler: @escaping PlatformSide.Handler, of role: DeviceRole) {
        let launching = state.withLock { state in
            state.change(role) { side -> [PlatformItem] in
                side.handler = handler
                defer { side.launching = [] }
                return side.launching
            }
        }
        for item in launching {
            // The handler runs when time passes, and not within the call that sets it.
            time.at(time.now.advanced(by: .milliseconds(1))) { [weak self] in
                self?.arrive(item, from: role.counterpart)
            }
        }
        goOn(role.counterpart)
    }

    func restart(_ role: DeviceRole) {
        state.withLock { state in
            let clearsQueue = state.clearsQueue(of: role)
            state.change(role) { $0.restart(clearsQueue: clearsQueue) }
        }
        goOn(role)
    }

    /// Gives bytes to the app of the other device. Returns its answer.
    func deliver(_ item: PlatformItem, from role: DeviceRole, copies: Int = 1) -> [UInt8]? {
        let handler = state.withLock { $0.side(role.counterpart).handler }
        var answer: [UInt8]?
        for _ in 0..<max(1, copies) { answer = handler?(item.channel, item.bytes) }
        return answer
    }

    /// Takes a transfer of an app.
    func submit(
        _ bytes: [UInt8], as channel: Channel, from role: DeviceRole,
        reply: @escaping @Sendable ([UInt8]) -> Void = { _ in },
        fail: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(SendRefusal) {
        let (profile, item) = state.withLock { state in
            (state.profile, state.makeItem(channel, bytes, reply, fail))
        }
        if let trait = profile.byteTrait(of: channel, from: role), let limit = profile[trait],
            bytes.count > limit
        {
            state.withLock { _ = $0.apply(trait) }
            throw .tooLarge(bytes: bytes.count, limit: limit)
        }
        switch profile.kind.way(of: channel) {
        case .message: try sendMessage(item, from: role)
        case .queue: enqueue(item, from: role)
        case .state: setState(item, from: role)
        case .complication: sendComplication(item, from: role)
        }
    }
}

extension PlatformProfile {
    /// The trait that limits a transfer of a channel; nil for no limit.
    func byteTrait(of channel: Channel, from role: DeviceRole) -> PlatformTrait? {
        if kind == .pebble, channel != .context {
            return role == .phone ? .inboxBytes : .outboxBytes
        }
        switch kind.way(of: channel) {
        case .message: return channel == .bulk ? nil : .messageBytes
        case .queue, .complication: return channel == .bulk ? nil : .userInfoBytes
        case .state: return .stateBytes
        }
    }
}
