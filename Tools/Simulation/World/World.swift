package import WatchProtoCore

/// Two peers, a virtual link each way, a virtual disk each, and one clock that only jumps to the
/// next event. One run follows from its scenario alone.
package final class World {
    let scenario: Scenario
    let mutant: Mutant?
    /// Whether packets are sealed.
    let isSealed: Bool
    /// Makes the security of one life of one side, which notes what it seals and opens.
    let makeSecurity: (_ side: Int, _ life: Int, _ notes: SealingNotes) -> AnySecurity
    let nodes: [Node]
    var directions: [LinkModel]
    var generation = 0
    var now = Instant.zero
    var events = EventSchedule()
    var trace: WorldTrace
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
    /// Whether packets may have to arrive again.
    let isRecorded: Bool
    /// The conditions of each direction, by the side that sends into it.
    var linkConditions: [LinkOptions]
    private let observe: ((_ observation: RunObservation, _ side: Int, _ now: Instant) -> Void)?
    var attempts = 0
    var payloadCount: UInt64 = 0
    /// A mutant that errs once has erred.
    var hasErred = false
    /// Marks that change with anything that may hinder the records; since when they have not; and
    /// when they were compared last.
    var fairness: [FairnessMark]?
    var fairSince = Instant.zero
    var fairLookAt = Instant.zero

    /// Makes the world of `scenario`.
    ///
    /// - Parameters:
    ///   - scenario: what happens in it.
    ///   - mutant: a bug to plant for the whole run, for tests of the checkers.
    ///   - makeSecurity: makes the security of each process of each side.
    ///   - observe: is shown what the checkers are shown.
    ///   - trace: gets one line per event.
    package init<Security: PeerSecurity>(
        _ scenario: Scenario, mutant: Mutant? = nil,
        makeSecurity: @escaping @Sendable (_ side: Int, _ life: Int) -> Security,
        observe: ((_ observation: RunObservation, _ side: Int, _ now: Instant) -> Void)? = nil,
        trace: ((String) -> Void)? = nil
    ) {
        self.scenario = scenario
        self.mutant = mutant
        isSealed = Security.isSealed
        self.makeSecurity = { side, life, notes in
            NotedSecurity(
                makeSecurity(side, life), notes, mutant: mutant,
                makeFirst: { makeSecurity(side, 1) }
            ).erased
        }
        self.trace = WorldTrace(sink: trace)
        self.observe = observe
        linkConditions = scenario.linkConditions
        let pairing = TicketState.Image.paired(Ticket(rawValue: LinkDraws.mixed(scenario.seed) | 1))
        nodes = (0..<2).map { side in
            let disk = VirtualDisk(
                limits: scenario.limits(of: side), pairing: pairing, mutant: mutant)
            return Node(side: side, seed: scenario.seed, disk: disk)
        }
        scriptedOutages = scenario.outages()
        isRecorded = scenario.faults.contains {
            switch $0.what {
            case .replay, .oldMessage1, .forgedReset: true
            default: false
            }
        }
        directions = []
        pendingActs = scenario.acts.count
        directions = (0..<2).map { makeDirection($0) }
    }

    /// Runs until everything has settled, or the time is up.
    package func run() -> WorldResult {
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
    private func keep(_ event: WorldEvent, for node: Node) {
        if case .arrival = event.what, !scenario.carrier.isConnected, node.deferred.count >= 128 {
            return
        }
        node.deferred.append(event)
    }

    func carryOut(_ what: WorldEvent.What) {
        switch what {
        case .act(let index): act(scenario.acts[index])
        case .fault(let index): befall(scenario.faults[index].what)
        case .arrival(let side, let generation, let bytes):
            arrive(bytes, at: nodes[side], generation)
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
        case .visit(let side, let packets): visit(nodes[side], packets, isSecondLook: true)
        case .start(let side): start(nodes[side])
        case .resume(let side): resume(nodes[side])
        case .heal: heal()
        case .look: look()
        }
    }

    /// Shows the checkers what `side` saw.
    func show(_ observation: RunObservation, side: Int) {
        panel.show(observation, side: side, at: now)
        observe?(observation, side, now)
    }
}

/// The result of one run.
package struct WorldResult: Sendable {
    /// Names the whole course of events; equal in every process.
    package var digest: UInt64
    /// The findings, the first of each checker.
    package var findings: [Finding]
    /// Which rarities the run met, and how often.
    package var coverage: Coverage
    /// Virtual time at the end.
    package var endedAt: Instant
    /// How many events were recorded.
    package var eventCount: Int
    /// Whether everything had settled.
    package var isDrained: Bool
}
