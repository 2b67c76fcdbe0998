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

    private static func rhythms(_ profile: PlatformProfile) -> [PlatformRhythm] {
        var rhythms: [PlatformRhythm] = []
        if let seconds = profile[.flapSeconds] {
            rhythms.append(PlatformRhythm(open: .seconds(seconds), closed: .seconds(1)))
        }
        if let seconds = profile[.watchSwitchSeconds] {
            rhythms.append(PlatformRhythm(open: .seconds(seconds), closed: .seconds(10)))
        }
        return rhythms
    }

    /// Until when the platform is interrupted; nil where it is not.
    var interruptionEnd: Instant? {
        let (profile, elapsed) = (state.withLock { $0.profile }, elapsed)
        let ends = Self.rhythms(profile).compactMap { $0.end(covering: elapsed) }
        return ends.max().map { start.advanced(by: $0) }
    }

    /// When the platform is interrupted next; nil for never.
    var nextInterruption: Instant? {
        let (profile, elapsed) = (state.withLock { $0.profile }, elapsed)
        return Self.rhythms(profile).map { $0.next(after: elapsed) }.min()
            .map { start.advanced(by: $0) }
    }

    /// Whether bytes of this device arrive.
    func carries(from role: DeviceRole) -> Bool {
        let (profile, isConnected) = state.withLock { ($0.profile, $0.isConnected) }
        guard isConnected, interruptionEnd == nil else { return false }
        return role == .watch || profile[.oneWay] == nil
    }

    /// The reachability that the platform reports.
    var isReachable: Bool {
        let (profile, isConnected) = state.withLock { ($0.profile, $0.isConnected) }
        return profile[.oneWay] != nil || isConnected && interruptionEnd == nil
    }

    /// Ends or restores the connection.
    func setConnected(_ isConnected: Bool) {
        let ended = state.withLock { state -> [PlatformItem] in
            state.isConnected = isConnected
            if isConnected { return [] }
            let clearsQueue = state.profile[.queueCleared] != nil
            return DeviceRole.allCases.flatMap { role in
                state.change(role) { side in
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
        state.withLock { $0.change(role) { $0.handler = handler } }
        goOn(role.counterpart)
    }

    func restart(_ role: DeviceRole) {
        state.withLock { state in
            let clearsQueue = state.profile[.queueCleared] != nil
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
        if let limit = profile.byteLimit(of: channel, from: role), bytes.count > limit {
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
    /// The largest transfer of a channel; nil for no limit.
    func byteLimit(of channel: Channel, from role: DeviceRole) -> Int? {
        if kind == .pebble, channel != .context {
            return self[role == .phone ? .inboxBytes : .outboxBytes]
        }
        switch kind.way(of: channel) {
        case .message: return channel == .bulk ? nil : self[.messageBytes]
        case .queue, .complication: return channel == .bulk ? nil : self[.userInfoBytes]
        case .state: return self[.stateBytes]
        }
    }
}
