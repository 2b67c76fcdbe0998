import Locks
import Testing
import WatchProto
import WatchProtoTesting

/// Complications as the planner lets them leave, over a link in memory (article *Planned
/// complications*).
@Suite(.timeLimit(.minutes(1))) struct PlannedComplicationTests {
    /// A pair with a session, whose watch takes the states.
    private static func pair(in directory: String? = nil) async throws -> TestPair {
        var options = TestPair.Options()
        options.directory = directory
        let pair = try await TestPair(options)
        watch(pair)
        try await pair.run(for: .seconds(1))
        #expect(pair.phone.state.isReachable)
        return pair
    }

    private static func watch(_ pair: TestPair) { pair.watch.apply(ShownState.self) { _, _ in } }

    private static func state(_ number: Int) -> ComplicationState {
        ComplicationState(name: "state \(number)", total: 4)
    }

    @discardableResult
    private static func update(
        _ pair: TestPair, _ number: Int, at place: ComplicationID = .main,
        _ cause: UpdateCause = .urgentChange
    ) throws -> String {
        try pair.phone.complications.update(state(number), for: place, cause: cause).reason
    }

    private static func reasons(
        _ pair: TestPair, _ place: ComplicationID = .main
    ) -> [String] { pair.phone.complications.why(place).map(\.reason) }

    @Test("250 updates for an unreachable watch cost nothing, and the newest is shown")
    func offline() async throws {
        let pair = try await Self.pair()
        await pair.link.cut()
        for number in 0..<250 { try Self.update(pair, number) }
        let newest = try pair.phone.complications.update(Self.state(250))
        pair.link.restore()
        let transfer = try #require(newest.transfer)
        let outcome = try await pair.run { try await transfer.outcome() }
        #expect(outcome == .reached(.applied))
        #expect(pair.phone.complications.remainingPushes == 50)
        #expect(Set(Self.reasons(pair)) == ["unreachable"])
        await pair.close()
    }

    @Test("The count of pushes survives a restart, in memory and in a file", arguments: [0, 1])
    func restart(hasFile: Int) async throws {
        let folder = try Folder()
        let pair = try await Self.pair(in: hasFile == 1 ? folder.path : nil)
        for number in 0..<3 {
            #expect(try Self.update(pair, number) == "pushed")
            try await pair.run(for: .seconds(1))
        }
        #expect(pair.phone.complications.remainingPushes == 47)
        try await pair.restart(.phone)
        #expect(pair.phone.complications.remainingPushes == 47)
        try await pair.run(for: .seconds(5))
        #expect(try Self.update(pair, 9) == "pushed")
        // A day later by both clocks.
        try await pair.run(for: .seconds(25 * 3600))
        #expect(pair.phone.complications.remainingPushes == 50)
        await pair.close()
    }

    @Test("A burst in the background: the first at once, the last within 500 ms, few pushes")
    func burst() async throws {
        let pair = try await Self.pair()
        let shown = pair.watch.deliveries(of: ShownState.self)
        let isDone = Atomic(false)
        let names = Task {
            defer { isDone.store(true, ordering: .releasing) }
            var names: [String] = []
            for await delivery in shown {
                names.append(delivery.value.state.name)
                delivery.accept()
                if names.last == "state 99" { break }
            }
            return names
        }
        for number in 0..<100 {
            let reason = try Self.update(pair, number)
            #expect(reason == (number == 0 ? "pushed" : "waiting"), "\(number)")
            if number < 99 { try await pair.run(for: .milliseconds(10)) }
        }
        try await pair.run(for: .milliseconds(600))
        #expect(pair.phone.complications.remainingPushes == 47)
        // The task that accepts them runs in real time.
        while !isDone.load(ordering: .acquiring) { try await pair.run(for: .milliseconds(1)) }
        #expect(await names.value.last == "state 99")
        #expect(Self.reasons(pair).filter { $0 == "merged" }.count == 97)
        await pair.close()
    }

    @Test("In the foreground updates are free; the watch tells so again in each session")
    func foreground() async throws {
        let pair = try await Self.pair()
        try pair.watch.report(AppStatus(isForeground: true))
        try await pair.run(for: .seconds(1))
        for number in 0..<60 { #expect(try Self.update(pair, number) == "foreground") }
        await pair.link.cut()
        pair.link.restore()
        try await pair.run(for: .seconds(10))
        #expect(try Self.update(pair, 60) == "foreground")
        try pair.watch.report(AppStatus(isForeground: false))
        try await pair.run(for: .seconds(1))
        #expect(try Self.update(pair, 61) == "pushed")
        #expect(pair.phone.complications.remainingPushes == 49)
        await pair.close()
    }

    @Test("The phone hears whether the face in use shows a complication")
    func enabled() async throws {
        let pair = try await Self.pair()
        #expect(pair.phone.complications.isComplicationEnabled)
        for places in [[], [.main], nil] as [Set<ComplicationID>?] {
            try pair.watch.report(AppStatus(isForeground: false, activePlaces: places))
            try await pair.run(for: .seconds(1))
            #expect(pair.phone.complications.isComplicationEnabled == (places != []))
        }
        await pair.close()
    }

    @Test("An update that waits leaves with a durable record, and costs nothing")
    func riding() async throws {
        let pair = try await Self.pair()
        pair.watch.apply(UserInfo.self) { _, _ in }
        try Self.update(pair, 0, .change)
        try await pair.run(for: .seconds(1))
        #expect(try Self.update(pair, 1, .change) == "waiting")
        try await pair.run(for: .seconds(60))
        #expect(Self.reasons(pair) == ["pushed", "waiting"])
        let transfer = try pair.phone.send(UserInfo([1]))
        _ = try await pair.run { try await transfer.outcome() }
        #expect(Self.reasons(pair) == ["pushed", "riding"])
        #expect(pair.phone.complications.remainingPushes == 49)
        await pair.close()
    }

    @Test("An update shown by the watch itself, or below its threshold, is dropped (P-5)")
    func dropped() async throws {
        let pair = try await Self.pair()
        let phone = pair.phone
        let (face, later) = (Self.state(0), Self.state(1))
        let closed = try phone.complications.update(face)
        try await pair.run(for: .seconds(5))
        let moved = try phone.complications.update(later, cause: .passingTime)
        let small = try phone.complications.update(later, cause: .change, change: 2, threshold: 5)
        #expect(
            [closed, moved, small].map(\.reason) == ["pushed", "shownByTimeline", "belowThreshold"])
        #expect(try Self.update(pair, 1, .watchEvent) == "ownEvent")
        #expect(moved.transfer == nil && small.transfer == nil)
        // An update that waits would undo them: they take its place.
        #expect(try Self.update(pair, 2, .change) == "pushed")
        try await pair.run(for: .seconds(5))
        #expect(try Self.update(pair, 3, .change) == "waiting")
        #expect(try Self.update(pair, 4, .passingTime) == "waiting")
        let reasons = Self.reasons(pair)
        #expect(reasons.suffix(2) == ["merged", "waiting"] && reasons.count == 7)
        #expect(phone.complications.remainingPushes == 48)
        await pair.close()
    }

    @Test(
        "A state that the watch left by itself leaves again, also after a restart",
        arguments: [UpdateCause.watchEvent, .passingTime], [false, true])
    func reverted(cause: UpdateCause, hasRestart: Bool) async throws {
        let pair = try await Self.pair()
        let shown = Mutex<[String]>([])
        pair.watch.apply(ShownState.self) { received, _ in
            shown.withLock { $0.append(received.value.state.name) }
        }
        #expect(try Self.update(pair, 0) == "pushed")
        try await pair.run(for: .seconds(5))
        #expect(try Self.update(pair, 1, cause) == Self.word(cause))
        try await pair.run(for: .seconds(5))
        if hasRestart {
            try await pair.restart(.phone)
            try await pair.run(for: .seconds(5))
        }
        // An undo on the phone: the state is the one that left last, and the watch shows another.
        #expect(try Self.update(pair, 0) == "pushed")
        try await pair.run(for: .seconds(5))
        // The state between them may leave first: the watch shows it anyway.
        let names = shown.withLock { $0 }
        #expect(names.first == "state 0" && names.last == "state 0" && names.count >= 2)
        #expect(Set(names).isSubset(of: ["state 0", "state 1"]))
        #expect(try Self.update(pair, 0) == "equal")
        #expect(pair.phone.complications.remainingPushes == 48)
        await pair.close()
    }

    private static func word(_ cause: UpdateCause) -> String {
        cause == .watchEvent ? "ownEvent" : "shownByTimeline"
    }

    @Test(
        "An older state that is queued does not undo what the watch shows by itself",
        arguments: [UpdateCause.watchEvent, .passingTime, .change])
    func olderUnderWay(cause: UpdateCause) async throws {
        let pair = try await Self.pair()
        let shown = Mutex<[String]>([])
        pair.watch.apply(ShownState.self) { received, _ in
            shown.withLock { $0.append(received.value.state.name) }
        }
        await pair.link.cut()
        #expect(try Self.update(pair, 0) == "unreachable")
        let newer = try pair.phone.complications.update(
            Self.state(1), cause: cause, change: 1, threshold: 2)
        #expect(newer.reason == "unreachable" && newer.transfer != nil)
        pair.link.restore()
        try await pair.run(for: .seconds(30))
        #expect(shown.withLock { $0 } == ["state 1"])
        #expect(pair.phone.complications.remainingPushes == 50)
        await pair.close()
    }

    @Test("A routine update is pushed when its moment comes")
    func moment() async throws {
        let pair = try await Self.pair()
        for number in 0..<2 { try Self.update(pair, number, .change) }
        try await pair.run(for: .seconds(23 * 60))
        #expect(Self.reasons(pair) == ["pushed", "waiting"])
        try await pair.run(for: .seconds(3 * 60))
        #expect(Self.reasons(pair) == ["pushed", "pushed"])
        await pair.close()
    }

    @Test("An update that equals one that waits has no transfer yet")
    func equalToWaiting() async throws {
        let pair = try await Self.pair()
        #expect(try Self.update(pair, 0, .change) == "pushed")
        #expect(try Self.update(pair, 1, .change) == "waiting")
        let equal = try pair.phone.complications.update(Self.state(1), cause: .change)
        #expect(equal.reason == "equal" && equal.transfer == nil, "state 0 is another state")
        try await pair.run(for: .seconds(26 * 60))
        #expect(Self.reasons(pair) == ["pushed", "pushed", "equal"])
        let arrived = try pair.phone.complications.update(Self.state(1), cause: .change)
        #expect(arrived.reason == "equal" && arrived.transfer != nil)
        await pair.close()
    }

    @Test("An update that waits survives the end of the process", arguments: [0, 1])
    func waitingSurvives(hasFile: Int) async throws {
        let folder = try Folder()
        let pair = try await Self.pair(in: hasFile == 1 ? folder.path : nil)
        for number in 0..<2 { try Self.update(pair, number, .change) }
        try await pair.run(for: .seconds(1))
        try await pair.restart(.phone)
        try await pair.run(for: .seconds(5))
        let equal = try pair.phone.complications.update(Self.state(1))
        #expect(equal.reason == "equal" && pair.phone.complications.remainingPushes == 49)
        let transfer = try #require(equal.transfer)
        let outcome = try await pair.run { try await transfer.outcome() }
        #expect(outcome == .reached(.applied))
        await pair.close()
    }

    @Test("A place that the face does not show waits until the face shows it")
    func inactive() async throws {
        let pair = try await Self.pair()
        let other = ComplicationID(rawValue: 7)
        try pair.watch.report(AppStatus(isForeground: false, activePlaces: [.main]))
        try await pair.run(for: .seconds(1))
        #expect(try Self.update(pair, 0, at: other) == "inactive")
        #expect(try Self.update(pair, 1) == "pushed")
        try await pair.run(for: .seconds(60))
        try pair.watch.report(AppStatus(isForeground: false, activePlaces: [.main, other]))
        try await pair.run(for: .seconds(1))
        let equal = try pair.phone.complications.update(Self.state(0), for: other)
        #expect(equal.reason == "equal" && equal.transfer != nil)
        #expect(pair.phone.complications.remainingPushes == 49)
        await pair.close()
    }

    @Test("The platform's count overrides the own one")
    func platform() async throws {
        let pair = try await Self.pair()
        pair.phone.complications.report(remainingPushes: 1)
        #expect(try Self.update(pair, 0) == "pushed")
        #expect(try Self.update(pair, 1) == "demoted")
        #expect(pair.phone.complications.remainingPushes == 0)
        await pair.close()
    }
}
