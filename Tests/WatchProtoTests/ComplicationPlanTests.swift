import Locks
import Testing
import WatchProtoCore
import WatchProtoJournal

@testable import WatchProto
@testable import WatchProtoTransport

/// The bytes of the plan that outlives a process, and what the publisher does with it.
@Suite struct ComplicationPlanTests {
    @Test("A plan is read back with its pushes, its places and its updates; a cut one is refused")
    func plan() throws {
        let (now, wall) = (Instant(nanoseconds: 7), WallClock(time: WallTime(milliseconds: 5)))
        var plan = ComplicationPlan(.exhausted(at: now, wall))
        #expect(try ComplicationPlan(plan.bytes) == plan)
        plan.activePlaces = [3, 9]
        plan.waiting = [0: [1, 2, 3], 9: []]
        plan.shownThere = [9: [4]]
        let bytes = plan.bytes
        #expect(try ComplicationPlan(bytes) == plan)
        var whole = 0
        for end in bytes.indices where (try? ComplicationPlan(Array(bytes[..<end]))) != nil {
            whole += 1
        }
        // A plan without its last update, which does not wait, is a plan.
        #expect(whole == 1)
    }

    @Test("The platform of the watch sets the pushes of a day, before and in a session")
    func platforms() async throws {
        let folder = try Folder()
        for (platform, pushes) in [
            (.watchConnectivity, 50), (.widgetKit, 40), (.wear, 50),
        ] as [(ComplicationPlatform, Int)] {
            var options = folder.options(.phone, .inMemoryOnly)
            #expect(options.complicationPlatform == .watchConnectivity)
            options.complicationPlatform = platform
            let phone = try await CompanionSession(options)
            #expect(phone.complications.remainingPushes == pushes)
            await phone.close()
        }
        let publisher = ComplicationPublisher(
            .phone, MemoryPlans(), profile: .widgetKit, clock: HostClock.shared)
        publisher.begin(KeepingLink(), watch: 1)
        #expect(publisher.planner.profile == .widgetKit && publisher.planner.left == 40)
    }

    @Test("A plan that cannot be read leaves no push for a day")
    func unreadable() throws {
        let store = MemoryPlans()
        _ = store.keep([9, 9], of: 1)
        let publisher = ComplicationPublisher(.phone, store, clock: HostClock.shared)
        let link = KeepingLink()
        publisher.begin(link, watch: 1)
        #expect(publisher.planner.left == 0)
        publisher.begin(link, watch: 2)
        #expect(publisher.planner.left == 50)
    }

