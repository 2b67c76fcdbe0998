import Locks
import WatchProto
import WatchProtoTransport

/// The devices of a test, in one time that the test moves.
final class DeviceGroup<Name: Hashable & Sendable>: Sendable {
    /// A device: its session, and what outlives a crash of it.
    struct Device: Sendable {
        fileprivate(set) var session: CompanionSession!
        fileprivate(set) var memory: DeviceMemory
        let clock: DeviceClock
        private let options: SessionOptions
        private let source: @Sendable () -> any CarrierSource

        init(
            _ role: DeviceRole, _ journal: JournalPlace, tables: [String],
            keepAlive: Duration? = nil, memory: DeviceMemory, clock: DeviceClock,
            source: @escaping @Sendable () -> any CarrierSource
        ) {
            var options = SessionOptions(role: role, link: "test", journal: journal, tables: tables)
            options.keepAliveInterval = keepAlive
            self.options = options
            self.memory = memory
            self.clock = clock
            self.source = source
        }

        fileprivate var hasFile: Bool {
            if case .file = options.journal { true } else { false }
        }

        fileprivate mutating func open() async throws(OpenError) {
            session = try await CompanionSession(
                options, testing: source, clock: clock, memory: memory)
        }
    }

    let time = VirtualTime()
    private let start: Instant
    private let devices = Mutex<[Name: Device]>([:])

    init() { start = time.now }

    subscript(name: Name) -> Device {
        // The maker of the group has opened each one.
        devices.withLock { $0[name]! }
    }

    /// Opens the session of a device.
    func open(_ name: Name, _ device: Device) async throws(OpenError) {
        var device = device
        try await device.open()
        let made = device
        devices.withLock { $0[name] = made }
    }

    /// Ends a device as a crash does, and starts it again.
    ///
    /// - Parameters:
    ///   - name: the device.
    ///   - memory: another memory, as of a backup; nil for that of the device.
    func restart(_ name: Name, on memory: DeviceMemory? = nil) async throws(OpenError) {
        var device = self[name]
        await device.session.abandon()
        // A file has all that outlives a process.
        device.memory = memory ?? (device.hasFile ? DeviceMemory() : device.memory)
        try await open(name, device)
        try self[name].session.activate()
    }

    // MARK: Time

    /// The time since the beginning.
    var elapsed: Duration { start.duration(to: time.now) }

    /// Lets time pass, as `TestPair.run(for:)` does.
    func run(for duration: Duration) async throws {
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
    func run<Value: Sendable>(
        atMost limit: Duration = .seconds(86_400),
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let end = time.now.advanced(by: max(.zero, limit))
        let isDone = Atomic(false)
        let executor = BodyExecutor()
        let task = Task.detached(executorPreference: executor) {
            defer { isDone.store(true, ordering: .releasing) }
            return try await body()
        }
        var idleRounds = 0
        while !isDone.load(ordering: .acquiring) {
            if Task.isCancelled { task.cancel() }
            let next = try await nextStep(executor)
            if isDone.load(ordering: .acquiring) { break }
            guard let next, next <= end else {
                // Perhaps the body waits for a task of its own.
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
            try await calm(before: next, executor)
            if isDone.load(ordering: .acquiring) { break }
            time.advance(to: next)
        }
        return try await task.value
    }

    /// About two seconds.
    private static var stuckRounds: Int { 2000 }

    /// The next moment at which anything happens by itself, once both devices have done everything
    /// before it.
    private func nextStep(_ executor: BodyExecutor? = nil) async throws -> Instant? {
        try await settle(executor)
        return time.next
    }

    /// Before time jumps, the tasks of the app have a moment of real time.
    private func calm(before next: Instant, _ executor: BodyExecutor? = nil) async throws {
        guard time.now.duration(to: next) > .milliseconds(20) else { return }
        try? await Task.sleep(for: .milliseconds(1))
        try await settle(executor)
    }

    /// Waits until both devices, and the body of the test, have nothing left to do before time
    /// moves.
    func settle(_ executor: BodyExecutor? = nil) async throws(TestStuck) {
        let limit = ContinuousClock.now.advanced(by: .seconds(20))
        var idleRounds = 0
        while idleRounds < 3, !Task.isCancelled {
            let work = devices.withLock { $0.values.compactMap { $0.session.work }.first }
            guard let work = work ?? executor?.work else {
                idleRounds += 1
                await Task.yield()
                continue
            }
            idleRounds = 0
            if ContinuousClock.now > limit { throw TestStuck(elapsed: elapsed, work: "\(work)") }
            try? await Task.sleep(for: .microseconds(50))
        }
    }
}
