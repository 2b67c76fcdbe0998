import Locks
import Testing
import WatchProto
import WatchProtoTesting

/// A pair of devices in memory, as the tests of an app use it.
@Suite(.timeLimit(.minutes(1))) struct TestPairTests {
    @Test func a_record_arrives_in_the_time_that_the_link_takes() async throws {
        let pair = try await TestPair()
        pair.link.conditions.delay = .milliseconds(400)
        pair.watch.apply(UserInfo.self) { _, _ in }
        try await pair.run(for: .seconds(5))
        #expect(pair.phone.state.isReachable && pair.watch.state.isReachable)
        let before = pair.elapsed
        let transfer = try pair.phone.send(UserInfo([1, 2, 3]))
        let outcome = try await pair.run { try await transfer.outcome() }
        #expect(outcome == .reached(.applied))
        // There and back.
        let took = pair.elapsed - before
        #expect(took >= .milliseconds(800) && took < .milliseconds(1300))
        await pair.close()
    }

    @Test func hours_without_a_link_take_no_time() async throws {
        let pair = try await TestPair()
        pair.watch.apply(UserInfo.self) { _, _ in }
        try await pair.run(for: .seconds(1))
        await pair.link.cut()
        let transfer = try pair.phone.send(UserInfo([1]))
        try await pair.run(for: .seconds(36_000))
        #expect(pair.elapsed == .seconds(36_001) && !pair.phone.state.isReachable)
        #expect(pair.phone.outcome(of: transfer.id) == .reached(.queued))
        pair.link.restore()
        let outcome = try await pair.run { try await transfer.outcome() }
        #expect(outcome == .reached(.applied))
        #expect(pair.elapsed < .seconds(36_060))
        await pair.close()
    }

    @Test func every_record_arrives_once_over_a_bad_link() async throws {
        var options = TestPair.Options()
        options.seed = 7
        options.conditions = .edge
        options.conditions.carriesPackets = true
        options.conditions.repetitionRate = 0.1
        options.conditions.reorderingRate = 0.1
        let pair = try await TestPair(options)
        let arriving = pair.watch.deliveries(of: UserInfo.self)
        let counted = Task {
            var seen: [UInt8] = []
            for await delivery in arriving {
                seen += delivery.value.bytes
                delivery.accept()
            }
            return seen
        }
        let transfers = try (0..<50).map { try pair.phone.send(UserInfo([$0])) }
        let outcomes = try await pair.run {
            var all: [TransferOutcome] = []
            for transfer in transfers { all.append(try await transfer.outcome()) }
            return all
        }
        #expect(outcomes == Array(repeating: .reached(.applied), count: 50))
        // Half a second each way at least: in real time nothing of the kind passed.
        #expect(pair.elapsed > .milliseconds(500))
        await pair.close()
        #expect(await counted.value == Array(0..<50))
    }

    @Test func a_dropped_packet_is_sent_again() async throws {
        let pair = try await TestPair()
        pair.link.conditions.carriesPackets = true
        await pair.link.cut()
        pair.link.restore()
        pair.watch.apply(UserInfo.self) { _, _ in }
        try await pair.run(for: .seconds(5))
        pair.link.dropNext(3, from: .phone)
        let before = pair.link.packetsSent(by: .phone)
        let transfer = try pair.phone.send(UserInfo([1]))
        #expect(try await pair.run { try await transfer.outcome() } == .reached(.applied))
        #expect(pair.link.packetsSent(by: .phone) > before)
        await pair.close()
    }

    @Test(arguments: [false, true])
    func a_record_survives_the_crash_of_both(_ isInFiles: Bool) async throws {
        let folder = try Folder()
        var options = TestPair.Options()
        if isInFiles {
            options.directory = folder.path
            options.tables[.watch] = ["CREATE TABLE seen(byte INTEGER)"]
        }
        let pair = try await TestPair(options)
        try await pair.run(for: .seconds(1))
        await pair.link.cut()
        let transfer = try pair.phone.send(UserInfo([4]))
        _ = try await pair.run { try await transfer.outcome(reaching: .queued) }
        try await pair.restart(.phone)
        try await pair.restart(.watch)
        #expect(pair.phone.outcome(of: transfer.id) == .reached(.queued))
        pair.watch.apply(UserInfo.self) { info, transaction in
            if isInFiles {
                transaction.run(
                    "INSERT INTO seen VALUES(?)", .integer(Int64(info.value.bytes[0])))
            }
        }
        pair.link.restore()
        let phone = pair.phone
        try await pair.run {
            while phone.outcome(of: transfer.id) != .reached(.applied) {
                try await Task.sleep(for: .microseconds(100))
            }
        }
        if isInFiles {
            #expect(try await pair.watch.rows("SELECT byte FROM seen") == [[.integer(4)]])
        }
        await pair.close()
    }

    @Test func a_record_that_is_sent_twice_under_one_key_arrives_once() async throws {
        let pair = try await TestPair()
        let arrived = Mutex<[UInt8]>([])
        pair.watch.apply(UserInfo.self) { info, _ in
            arrived.withLock { $0 += info.value.bytes }
        }
        try await pair.run(for: .seconds(1))
        await pair.link.cut()
        let once = SendOptions(idempotencyKey: 5)
        let first = try pair.phone.send(UserInfo([1]), once)
        let second = try pair.phone.send(UserInfo([1]), once)
        #expect(first.id == second.id)
        pair.link.restore()
        #expect(try await pair.run { try await first.outcome() } == .reached(.applied))
        #expect(try await pair.run { try await second.outcome() } == .reached(.applied))
        // The watch answers one that comes later without applying it again.
        let third = try pair.phone.send(UserInfo([1]), once)
        #expect(try await pair.run { try await third.outcome() } == .reached(.applied))
        #expect(arrived.withLock { $0 } == [1])
        await pair.close()
    }

    @Test func a_record_expires_by_the_wall_clock_of_its_device() async throws {
        let pair = try await TestPair()
        try await pair.run(for: .seconds(1))
        await pair.link.cut()
        let clock = pair.wallClock(of: .phone)
        let inAnHour = WallTime(milliseconds: clock.milliseconds + 3_600_000)
        let transfer = try pair.phone.send(UserInfo([1]), SendOptions(expiresAt: inAnHour))
        try await pair.run(for: .seconds(3_000))
        #expect(pair.phone.outcome(of: transfer.id) == .reached(.queued))
        let later = WallTime(milliseconds: inAnHour.milliseconds + 1)
        pair.setWallClock(of: .phone, to: later)
        let outcome = try await pair.run { try await transfer.outcome() }
        #expect(outcome == .notApplied(.expired))
        #expect(pair.wallClock(of: .watch) < later)
        await pair.close()
    }

    @Test func a_restored_phone_gets_back_what_it_had_forgotten() async throws {
        let pair = try await TestPair()
        pair.watch.apply(ApplicationContext.self) { _, _ in }
        let first = try pair.phone.send(ApplicationContext([1]))
        _ = try await pair.run { try await first.outcome() }
        let backup = pair.backUp(.phone)
        let second = try pair.phone.send(ApplicationContext([2]))
        _ = try await pair.run { try await second.outcome() }
        try await pair.restore(backup)
        try await pair.run(for: .seconds(10))
        #expect(pair.phone.recoveredValues.map(\.payload) == [[2]])
        // No connection is needed, and a restart does not bring it again.
        await pair.link.cut()
        pair.phone.recoveredValues.first?.acknowledge()
        #expect(pair.phone.recoveredValues.isEmpty)
        try await pair.run(for: .seconds(1))
        try await pair.restart(.phone)
        #expect(pair.phone.recoveredValues.isEmpty)
        await pair.close()
    }

    @Test func a_body_that_waits_for_nothing_is_ended() async throws {
        let pair = try await TestPair()
        // Nobody applies it.
        let transfer = try pair.phone.send(UserInfo([1]))
        let stuck = await #expect(throws: TestStuck.self) {
            try await pair.run(atMost: .seconds(60)) { try await transfer.outcome() }
        }
        #expect(try #require(stuck).elapsed <= .seconds(60))
        await pair.close()
    }

    @Test func a_blackout_is_noticed_by_silence_alone() async throws {
        let pair = try await TestPair()
        pair.watch.apply(UserInfo.self) { _, _ in }
        try await pair.run(for: .seconds(1))
        pair.link.blackOut(for: .seconds(8))
        #expect(pair.link.isOpen)
        let transfer = try pair.phone.send(UserInfo([1]))
        let before = pair.elapsed
        #expect(try await pair.run { try await transfer.outcome() } == .reached(.applied))
        #expect(pair.elapsed - before >= .seconds(8))
        await pair.close()
    }

    /// Weak references to a pair and its parts.
    private struct Remains {
        weak var pair: TestPair?
        weak var link: TestLink?
        weak var phone: CompanionSession?
        weak var watch: CompanionSession?
        var isEmpty: Bool { pair == nil && link == nil && phone == nil && watch == nil }
    }

    /// A pair whose packets are under way, or which a test has closed.
    private func used(isClosed: Bool, carriesPackets: Bool) async throws -> Remains {
        let pair = try await TestPair()
        pair.link.conditions.delay = .milliseconds(400)
        pair.link.conditions.carriesPackets = carriesPackets
        pair.watch.apply(UserInfo.self) { _, _ in }
        try await pair.run(for: .seconds(5))
        _ = try pair.phone.send(UserInfo([1]))
        try await pair.run(for: .milliseconds(100))
        if isClosed { await pair.close() }
        return Remains(pair: pair, link: pair.link, phone: pair.phone, watch: pair.watch)
    }

    @Test(arguments: [true, false], [true, false])
    func a_pair_that_is_dropped_leaves_nothing(isClosed: Bool, carriesPackets: Bool) async throws {
        let remains = try await used(isClosed: isClosed, carriesPackets: carriesPackets)
        // The threads of its sessions end by themselves.
        for _ in 0..<5_000 where !remains.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        #expect(remains.pair == nil && remains.link == nil)
        #expect(remains.phone == nil && remains.watch == nil)
    }

    @Test func a_context_is_as_large_as_on_the_platform() async throws {
        let pair = try await TestPair()
        pair.link.conditions.delay = .milliseconds(20)
        let given = Mutex<[ApplicationContext]>([])
        pair.watch.apply(ApplicationContext.self) { context, _ in
            given.withLock { $0.append(context.value) }
        }
        let largest = ApplicationContext((0..<262_144).map { UInt8(truncatingIfNeeded: $0 % 251) })
        #expect(throws: Refusal.notTaken(.tooLarge(bytes: 262_145, limit: 262_144))) {
            try pair.phone.send(ApplicationContext(largest.bytes + [0]))
        }
        let sent = try pair.phone.send(largest)
        #expect(try await pair.run { try await sent.outcome() } == .reached(.applied))
        #expect(given.withLock { $0 } == [largest])
        await pair.close()
    }
}
