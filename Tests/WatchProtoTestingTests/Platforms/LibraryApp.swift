import Locks
import WatchProto
import WatchProtoTesting

/// The app on the sessions of the library, over the carrier of a platform.
final class LibraryApp: PlatformApp {
    let pair: TestPair
    private let state = Mutex(AppResult())
    private let openings = Mutex(0)

    init(_ profile: PlatformProfile) async throws {
        var options = TestPair.Options()
        options.conditions.platform = profile
        pair = try await TestPair(options)
        for role in DeviceRole.allCases { listen(role) }
        let events = pair.phone.events()
        Task { [weak self] in
            for await event in events {
                if case .activation(.activated) = event { self?.openings.withLock { $0 += 1 } }
            }
        }
        // Before the first script line both are linked, as on the platform.
        try await pair.run(for: .seconds(4))
    }

    /// How many sessions have opened since the beginning.
    var openedSessions: Int { openings.withLock { $0 } }

    private func session(_ role: DeviceRole) -> CompanionSession {
        role == .phone ? pair.phone : pair.watch
    }

    private func listen(_ role: DeviceRole) {
        let session = session(role)
        session.apply(ApplicationContext.self) { [weak self] context, _ in
            self?.state.withLock { state in
                state.list = context.value.bytes
                state.listArrivals += 1
            }
        }
        session.apply(ShownState.self) { [weak self] shown, _ in
            self?.state.withLock { $0.face = shown.value.state.taken }
        }
        let messages = session.messages()
        Task { for await message in messages { try? message.reply(message.body) } }
    }

    func record(_ dose: Int, on role: DeviceRole) async throws {
        try await session(role).doses.record(.example(dose))
    }

    func sendList(_ list: [UInt8]) throws { try pair.phone.send(ApplicationContext(list)) }
    func show(_ dose: UInt8) throws {
        try pair.phone.complications.update(ComplicationState(taken: dose))
    }

    func ask(_ question: UInt8, from role: DeviceRole) {
        let session = session(role)
        Task { [weak self] in
            let outcome = try await session.sendMessage([question])
            self?.state.withLock { $0.answers.append(outcome) }
        }
    }

    func turn(_ trait: String, _ value: Int?) throws {
        let platform = try pair.link.conditions.platform?.with(trait, value)
        pair.link.conditions.platform = platform
    }

    func setConnected(_ isConnected: Bool) async {
        if isConnected { pair.link.restore() } else { await pair.link.cut() }
    }

    func restart(_ role: DeviceRole) async throws {
        try await pair.restart(role)
        listen(role)
    }

    func run(for duration: Duration) async throws {
        // The tasks of the script have a moment.
        try await Task.sleep(for: .milliseconds(2))
        try await pair.run(for: duration)
    }

    func result() async throws -> AppResult {
        var result = state.withLock { $0 }
        result.phoneDoses = try await doses(of: pair.phone)
        result.watchDoses = try await doses(of: pair.watch)
        result.isReachable = pair.phone.state.isReachable
        return result
    }

    private func doses(of session: CompanionSession) async throws -> [Int] {
        try await session.doses.newestEvents(limit: 100).map { Int($0.id.rawValue) }.sorted()
    }

    func close() async { await pair.close() }
}
