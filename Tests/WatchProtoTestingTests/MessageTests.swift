import Locks
import Testing
import WatchProto
import WatchProtoTesting

/// Messages that meet the end of a link, or a restart of a device.
@Suite(.timeLimit(.minutes(2))) struct MessageTests {
    private static func pair(
        _ delay: Duration = .milliseconds(400), in directory: String? = nil
    ) async throws -> TestPair {
        var options = TestPair.Options()
        options.conditions.delay = delay
        options.directory = directory
        let pair = try await TestPair(options)
        try await pair.run(for: .seconds(10))
        try #require(pair.phone.state.isReachable && pair.watch.state.isReachable)
        return pair
    }

    /// Waits for a task of the test, while the time of the test stands still.
    private static func wait(_ condition: () -> Bool) async throws {
        for _ in 0..<5000 where !condition() { try await Task.sleep(for: .milliseconds(1)) }
        let holds = condition()
        try #require(holds)
    }

    /// Lets time pass until a condition holds.
    private static func run(_ pair: TestPair, until condition: () -> Bool) async throws {
        for _ in 0..<1200 where !condition() { try await pair.run(for: .milliseconds(100)) }
        let holds = condition()
        try #require(holds)
    }

    /// A message under way, and the call that waits for its end.
    private struct Asked {
        var id: TransferID
        var call: Task<MessageOutcome, any Error>
        /// Its number among the messages of its process.
        var number: Substring { "\(id)".prefix { $0 != " " } }
    }

    /// Sends a message, which has left when this returns.
    private static func ask(
        _ session: CompanionSession, _ body: [UInt8], timeout: Duration = .seconds(300)
    ) async throws -> Asked {
        let before = Set(session.state.outstandingTransfers)
        let call = Task { try await session.sendMessage(body, timeout: timeout) }
        var new: TransferID?
        try await wait {
            new = session.state.outstandingTransfers.first { !before.contains($0) }
            return new != nil
        }
        return Asked(id: try #require(new), call: call)
    }

    @Test("A reply to an application that was restarted is refused, and answers no other message")
    func restartedAsker() async throws {
        let pair = try await Self.pair(.milliseconds(20))
        let given = Given(pair.watch)
        // More than one: the libraries have messages of their own, which count.
        var former: [Asked] = []
        for number in 0..<8 as Range<UInt8> {
            former.append(try await Self.ask(pair.phone, [number]))
        }
        try await pair.run(for: .seconds(1))
        try await Self.wait { given.messages.count == 8 }
        let late = given.messages
        try await pair.restart(.phone)
        for asked in former {
            guard case .unknown(asked.id, _) = try await asked.call.value else {
                throw UnexpectedOutcome(text: "\(asked.id)")
            }
        }
        try await Self.run(pair) { pair.phone.state.isReachable && pair.watch.state.isReachable }
        var present: [Asked] = []
        for number in 0..<8 as Range<UInt8> {
            present.append(try await Self.ask(pair.phone, [number]))
        }
        let numbers = Set(former.map(\.number)).intersection(present.map(\.number))
        #expect(!numbers.isEmpty, "none of the numbers is used again")
        for message in late {
            #expect(throws: Refusal.notTaken(.notReachable)) { try message.reply([99]) }
        }
        try await pair.run(for: .seconds(1))
        try await Self.wait { given.messages.count == 16 }
        for message in given.messages.dropFirst(8) { try message.reply(message.body) }
        for (number, asked) in present.enumerated() {
            #expect(try await pair.run { try await asked.call.value } == .reply([UInt8(number)]))
        }
        await pair.close()
    }

    /// Half a second later the watch has the message, and the phone does not know; later it does.
    @Test(
        "A reply that is refused without a link is taken over the next one, and ends the call",
        arguments: [500, 1500])
    func replyAfterReconnection(_ milliseconds: Int) async throws {
        let pair = try await Self.pair()
        let given = Given(pair.watch)
        let asked = try await Self.ask(pair.phone, [1])
        try await pair.run(for: .milliseconds(milliseconds))
        try await Self.wait { given.messages.count == 1 }
        let message = given.messages[0]
        await pair.link.cut()
        for _ in 0..<2 {
            #expect(throws: Refusal.notTaken(.notReachable)) { try message.reply([2]) }
        }
        pair.link.restore()
        try await Self.run(pair) { pair.phone.state.isReachable && pair.watch.state.isReachable }
        try message.reply([2])
        #expect(try await pair.run { try await asked.call.value } == .reply([2]))
        #expect(throws: Refusal.answered) { try message.reply([3]) }
        #expect(given.messages.count == 1)
        await pair.close()
    }

    @Test("A reply that is lost with its link arrives over the next one")
    func lostReply() async throws {
        let pair = try await Self.pair()
        let given = Given(pair.watch)
        let asked = try await Self.ask(pair.phone, [1])
        try await pair.run(for: .milliseconds(500))
        try await Self.wait { given.messages.count == 1 }
        try given.messages[0].reply([2])
        // Twice, because the second loss is that of another record.
        for _ in 0..<2 {
            try await pair.run(for: .milliseconds(100))
            await pair.link.cut()
            pair.link.restore()
            try await Self.run(pair) { pair.watch.state.activation == .activated }
        }
        #expect(try await pair.run { try await asked.call.value } == .reply([2]))
        await pair.close()
    }

    @Test("An outcome that the session knew before the call ended is told after it")
    func toldAfterTheCall() async throws {
        let pair = try await Self.pair(.milliseconds(20))
        let given = Given(pair.watch)
        let settled = Mutex<[TransferOutcome]>([])
        let events = pair.phone.events()
        let asked = try await Self.ask(pair.phone, [1], timeout: .seconds(5))
        let reading = Task {
            for await case .settled(asked.id, let outcome) in events {
                settled.withLock { $0.append(outcome) }
            }
        }
        // The reader has the message, and does not answer.
        try await pair.run(for: .seconds(1))
        try await Self.wait { given.messages.count == 1 && settled.withLock { !$0.isEmpty } }
        settled.withLock { $0 = [] }
        try await pair.run(for: .seconds(5))
        guard case .unknown(asked.id, _) = try await asked.call.value else {
            throw UnexpectedOutcome(text: "\(asked.id)")
        }
        try await Self.wait { settled.withLock { $0 == [.reached(.applied)] } }
        #expect(pair.phone.outcome(of: asked.id) == .reached(.applied))
        await pair.close()
        await reading.value
    }

    @Test("Without a link a call ends at its deadline")
    func deadline() async throws {
        let pair = try await Self.pair()
        let before = pair.elapsed
        let asked = try await Self.ask(pair.phone, [1], timeout: .seconds(30))
        try await pair.run(for: .milliseconds(100))
        await pair.link.cut()
        let outcome = try await pair.run { try await asked.call.value }
        guard case .unknown(asked.id, _) = outcome else {
            throw UnexpectedOutcome(text: "\(outcome)")
        }
        let took = pair.elapsed - before
        #expect(took >= .seconds(30) && took < .seconds(31))
        await pair.close()
    }

    @Test("A call ends when the other device says that the message did not arrive")
    func missing() async throws {
        let pair = try await Self.pair()
        let given = Given(pair.watch)
        let asked = try await Self.ask(pair.phone, [1], timeout: .seconds(3600))
        try await pair.run(for: .milliseconds(100))
        let before = pair.elapsed
        await pair.link.cut()
        pair.link.restore()
        let outcome = try await pair.run { try await asked.call.value }
        guard case .notDelivered = outcome else { throw UnexpectedOutcome(text: "\(outcome)") }
        #expect(pair.elapsed - before < .seconds(60) && given.messages.isEmpty)
        await pair.close()
    }

    /// The course of a message whose outcome is unknown at first.
    struct Case: Sendable, CustomTestStringConvertible {
        /// The devices that are restarted before they meet again.
        var restarted: [DeviceRole]
        /// Whether the watch was given the message.
        var wasGiven: Bool
        var isInFiles: Bool
        var testDescription: String {
            "\(restarted) restarted, given: \(wasGiven), in files: \(isInFiles)"
        }

        static let restarts: [[DeviceRole]] = [[], [.phone], [.watch], [.watch, .phone]]
        static let all: [Case] = restarts.flatMap { restarted in
            [(true, true), (true, false), (false, true), (false, false)].map {
                Case(restarted: restarted, wasGiven: $0.0, isInFiles: $0.1)
            }
        }
    }

    @Test("An unknown outcome is learnt when the devices meet again", arguments: Case.all)
    func learnt(_ one: Case) async throws {
        let folder = try Folder()
        let pair = try await Self.pair(in: one.isInFiles ? folder.path : nil)
        let given = Given(pair.watch)
        let asked = try await Self.ask(pair.phone, [1], timeout: .seconds(20))
        // It arrives after 400 ms, and the phone would know of that after 800 ms.
        try await pair.run(for: .milliseconds(one.wasGiven ? 500 : 100))
        if one.wasGiven { try await Self.wait { given.messages.count == 1 } }
        await pair.link.cut()
        let outcome = try await pair.run { try await asked.call.value }
        guard case .unknown(asked.id, _) = outcome else {
            throw UnexpectedOutcome(text: "\(outcome)")
        }
        #expect(pair.phone.outcome(of: asked.id) == .unknown)
        for role in one.restarted { try await pair.restart(role) }
        #expect(pair.phone.outcome(of: asked.id) == .unknown)
        let settled = Settled(pair.phone, asked.id)
        pair.link.restore()
        let learnt: TransferOutcome =
            one.wasGiven ? .reached(.applied) : .notApplied(.notDelivered)
        // A device that was started since may have been restored: it cannot deny a message.
        guard one.wasGiven || !one.restarted.contains(.watch) else {
            try await pair.run(for: .seconds(60))
            #expect(pair.phone.outcome(of: asked.id) == .unknown && settled.outcomes.isEmpty)
            return await pair.close()
        }
        try await Self.run(pair) { pair.phone.outcome(of: asked.id) == learnt }
        try await Self.wait { settled.outcomes == [learnt] }
        try await pair.restart(.phone)
        #expect(pair.phone.outcome(of: asked.id) == learnt)
        await pair.close()
    }

    @Test("A message that waits for its reader is no longer unknown when the reader has it")
    func waiting() async throws {
        let pair = try await Self.pair()
        let asked = try await Self.ask(pair.phone, [1], timeout: .seconds(20))
        try await pair.run(for: .milliseconds(500))
        await pair.link.cut()
        guard case .unknown = try await pair.run({ try await asked.call.value }) else {
            throw UnexpectedOutcome(text: "\(asked.id)")
        }
        pair.link.restore()
        try await Self.run(pair) { pair.phone.state.isReachable }
        try await pair.run(for: .seconds(30))
        #expect(pair.phone.outcome(of: asked.id) == .unknown)
        let given = Given(pair.watch)
        try await Self.run(pair) { pair.phone.outcome(of: asked.id) == .reached(.applied) }
        #expect(given.messages.count == 1)
        await pair.close()
    }
}

/// The messages that an application was given.
private final class Given: Sendable {
    private let state = Mutex<[ReceivedMessage]>([])
    var messages: [ReceivedMessage] { state.withLock { $0 } }

    init(_ session: CompanionSession) {
        let messages = session.messages()
        Task { [weak self] in
            for await message in messages { self?.state.withLock { $0.append(message) } }
        }
    }
}

/// The outcomes that events report of one record.
private final class Settled: Sendable {
    private let state = Mutex<[TransferOutcome]>([])
    var outcomes: [TransferOutcome] { state.withLock { $0 } }

    init(_ session: CompanionSession, _ id: TransferID) {
        let events = session.events()
        Task { [weak self] in
            for await case .settled(id, let outcome) in events {
                self?.state.withLock { $0.append(outcome) }
            }
        }
    }
}

/// An outcome that a test did not expect.
private struct UnexpectedOutcome: Error {
    var text: String
}
