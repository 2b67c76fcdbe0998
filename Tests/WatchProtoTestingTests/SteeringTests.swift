import Locks
import Testing
import WatchProto
import WatchProtoTesting

/// The settings and the measurements that steer when something leaves, and how long it is waited
/// for.
@Suite(.timeLimit(.minutes(1))) struct SteeringTests {
    private static func pair(_ options: TestPair.Options) async throws -> TestPair {
        let pair = try await TestPair(options)
        try await pair.run(for: .seconds(10))
        try #require(pair.phone.state.isReachable && pair.watch.state.isReachable)
        return pair
    }

    private static func pair(_ delay: Duration) async throws -> TestPair {
        var options = TestPair.Options()
        options.conditions.delay = delay
        return try await pair(options)
    }

    /// A link without delay shows no round trip.
    @Test(
        "Without a timeout a message waits for twenty round trips, at least 5 s; unmeasured 10 s",
        arguments: [(0, 10_000), (50, 5_000), (400, 16_000)])
    func timeout(_ delay: Int, _ milliseconds: Int) async throws {
        let pair = try await Self.pair(.milliseconds(delay))
        let before = pair.elapsed
        let outcome = try await pair.run { try await pair.phone.sendMessage([1]) }
        let took = pair.elapsed - before
        guard case .unknown = outcome else {
            Issue.record("nobody answers: \(outcome)")
            return
        }
        let expected = Duration.milliseconds(milliseconds)
        #expect(took >= expected - .milliseconds(100) && took <= expected + .milliseconds(100))
        await pair.close()
    }

    @Test(
        "A dead idle link is noticed with a keep-alive, and not without", arguments: [true, false])
    func deadIdleLink(_ isKeptAlive: Bool) async throws {
        var options = TestPair.Options()
        options.keepAliveInterval = isKeptAlive ? .seconds(60) : nil
        let pair = try await Self.pair(options)
        pair.link.blackOut(for: .seconds(1000))
        try await pair.run(for: .seconds(30))
        #expect(pair.phone.state.isReachable && pair.watch.state.isReachable)
        // The interval and 10 s, after the last packet before the blackout.
        try await pair.run(for: .seconds(41))
        #expect(pair.phone.state.isReachable == !isKeptAlive)
        #expect(pair.watch.state.isReachable == !isKeptAlive)
        await pair.close()
    }

    @Test("A change of high priority leaves at once, with the changes that wait")
    func highPriority() async throws {
        let pair = try await Self.pair(.milliseconds(60))
        let arrived = Mutex<[UInt8]>([])
        pair.watch.apply(UserInfo.self) { info, _ in
            arrived.withLock { $0 += info.value.bytes }
        }
        func packets() -> UInt64 { pair.link.packetsSent(by: .phone) }
        let before = packets()
        for number in 0..<5 as Range<UInt8> { try pair.phone.send(UserInfo([number])) }
        #expect(packets() == before + 2, "the later ones wait")
        try pair.phone.send(UserInfo([5]))
        #expect(packets() == before + 2)
        try pair.phone.send(UserInfo([6]), SendOptions(priority: .high))
        #expect(packets() == before + 3)
        try await pair.run(for: .milliseconds(60))
        #expect(arrived.withLock { $0 } == [0, 1, 2, 3, 4, 5, 6])
        await pair.close()
    }

    @Test("Records of low priority leave when no others wait")
    func lowPriority() async throws {
        var options = TestPair.Options()
        options.conditions.delay = .milliseconds(20)
        options.conditions.bitsPerSecond = 200_000
        let pair = try await Self.pair(options)
        let arrived = Mutex<[UInt8]>([])
        pair.watch.apply(UserInfo.self) { info, _ in
            arrived.withLock { $0.append(info.value.bytes[0]) }
        }
        let rest = [UInt8](repeating: 0, count: 20_000)
        var last: Transfer?
        for number in 0..<10 as Range<UInt8> {
            last = try pair.phone.send(UserInfo([number] + rest), SendOptions(priority: .low))
        }
        try await pair.run(for: .seconds(1))
        let normal = try pair.phone.send(UserInfo([99]))
        #expect(try await pair.run { try await normal.outcome() } == .reached(.applied))
        let before = arrived.withLock { $0 }
        #expect(before.contains(99) && before.count < 6)
        let transfer = try #require(last)
        #expect(try await pair.run { try await transfer.outcome() } == .reached(.applied))
        #expect(arrived.withLock { $0 }.filter { $0 != 99 } == Array(0..<10))
        await pair.close()
    }

    @Test func a_list_that_is_one_item_passes_user_info_of_low_priority() async throws {
        var options = TestPair.Options()
        options.conditions = .bluetoothLowEnergy
        let pair = try await Self.pair(options)
        let arrived = Mutex((infos: 0, lists: [WholeList](), infosBeforeList: 0))
        pair.watch.apply(UserInfo.self) { _, _ in arrived.withLock { $0.infos += 1 } }
        pair.watch.apply(WholeList.self) { list, _ in
            arrived.withLock { arrived in
                arrived.lists.append(list.value)
                arrived.infosBeforeList = arrived.infos
            }
        }
        // At 700 kbit/s these take 3.4 s at least.
        let info = UserInfo([UInt8](repeating: 7, count: 1_000))
        let infos = try (0..<300).map { _ in
            try pair.phone.send(info, SendOptions(priority: .low))
        }
        try await pair.run(for: .milliseconds(200))
        let list = WholeList((1...200).map { LightweightMedication.example($0) })
        #expect(try list.encoded().count > 5_000)
        let before = pair.elapsed
        let transfer = try pair.phone.send(list, SendOptions(priority: .high))
        #expect(try await pair.run { try await transfer.outcome() } == .reached(.applied))
        #expect(pair.elapsed - before < .seconds(2))
        let outcomes = try await pair.run {
            var outcomes: Set<TransferOutcome> = []
            for transfer in infos { outcomes.insert(try await transfer.outcome()) }
            return outcomes
        }
        #expect(outcomes == [.reached(.applied)])
        let end = arrived.withLock { $0 }
        #expect(end.lists == [list] && end.infos == 300 && end.infosBeforeList < 150)
        await pair.close()
    }

    @Test("A status of the other application is reported once, and each other one")
    func status() async throws {
        let pair = try await Self.pair(.milliseconds(20))
        let reported = Mutex<[AppStatus]>([])
        let events = pair.phone.events()
        let reading = Task {
            for await case .counterpart(let status) in events {
                reported.withLock { $0.append(status) }
            }
        }
        let (one, other) = (AppStatus(capabilities: ["refill"]), AppStatus(isForeground: false))
        for status in [one, one, other] {
            try pair.watch.report(status)
            try await pair.run(for: .seconds(1))
            #expect(pair.phone.state.counterpart == status)
        }
        await pair.close()
        // The sequence ends with the session, after all that was reported.
        await reading.value
        #expect(reported.withLock { $0 } == [one, other])
    }

    @Test(
        "The quality of the link says how many messages of low priority wait at once",
        arguments: [
            (300, LinkQuality.poor, 1), (150, .moderate, 2), (50, .good, 4), (10, .excellent, 6),
        ])
    func requestsAtOnce(_ delay: Int, _ quality: LinkQuality, _ few: Int) async throws {
        let pair = try await Self.pair(.milliseconds(delay))
        #expect(pair.phone.state.linkQuality == quality)
        let messages = pair.watch.messages()
        let answering = Task { for await message in messages { try? message.reply(message.body) } }
        for (priority, most) in [(TransferPriority.low, few), (.high, 8)] {
            let phone = pair.phone
            let asking = Task {
                await withTaskGroup(of: MessageOutcome?.self) { group in
                    for number in 0..<8 as Range<UInt8> {
                        group.addTask { try? await phone.sendMessage([number], priority: priority) }
                    }
                    return await group.reduce(into: 0) { count, outcome in
                        if case .reply = outcome { count += 1 }
                    }
                }
            }
            // They have left before time passes.
            var highest = 0
            for _ in 0..<5000 where highest < most {
                try await Task.sleep(for: .milliseconds(1))
                highest = phone.state.outstandingTransfers.count
            }
            for _ in 0..<1000 {
                try await pair.run(for: .milliseconds(10))
                highest = max(highest, phone.state.outstandingTransfers.count)
            }
            #expect(await asking.value == 8)
            #expect(highest == most, "\(priority)")
        }
        answering.cancel()
        await pair.close()
    }
}