    @Test("The count of a push is durable before its first packet (P-3)")
    func durable() throws {
        let link = KeepingLink()
        let store = MemoryPlans()
        let publisher = ComplicationPublisher(.phone, store, clock: HostClock.shared)
        publisher.begin(link, watch: 1)
        let pushed = try publisher.offer(ComplicationState(name: "one"), urgent)
        #expect(pushed.reason == .pushed && pushed.id != nil)
        #expect(link.contents.withLock { $0.sent }.map(\.draft.waitsForCommit) == [true])
        let kept = try ComplicationPlan(try #require(store.plan(of: 1)))
        #expect(kept.account.left(.watchConnectivity) == 49)
    }

    @Test("The count of a push is written with its record, in one transaction (P-3)")
    func writtenWithRecord() throws {
        let link = KeepingLink()
        let plans = FilePlans()
        let publisher = ComplicationPublisher(.phone, plans, clock: StillClock())
        publisher.begin(link, watch: 1)
        #expect(try publisher.offer(ComplicationState(name: "one"), urgent).reason == .pushed)
        let contents = link.contents.withLock { $0 }
        #expect(contents.writesBeside == 1 && contents.writes == 0)
        #expect(contents.sent.map(\.draft.waitsForCommit) == [true])
        let kept = try ComplicationPlan(try #require(plans.written.withLock { $0.last }))
        #expect(kept.account.left(.watchConnectivity) == 49)
    }

    @Test("An update that is demoted when its moment comes is reported like others (P-8)")
    func demotedLate() throws {
        let demoted = Mutex<[Bool]>([])
        let clock = StillClock()
        let publisher = ComplicationPublisher(.phone, MemoryPlans(), clock: clock) { report, _ in
            guard case .demoted(let isUrgent) = report else { return }
            demoted.withLock { $0.append(isUrgent) }
        }
        publisher.begin(KeepingLink(), watch: 1)
        func offer(_ name: String, _ cause: UpdateCause) throws -> ComplicationReason {
            try publisher.offer(ComplicationState(name: name), ComplicationOffer(cause)).reason
        }
        #expect(try offer("one", .urgentChange) == .pushed)
        #expect(try offer("two", .urgentChange) == .waiting)
        publisher.report(remaining: 0)
        #expect(demoted.withLock { $0.isEmpty })
        var later = DeferredInputs()
        publisher.wake(at: clock.now, later: &later)
        #expect(demoted.withLock { $0 } == [true])
        #expect(try offer("three", .change) == .demoted)
        #expect(demoted.withLock { $0 } == [true, false])
    }

    @Test("The watch's word holds for its session, also if the link is silent for a while")
    func wordOfSession() throws {
        let publisher = ComplicationPublisher(
            .phone, MemoryPlans(), clock: StillClock(), assumesForeground: true)
        publisher.begin(KeepingLink(), watch: 1)
        var later = DeferredInputs()
        publisher.opened(at: .zero, later: &later)
        #expect(publisher.planner.isForeground)
        publisher.received(AppStatus(isForeground: false), at: .zero, later: &later)
        #expect(!publisher.planner.isForeground)
        for isReachable in [false, true] {
            publisher.reachable(isReachable, at: .zero, later: &later)
            #expect(!publisher.planner.isForeground)
        }
        publisher.opened(at: .zero, later: &later)
        #expect(publisher.planner.isForeground)
    }

    @Test("An update that was to ride waits again if the session refuses it")
    func refusedRider() throws {
        let link = KeepingLink()
        let publisher = ComplicationPublisher(.phone, MemoryPlans(), clock: StillClock())
        publisher.begin(link, watch: 1)
        func offer(_ name: String, _ place: UInt32) throws -> ComplicationReason {
            try publisher.offer(
                ComplicationState(name: name), ComplicationOffer(place: place, .urgentChange)
            ).reason
        }
        #expect(try offer("one", 0) == .pushed && offer("two", 7) == .waiting)
        // The link ends: the update that waits is to be queued, and the session refuses it.
        var later = DeferredInputs()
        publisher.reachable(false, at: Instant(nanoseconds: 0), later: &later)
        publisher.deferredSend(
            ComplicationPublisher.firstTag, .failure(.queueFull(records: 1)), at: .zero)
        #expect(publisher.planner.waitingPlaces == [7])
        let decisions = publisher.why(ComplicationID(rawValue: 7))
        #expect(decisions.map(\.reason) == [.waiting])
        publisher.reachable(true, at: Instant(nanoseconds: 0), later: &later)
        #expect(publisher.planner.waitingPlaces.isEmpty)
        #expect(publisher.why(ComplicationID(rawValue: 7)).map(\.reason) == [.unreachable])
    }

    @Test("An update that the session refuses changes nothing, and nothing is reported")
    func refused() throws {
        let link = KeepingLink()
        let reports = Atomic(0)
        let publisher = ComplicationPublisher(.phone, MemoryPlans(), clock: HostClock.shared) {
            _, _ in reports.wrappingAdd(1, ordering: .relaxed)
        }
        #expect(throws: SendRefusal.notReachable) {
            try publisher.offer(ComplicationState(), urgent)
        }
        publisher.begin(link, watch: 1)
        link.contents.withLock { $0.room = 0 }
        #expect(throws: SendRefusal.queueFull(records: 0)) {
            try publisher.offer(ComplicationState(), urgent)
        }
        let planner = publisher.planner
        #expect(planner.left == 50 && planner.offered == 0 && planner.decisions.isEmpty)
        #expect(reports.load(ordering: .relaxed) == 0)
        #expect(throws: SendRefusal.self) {
            try publisher.offer(
                ComplicationState(name: String(repeating: "x", count: 250)), urgent)
        }
    }
}

/// Plans of a file, which has none before: it writes what it is given.
private final class FilePlans: ComplicationStore {
    let written = Mutex<[[UInt8]]>([])

    func plan(of watch: UInt128) throws -> [UInt8]? { nil }

    func keep(_ plan: [UInt8], of watch: UInt128) -> [SQLWrite] {
        written.withLock { $0.append(plan) }
        return [SQLWrite { _ in }]
    }
}

/// A clock that stands still at noon.
private final class StillClock: DriverClock {
    let now = Instant(nanoseconds: 5_000_000_000)
    let wall = WallClock(time: WallTime(milliseconds: 1_767_268_800_000))
    var sinceBoot: Instant { now }
    let boot: UInt32? = nil
    let busyPollLimit = Duration.zero

    func set(_ timer: DeadlineTimer, to deadline: Instant) {}
    func perform(after pause: Duration, _ action: @escaping @Sendable () -> Void) {}
}

extension KeepingLink: ComplicationLink {
    func newestValue(_ channel: Channel, of key: RecordKey) -> OutboundRecord? { nil }
    func status(of id: RecordID) -> RecordStatus { .unknown }
}

/// An update that leaves at once.
private let urgent = ComplicationOffer(.urgentChange)
