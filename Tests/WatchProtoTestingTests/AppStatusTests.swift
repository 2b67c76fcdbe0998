import Testing
import WatchProto
import WatchProtoTesting

/// The status of one application at the other, and its effects.
@Suite(.timeLimit(.minutes(1))) struct AppStatusTests {
    private static func pair(_ delay: Duration = .milliseconds(20)) async throws -> TestPair {
        let pair = try await TestPair()
        pair.link.conditions.delay = delay
        try await pair.run(for: .seconds(2))
        #expect(pair.phone.state.isReachable && pair.watch.state.isReachable)
        return pair
    }

    /// Answers each message with its capability and its body.
    private static func answer(_ session: CompanionSession) -> Task<Void, Never> {
        let messages = session.messages()
        return Task {
            for await message in messages {
                try? message.reply(Array((message.capability ?? "-").utf8) + message.body)
            }
        }
    }

    @Test func a_message_to_a_capability_goes_where_it_is_answered() async throws {
        let pair = try await Self.pair()
        let answering = Self.answer(pair.watch)
        let before = try await pair.run { try await pair.phone.sendMessage([1], to: "refill") }
        guard case .notDelivered = before else { throw TestFailure("\(before)") }
        try pair.watch.report(AppStatus(capabilities: ["refill", "count"]))
        try await pair.run(for: .seconds(1))
        #expect(pair.phone.state.counterpart?.capabilities == ["refill", "count"])
        let reply = try await pair.run { try await pair.phone.sendMessage([1], to: "refill") }
        #expect(reply == .reply(Array("refill".utf8) + [1]))
        let plain = try await pair.run { try await pair.phone.sendMessage([2]) }
        #expect(plain == .reply([UInt8(ascii: "-"), 2]))
        let other = try await pair.run { try await pair.phone.sendMessage([1], to: "other") }
        guard case .notDelivered = other else { throw TestFailure("\(other)") }
        answering.cancel()
        await pair.close()
    }

    /// The status of a new session is under way when the link opens: the other library decides.
    @Test func a_message_to_a_capability_need_not_wait_for_the_status() async throws {
        let pair = try await Self.pair(.milliseconds(400))
        let answering = Self.answer(pair.watch)
        try pair.watch.report(AppStatus(capabilities: ["refill"]))
        try await pair.run(for: .seconds(2))
        await pair.link.cut()
        pair.link.restore()
        for _ in 0..<1000 where !pair.phone.state.isReachable {
            try await pair.run(for: .milliseconds(10))
        }
        #expect(pair.phone.state.counterpart == nil)
        let reply = try await pair.run { try await pair.phone.sendMessage([1], to: "refill") }
        #expect(reply == .reply(Array("refill".utf8) + [1]))
        answering.cancel()
        await pair.close()
    }

    /// The status is under way while the message is: that is refused there, and not delivered.
    @Test func a_capability_that_was_withdrawn_meanwhile_delivers_nothing() async throws {
        let pair = try await Self.pair(.milliseconds(400))
        let answering = Self.answer(pair.watch)
        try pair.watch.report(AppStatus(capabilities: ["refill"]))
        try await pair.run(for: .seconds(2))
        try pair.watch.report(AppStatus())
        try await pair.run(for: .milliseconds(100))
        #expect(pair.phone.state.counterpart?.capabilities == ["refill"])
        let outcome = try await pair.run { try await pair.phone.sendMessage([1], to: "refill") }
        guard case .notDelivered = outcome else { throw TestFailure("\(outcome)") }
        #expect(pair.phone.state.counterpart?.capabilities == [])
        answering.cancel()
        await pair.close()
    }

    @Test func a_status_is_sent_again_in_each_session_and_ends_with_the_process() async throws {
        let pair = try await Self.pair()
        let status = AppStatus(isForeground: false, capabilities: ["a"])
        try pair.phone.report(status)
        try await pair.run(for: .seconds(1))
        #expect(pair.watch.state.counterpart == status)
        await pair.link.cut()
        pair.link.restore()
        try await pair.run(for: .seconds(10))
        #expect(pair.watch.state.counterpart == status)
        try await pair.restart(.phone)
        try await pair.run(for: .seconds(10))
        #expect(pair.watch.state.isReachable && pair.watch.state.counterpart == nil)
        await pair.close()
    }

    @Test func a_task_drains_what_both_devices_have_and_then_completes() async throws {
        let pair = try await Self.pair()
        await pair.link.cut()
        for number in 0..<3 as Range<UInt8> {
            try pair.phone.send(UserInfo([number]))
            try pair.watch.send(ApplicationContext([number]))
        }
        var before = pair.elapsed
        #expect(try await pair.run { try await pair.phone.drain(within: .seconds(25)) } == false)
        #expect(pair.elapsed - before == .seconds(25))
        pair.link.restore()
        // The watch takes nothing yet: on the watch content is pending, and the phone is done when
        // the context of the watch is taken.
        #expect(try await pair.run { try await pair.phone.drain(within: .seconds(5)) } == false)
        #expect(pair.phone.state.hasContentPending && pair.watch.state.hasContentPending)
        pair.phone.apply(ApplicationContext.self) { _, _ in }
        before = pair.elapsed
        #expect(try await pair.run { try await pair.phone.drain() })
        #expect(pair.elapsed - before < .seconds(2) && !pair.phone.state.hasContentPending)
        #expect(try await pair.run { try await pair.watch.drain(within: .seconds(1)) } == false)
        pair.watch.apply(UserInfo.self) { _, _ in }
        #expect(try await pair.run { try await pair.watch.drain() })
        await pair.close()
    }

    @Test func a_drain_ends_with_its_session_and_with_its_task() async throws {
        let pair = try await Self.pair()
        await pair.link.cut()
        try pair.phone.send(UserInfo([1]))
        let phone = pair.phone
        let waiting = Task { try await phone.drain(within: .seconds(1_000_000)) }
        let cancelled = Task { try await phone.drain(within: .seconds(1_000_000)) }
        try await pair.run(for: .seconds(3))
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        await pair.close()
        #expect(try await waiting.value == false)
    }

    /// The packets of the phone for 100 changes, 10 ms apart, over Bluetooth.
    private static func packets(isForeground: Bool) async throws -> UInt64 {
        let pair = try await TestPair()
        pair.link.conditions = .bluetoothLowEnergy
        pair.watch.apply(UserInfo.self) { _, _ in }
        try pair.phone.report(AppStatus(isForeground: isForeground))
        try await pair.run(for: .seconds(5))
        let before = pair.link.packetsSent(by: .phone)
        var last: Transfer?
        for number in 0..<100 as Range<UInt8> {
            last = try pair.phone.send(UserInfo([number] + [UInt8](repeating: 0, count: 29)))
            try await pair.run(for: .milliseconds(10))
        }
        let transfer = try #require(last)
        let outcome = try await pair.run { try await transfer.outcome() }
        #expect(outcome == .reached(.applied))
        try await pair.run(for: .seconds(5))
        await pair.close()
        return pair.link.packetsSent(by: .phone) - before
    }

    /// In the foreground none of them waits longer than a quarter of a round trip.
    @Test func a_background_application_needs_few_packets_for_many_changes() async throws {
        let foreground = try await Self.packets(isForeground: true)
        let background = try await Self.packets(isForeground: false)
        print("packets for 100 changes in a second: \(foreground), in the background \(background)")
        #expect(foreground <= 80 && background <= 15)
    }

    @Test func the_state_has_the_evidence_and_the_quality_of_the_link() async throws {
        let pair = try await Self.pair(.milliseconds(60))
        pair.watch.apply(UserInfo.self) { _, _ in }
        for number in 0..<20 as Range<UInt8> {
            try pair.phone.send(UserInfo([number]))
            try await pair.run(for: .milliseconds(500))
        }
        var state = pair.phone.state
        #expect(state.linkQuality == .good)
        #expect(state.evidence?.cause == "sessionActivated" && state.evidence?.flapCount == 0)
        #expect(try #require(state.evidence?.sinceAnswered) < .seconds(1))
        await pair.link.cut()
        try await pair.run(for: .seconds(5))
        state = pair.phone.state
        #expect(!state.isReachable && state.evidence?.cause == "linkDown")
        #expect(try #require(state.evidence?.sinceHeard) >= .seconds(5))
        await pair.close()
    }

    @Test func a_context_is_read_without_a_link_and_after_a_restart() async throws {
        let pair = try await Self.pair()
        #expect(pair.phone.applicationContext == nil)
        pair.watch.apply(ApplicationContext.self) { _, _ in }
        try pair.phone.send(ApplicationContext([1]))
        try await pair.run(for: .seconds(1))
        await pair.link.cut()
        try pair.phone.send(ApplicationContext([2]))
        for _ in 0..<2 {
            #expect(pair.phone.applicationContext == ApplicationContext([2]))
            #expect(pair.phone.receivedApplicationContext == nil)
            #expect(pair.watch.receivedApplicationContext == ApplicationContext([1]))
            try await pair.restart(.phone)
            try await pair.restart(.watch)
        }
        await pair.close()
    }
}

/// An outcome that a test did not expect.
private struct TestFailure: Error {
    var text: String
    init(_ text: String) { self.text = text }
}