/// A list of medications that is one value, of which the newest counts.
private struct WholeList: CompanionRecord, Hashable {
    var medications: [LightweightMedication]
    static let kind = ContentKind(rawValue: 64)
    static let delivery = RecordDelivery.latestValue
    var valueKey: RecordKey? { RecordKey(rawValue: 1 << 64) }

    init(_ medications: [LightweightMedication]) { self.medications = medications }

    func encoded() throws(EncodingRefusal) -> [UInt8] {
        var bytes: [UInt8] = []
        for medication in medications {
            // At most 200 bytes.
            let own = try medication.encoded()
            bytes.append(UInt8(own.count))
            bytes += own
        }
        return bytes
    }

    init(decoding bytes: [UInt8], key: RecordKey?) throws(WireError) {
        medications = []
        var rest = bytes[...]
        while let count = rest.popFirst() {
            let own = Array(rest.prefix(Int(count)))
            medications.append(try LightweightMedication(decoding: own))
            rest = rest.dropFirst(Int(count))
        }
    }
}

extension LightweightMedication {
    fileprivate static func example(_ number: UInt32) -> LightweightMedication {
        LightweightMedication(
            id: MedicationID(rawValue: UInt128(number)), name: "Medicine \(number)",
            dosage: Dosage(strength: "100 mg"), updatedAt: WallTime(milliseconds: 0))
    }
}
