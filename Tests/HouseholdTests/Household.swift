import Locks
import WatchProto
import WatchProtoCore
import WatchProtoSecurity

@testable import WatchProtoTesting

/// A phone and its watches, with journals in files, in one time. Each watch has a link of its own;
/// one of them is active.
final class Household: Sendable {
    /// The number of a device: 0 is the phone.
    typealias Number = Int

    let links: [TestLink]
    let pairings: [PairingID]
    private let group = DeviceGroup<Number>()
    private let active: ActiveLink

    init(watches count: Int, in directory: String, tables: [String], seed: UInt64) async throws {
        var (links, keys): ([TestLink], [SimulatedPair]) = ([], [])
        for number in 0..<count {
            let own = seed &* 16 &+ UInt64(number)
            links.append(try TestLink(LinkConditions(), seed: own, group.time))
            let name = DeviceID(rawValue: UInt128(number + 2))
            keys.append(try SimulatedPair(seed: own, watch: name))
        }
        self.links = links
        pairings = keys.map(\.phone.pairing)
        let active = ActiveLink(count - 1)
        self.active = active
        let made = links
        let current = { @Sendable in made[active.place] }
        func open(
            _ number: Number, _ role: DeviceRole, _ paired: [PairedDevice],
            _ link: @escaping @Sendable () -> TestLink
        ) async throws {
            let journal = JournalPlace.file("\(directory)/\(number).journal", key: .unsealed)
            try await group.open(
                number,
                DeviceGroup.Device(
                    role, journal, tables: tables, keepAlive: .seconds(300),
                    memory: DeviceMemory(pairedWith: paired), clock: DeviceClock(group.time)
                ) { MemorySource(link(), role) })
        }
        try await open(0, .phone, keys.map(\.phone), current)
        for (number, link) in links.enumerated() {
            try await open(number + 1, .watch, [keys[number].watch]) { link }
            link.settling.withLock { $0 = { [weak group] in try? await group?.settle() } }
        }
        for number in (0...count).reversed() { try self[number].activate() }
    }

    /// The session of a device.
    subscript(number: Number) -> CompanionSession { group[number].session }

    /// The number of the active watch.
    var activeWatch: Number { active.place + 1 }

    /// Makes another watch the active one.
    func activate(_ watch: Number) async throws {
        active.set(watch - 1)
        try await self[0].setActiveWatch(pairings[watch - 1])
    }

    /// Keeps a watch connected, until the phone crashes.
    func connect(_ watch: Number) async throws {
        let (link, pairing) = (links[watch - 1], pairings[watch - 1])
        self[0].setLink(with: pairing) { MemorySource(link, .phone) }
        try await self[0].connect(pairing)
    }

    /// The wall clock of a device.
    func wallClock(of number: Number) -> WallTime { group[number].clock.wall.time }

    var elapsed: Duration { group.elapsed }
    func run(for duration: Duration) async throws { try await group.run(for: duration) }

    func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await group.run(atMost: .seconds(86_400), body)
    }

    /// Ends devices as a crash of all of them at once does, and starts them again.
    func restart(_ numbers: [Number]) async throws {
        for number in numbers { await self[number].abandon() }
        for number in numbers { try await group.restart(number) }
    }

    func close() async {
        for number in 0...links.count { await self[number].close() }
    }
}

/// The place of the link with the active watch.
final class ActiveLink: Sendable {
    private let state: Mutex<Int>

    init(_ place: Int) { state = Mutex(place) }

    var place: Int { state.withLock { $0 } }
    func set(_ place: Int) { state.withLock { $0 = place } }
}
