import Locks
public import WatchProto
import WatchProtoSecurity
import WatchProtoTransport

/// A phone and a watch for the tests of an app: two sessions that are paired, over a link in
/// memory, in a time that the test moves.
///
/// ```swift
/// let pair = try await TestPair()
/// pair.link.conditions = .edge
/// let transfer = try pair.phone.send(medication)
/// let outcome = try await pair.run { try await transfer.outcome(reaching: .committed) }
/// ```
///
/// The sessions are those of the library, with their threads and their encryption. The clock, the
/// link and the keys are the test's. Faults of the link follow from the seed.
public final class TestPair: Sendable {
    /// How a pair is set up.
    public struct Options: Sendable {
        /// The conditions of the link.
        public var conditions = LinkConditions()
        /// The random part of the link follows from it.
        public var seed: UInt64 = 0
        /// The directory of both journals, which must exist; nil keeps them in memory. The tables
        /// of an app need a file.
        public var directory: String?
        /// The tables of each device, as in `SessionOptions`.
        public var tables: [DeviceRole: [String]] = [:]

        /// Two journals in memory, and a link without fault.
        public init() {}
    }

    struct Device: Sendable {
        var session: CompanionSession
        var memory: DeviceMemory
        var clock: DeviceClock
    }

    /// The link between them.
    public let link: TestLink
    private let options: Options
    private let time: VirtualTime
    private let start: Instant
    private let devices: Mutex<[DeviceRole: Device]>

    /// Opens both sessions and activates them.
    ///
    /// - Throws: `OpenError` of one of the sessions.
    public init(_ options: Options = Options()) async throws(OpenError) {
        let time = VirtualTime()
        self.time = time
        self.options = options
        start = time.now
        let keys: SimulatedPair
        do {
            link = try TestLink(options.conditions, seed: options.seed, time)
            keys = try SimulatedPair(seed: options.seed)
        } catch {
            throw .linkUnavailable("\(error)")
        }
        var devices: [DeviceRole: Device] = [:]
        for role in DeviceRole.allCases {
            let own = role == .phone ? keys.phone : keys.watch
            devices[role] = try await Self.open(
                role, options, link, DeviceMemory(pairedWith: [own]), DeviceClock(time))
        }
        self.devices = Mutex(devices)
        link.settling.withLock { $0 = { [weak self] in try? await self?.settle() } }
        for role in [DeviceRole.watch, .phone] { try devices[role]?.session.activate() }
    }

    private static func open(
        _ role: DeviceRole, _ options: Options, _ link: TestLink, _ memory: DeviceMemory,
        _ clock: DeviceClock
    ) async throws(OpenError) -> Device {
        let session = try await CompanionSession(
            SessionOptions(
                role: role, link: "test",
                journal: options.directory.map { .file("\($0)/\(role).journal", key: .unsealed) }
                    ?? .inMemoryOnly,
                tables: options.tables[role] ?? []),
            testing: { MemorySource(link, role) }, clock: clock, memory: memory)
        return Device(session: session, memory: memory, clock: clock)
    }

    /// The phone's session.
    public var phone: CompanionSession { device(.phone).session }
    /// The watch's session.
    public var watch: CompanionSession { device(.watch).session }

    private func device(_ role: DeviceRole) -> Device {
        // Each role has one, from the initializer on.
        devices.withLock { $0[role]! }
    }

    // MARK: Time

    /// The time of the test since its beginning.
    public var elapsed: Duration { start.duration(to: time.now) }

    /// Lets time pass. Everything that is due happens, and nothing is waited for in real time.
    ///
    /// - Throws: `CancellationError`, where the task was cancelled; ``TestStuck`` where a device
    ///   does not come to rest.
    public func run(for duration: Duration) async throws {
        let end = time.now.advanced(by: max(.zero, duration))
        while let next = try await nextStep(), next <= end {
            try Task.checkCancellation()
            try await calm(before: next)
            time.advance(to: next)
        }
        time.advance(to: end)
        try await settle()
    }

