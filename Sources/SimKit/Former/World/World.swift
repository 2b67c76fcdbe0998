public import WatchProto

/// Two peers, a virtual link each way, a virtual disk each, and one clock that only jumps to the
/// next event. One run follows from its scenario alone.
public final class World<Security: PeerSecurity> {
    /// Makes the security of one life of one side.
    public typealias SecurityFactory = @Sendable (_ side: Int, _ life: Int) -> Security

    let scenario: Scenario
    let sabotage: [Sabotage]
    let canary: Canary?
    let makeSecurity: SecurityFactory
    let nodes: [Node<Security>]
    var directions: [LinkModel]
    var generation = 0
    var now = Instant.zero
    var events = EventQueue()
    var trace: Trace
    var panel = CheckerPanel()
    var coverage = Coverage()
    var isHealed = false
    var isOver = false
    var isDrained = false
    /// A busy loop made the run end early.
    var isAborted = false
    var pendingActs: Int
    var quietSince: Instant?
    let scriptedOutages: [[LinkOutage]]
    /// Whether what is sent may have to arrive again.
    let isRecorded: Bool
    /// The weather of each direction, by the side that sends into it.
    var weather: [LinkOptions]
    private let observe: ((_ sight: Sight, _ side: Int, _ now: Instant) -> Void)?
    var attempts = 0
    var payloadCount: UInt64 = 0
    /// What the fingerprints of medications stand for.
    var medicationBytes = OrderedTable<UInt64, [UInt8]>()
    var planted: [Sabotage] = []
    /// Records that a planted mistake gave up.
    var givenUp = Set<RecordID>()
    /// What must not change, so that nothing hinders the records; since when it has not; and when
    /// that was looked at last.
    var fairness: [FairnessMark]?
    var fairSince = Instant.zero
    var fairLookAt = Instant.zero
    var liedReceipt: JournalReceipt?

    /// Makes the world of `scenario`.
    ///
    /// - Parameters:
    ///   - scenario: what happens in it.
    ///   - sabotage: mistakes to plant, for tests of the checkers.
    ///   - canary: a mistake to plant for the whole run, for tests of the checkers.
    ///   - makeSecurity: makes the security of each life of each side.
    ///   - observe: is shown what the checkers are shown.
    ///   - trace: gets one line per event.
    public init(
        _ scenario: Scenario, sabotage: [Sabotage] = [], canary: Canary? = nil,
        makeSecurity: @escaping SecurityFactory,
        observe: ((_ sight: Sight, _ side: Int, _ now: Instant) -> Void)? = nil,
        trace: ((String) -> Void)? = nil
    ) {
        self.scenario = scenario
        self.sabotage = sabotage
        self.canary = canary
        self.makeSecurity = makeSecurity
        self.trace = Trace(sink: trace)
        self.observe = observe
        weather = scenario.weather
        nodes = (0..<2).map { Node(side: $0, seed: scenario.seed) }
        // A side is opened a few times, not more often than a journal remembers. (On a disk that
        // takes nothing any more it is opened often, each time from the same state; and a clock
        // that was set back makes a wiped side look like one from long ago.)
        let isMisled = scenario.faults.contains {
            switch $0.what {
            case .diskError(_, let count, _): count == nil
            case .diskFull, .clockJump: true
            default: false
            }
        }
        if scenario.seed % 8 == 5, !isMisled, !scenario.isWritten {
            var bounds = JournalBounds()
            bounds.epochs = 3
            for node in nodes { node.disk = VirtualDisk(bounds: bounds) }
        }
        for node in nodes { node.disk.canary = canary }
        scriptedOutages = scenario.outages()
        isRecorded =
            Security.isSealed
            && scenario.faults.contains { if case .replay = $0.what { true } else { false } }
        directions = []
        pendingActs = scenario.acts.count
        directions = (0..<2).map { makeDirection($0) }
    }

    /// Runs until everything has settled, or the time is up.
    public func run() -> WorldResult {
        for side in 0..<2 { events.add(.start(side: side), at: now) }
        for (index, act) in scenario.acts.enumerated() { events.add(.act(index), at: act.at) }
        for (index, fault) in scenario.faults.enumerated() {
            events.add(.fault(index), at: fault.at)
        }
        if scenario.deadDirection != nil {
            coverage.meet(.deadDirection)
        } else if !scenario.isWritten {
            events.add(.heal, at: scenario.healAt)
        }
        events.add(.look, at: Instant(nanoseconds: 250_000_000))
        while !isOver, let event = events.next() {
            now = max(now, event.at)
            take(event)
        }
        return finish()
    }

    /// Carries out one event, or keeps it for a process that stands still.
    private func take(_ event: WorldEvent) {
        if let side = event.processSide ?? actingSide(event), nodes[side].pausedUntil != nil {
            keep(event, for: nodes[side])
            return
        }
        carryOut(event.what)
    }

    private func actingSide(_ event: WorldEvent) -> Int? {
        guard case .act(let index) = event.what else { return nil }
        return scenario.acts[index].side
    }

    /// A socket keeps little for a process that does not read; a lossy one drops the rest.
    private func keep(_ event: WorldEvent, for node: Node<Security>) {
        if case .arrival = event.what, !scenario.carrier.isConnected, node.deferred.count >= 128 {
            return
        }
        node.deferred.append(event)
    }

    func carryOut(_ what: WorldEvent.What) {
        switch what {
        case .act(let index): act(scenario.acts[index])
        case .fault(let index): befall(scenario.faults[index].what)
        case .arrival(let side, let generation, let life, let flight, let bytes):
            arrive(bytes, at: nodes[side], generation, life: life, flight: flight)
        case .opened(let side, let generation): opened(nodes[side], generation)
        case .attemptFailed(let side, let attempt): attemptFailed(nodes[side], attempt)
        case .linkEnded(let side, let generation, let failure):
            linkEnded(nodes[side], generation, failure)
        case .room(let side, let generation): hasRoom(nodes[side], generation)
        case .commit(let side, let disk): commit(nodes[side], disk)
        case .receipt(let side, let life, let receipt):
            if nodes[side].life == life { receive(receipt, nodes[side]) }
        case .diskFreed(let side): nodes[side].disk.fail(0, after: 0)
        case .reopen(let side, let life): reopen(nodes[side], life)
        case .dieRecovering(let side, let life): dieRecovering(nodes[side], life)
        case .wake(let side, let life, let token): wake(nodes[side], life, token)
        case .decide(let side, let life, let id): decide(nodes[side], life, id)
        case .reply(let side, let life, let number): reply(nodes[side], life, number)
        case .activate(let side, let life): activate(nodes[side], life)
        case .start(let side): start(nodes[side])
        case .resume(let side): resume(nodes[side])
        case .heal: heal()
        case .look: look()
        }
    }

    /// Shows the checkers what `side` saw.
    func show(_ sight: Sight, side: Int) {
        panel.show(sight, side: side, at: now)
        observe?(sight, side, now)
    }
}

/// What came of one run.
public struct WorldResult: Sendable {
    /// Names the whole course of events; equal in every process.
    public var digest: UInt64
    /// What the checkers found, the first of each.
    public var findings: [Finding]
    /// Which rarities the run met, and how often.
    public var coverage: Coverage
    /// Virtual time at the end.
    public var endedAt: Instant
    /// How many events were recorded.
    public var eventCount: Int
    /// Whether everything had settled.
    public var isDrained: Bool
}
