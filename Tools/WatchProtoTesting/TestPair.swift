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
        /// As in `SessionOptions`, of both devices.
        public var keepAliveInterval: Duration? = .seconds(60)

        /// Two journals in memory, and a link without fault.
        public init() {}

        func journal(of name: String) -> JournalPlace {
            directory.map { .file("\($0)/\(name).journal", key: .unsealed) } ?? .inMemoryOnly
        }
    }

    /// The link between them.
    public let link: TestLink
    private let options: Options
    private let group: DeviceGroup<DeviceRole>

    /// Opens both sessions and activates them.
    ///
    /// - Throws: `OpenError` of one of the sessions.
    public init(_ options: Options = Options()) async throws(OpenError) {
        group = DeviceGroup()
        self.options = options
        let keys: SimulatedPair
        do {
            link = try TestLink(options.conditions, seed: options.seed, group.time)
            keys = try SimulatedPair(seed: options.seed)
        } catch {
            throw .linkUnavailable("\(error)")
        }
        let link = link
        for role in DeviceRole.allCases {
            let own = role == .phone ? keys.phone : keys.watch
            let device = DeviceGroup<DeviceRole>.Device(
                role, options.journal(of: "\(role)"), tables: options.tables[role] ?? [],
                keepAlive: options.keepAliveInterval, memory: DeviceMemory(pairedWith: [own]),
                clock: DeviceClock(group.time)
            ) { MemorySource(link, role) }
            try await group.open(role, device)
        }
        link.settling.withLock { $0 = { [weak group] in try? await group?.settle() } }
        for role in [DeviceRole.watch, .phone] { try group[role].session.activate() }
    }

    /// The phone's session.
    public var phone: CompanionSession { group[.phone].session }
    /// The watch's session.
    public var watch: CompanionSession { group[.watch].session }

    // MARK: Time

    /// The time of the test since its beginning.
    public var elapsed: Duration { group.elapsed }

    /// Lets time pass. Everything that is due happens, and nothing is waited for in real time.
    ///
    /// - Throws: `CancellationError`, where the task was cancelled; ``TestStuck`` where a device
    ///   does not come to rest.
    public func run(for duration: Duration) async throws {
        try await group.run(for: duration)
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
        try await group.run(atMost: limit, body)
    }

    /// The wall clock of a device. Both begin at noon of 2026-01-01, in UTC.
    public func wallClock(of role: DeviceRole) -> WallTime { group[role].clock.wall.time }

    /// Sets the wall clock of a device, as its wearer or a journey would; without a zone, that one
    /// stays. A time more than 2^60 ms before or after 1970 is the last one within that.
    public func setWallClock(of role: DeviceRole, to time: WallTime, zone: ZoneOffset? = nil) {
        let device = group[role]
        let offset = zone?.minutes ?? device.clock.wall.zoneOffsetMinutes
        device.clock.setWall(time, zoneOffsetMinutes: offset)
        device.session.wallClockChanged()
    }

    // MARK: Crashes

    /// Ends a device as a crash does, and starts it again on its journal. Records in the journal
    /// are there again, and one that was not durable yet may be lost. ``phone`` or ``watch`` is a
    /// new session, without handlers.
    ///
    /// - Throws: `OpenError`.
    public func restart(_ role: DeviceRole) async throws(OpenError) {
        try await group.restart(role)
    }

    /// The journal of a device as it is now. For journals in memory; one in a file is copied while
    /// no session has it open.
    public func backUp(_ role: DeviceRole) -> DeviceBackup {
        DeviceBackup(memory: group[role].memory.copy(), role: role)
    }

    /// Ends a device as a crash does, and starts it on a backup of its journal in memory, as after
    /// a restore of the device.
    ///
    /// - Throws: `OpenError`.
    public func restore(_ backup: DeviceBackup) async throws(OpenError) {
        try await group.restart(backup.role, on: backup.memory.copy())
    }

    /// Closes both sessions.
    public func close() async {
        await phone.close()
        await watch.close()
    }
}