    /// Performs `body` and lets time pass until it ends.
    ///
    /// - Parameters:
    ///   - limit: the longest time of the test that may pass.
    ///   - body: waits for outcomes, deliveries or messages.
    /// - Throws: the error of `body`; ``TestStuck`` where it waits for something that does not
    ///   come, and its task is cancelled then.
    public func run<Value: Sendable>(
        atMost limit: Duration = .seconds(86_400),
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let end = time.now.advanced(by: max(.zero, limit))
        let isDone = Atomic(false)
        let task = Task.detached {
            defer { isDone.store(true, ordering: .releasing) }
            return try await body()
        }
        var idleRounds = 0
        while !isDone.load(ordering: .acquiring) {
            if Task.isCancelled { task.cancel() }
            let next = try await nextStep()
            if isDone.load(ordering: .acquiring) { break }
            guard let next, next <= end else {
                // Perhaps the body computes.
                idleRounds += 1
                if idleRounds > Self.stuckRounds {
                    task.cancel()
                    throw TestStuck(
                        elapsed: elapsed, work: next == nil ? nil : "the time limit is over")
                }
                try? await Task.sleep(for: .milliseconds(1))
                continue
            }
            idleRounds = 0
            try await calm(before: next)
            if isDone.load(ordering: .acquiring) { break }
            time.advance(to: next)
        }
        return try await task.value
    }

    /// About two seconds.
    private static let stuckRounds = 2000

    /// The next moment at which anything happens by itself, once both devices have done everything
    /// before it.
    private func nextStep() async throws -> Instant? {
        try await settle()
        return time.next
    }

    /// Before time jumps, the tasks of the app have a moment of real time.
    private func calm(before next: Instant) async throws {
        guard time.now.duration(to: next) > .milliseconds(20) else { return }
        try? await Task.sleep(for: .milliseconds(1))
        try await settle()
    }

    /// Waits until both devices have nothing left to do before time moves.
    private func settle() async throws(TestStuck) {
        let limit = ContinuousClock.now.advanced(by: .seconds(20))
        var idleRounds = 0
        while idleRounds < 3, !Task.isCancelled {
            guard let work = devices.withLock({ $0.values.compactMap(\.session.work).first }) else {
                idleRounds += 1
                await Task.yield()
                continue
            }
            idleRounds = 0
            if ContinuousClock.now > limit { throw TestStuck(elapsed: elapsed, work: "\(work)") }
            try? await Task.sleep(for: .microseconds(50))
        }
    }

    /// The wall clock of a device. Both begin at noon of 2026-01-01, in UTC.
    public func wallClock(of role: DeviceRole) -> WallTime { device(role).clock.wall.time }

    /// Sets the wall clock of a device, as its wearer or a journey would; without a zone, that one
    /// stays.
    public func setWallClock(of role: DeviceRole, to time: WallTime, zone: ZoneOffset? = nil) {
        let device = device(role)
        let offset = zone?.minutes ?? device.clock.wall.zoneOffsetMinutes
        device.clock.setWall(time, zoneOffsetMinutes: offset)
        device.session.wallClockChanged()
    }

    // MARK: Crashes

    /// Ends a device as a crash does, and starts it again on its journal. Records in the journal
    /// are there again; ``phone`` or ``watch`` is a new session, without handlers.
    ///
    /// - Throws: `OpenError`.
    public func restart(_ role: DeviceRole) async throws(OpenError) {
        try await restart(role, on: device(role).memory)
    }

    private func restart(_ role: DeviceRole, on memory: DeviceMemory) async throws(OpenError) {
        let former = device(role)
        await former.session.abandon()
        let made = try await Self.open(role, options, link, memory, former.clock)
        devices.withLock { $0[role] = made }
        try made.session.activate()
    }

    /// The journal of a device as it is now. For journals in memory; one in a file is copied while
    /// no session has it open.
    public func backUp(_ role: DeviceRole) -> DeviceBackup {
        DeviceBackup(memory: device(role).memory.copy(), role: role)
    }

    /// Ends a device as a crash does, and starts it on a backup of its journal in memory, as after
    /// a restore of the device.
    ///
    /// - Throws: `OpenError`.
    public func restore(_ backup: DeviceBackup) async throws(OpenError) {
        try await restart(backup.role, on: backup.memory.copy())
    }

    /// Closes both sessions.
    public func close() async {
        await phone.close()
        await watch.close()
    }
}
