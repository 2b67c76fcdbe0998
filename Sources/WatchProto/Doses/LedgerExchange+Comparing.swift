import Locks
package import WatchProtoCore
import WatchProtoRecords
import WatchProtoTransport

/// The queue of events, and the comparison of two ledgers.
extension LedgerExchange {
    /// The most own events under way at a time, so that a new one soon has its turn.
    private static let underWayLimit = 64
    /// No further question of a comparison is asked with more events in the backlog.
    private static let backlogLimit = 1_000
    /// Comparisons in one period without an event that arrived. An event that the other device
    /// rejects would cost one after the other.
    private static let comparisonLimit = 8

    // MARK: Under the driver's lock

    /// An own record is settled.
    package func settled(_ id: RecordID, _ outcome: Outcome) {
        let isDue = state.withLock { state in
            guard let identity = state.underWay.removeValue(forKey: id) else {
                return state.needsRoom
            }
            if outcome == .applied {
                state.comparisons = 0
                // A comparison that began before may have found it missing.
                state.backlog.removeAll { $0 == identity }
            }
            return true
        }
        if isDue { work.add { [self] in proceed() } }
    }

    /// An own record has another identity.
    package func renumbered(_ id: RecordID, as other: RecordID) {
        state.withLock { state in
            state.underWay[other] = state.underWay.removeValue(forKey: id)
        }
    }

    /// Takes a question of the other device, which is answered later.
    package func asked(_ record: InboundRecord) {
        state.withLock { $0.unanswered.append(record) }
        work.add { [self] in
            answerQuestions()
            proceed()
        }
    }

    // MARK: On the ledger's thread

    /// Answers the questions that wait. The first packet of the other device may bring a question
    /// before the device counts as reachable: then its answer waits.
    func answerQuestions() {
        let questions = state.withLock { state in
            defer { state.unanswered = [] }
            return state.unanswered
        }
        for record in questions where !answer(record) {
            state.withLock { $0.unanswered.append(record) }
        }
    }

    /// Returns whether the question is answered.
    private func answer(_ record: InboundRecord) -> Bool {
        guard let link = state.withLock({ $0.link }) else { return true }
        var missing: [UInt128] = []
        let request = try? LedgerRequest(record.payload)
        // An asker of a later version gets no bytes, and asks no more.
        let reply = try? request?.answer(ledger, missing: &missing)
        do throws(SendRefusal) {
            try link.reply(to: record, with: reply?.bytes ?? [])
        } catch {
            return error != .notReachable
        }
        let found = missing
        state.withLock { state in
            // The rest is found by the next comparison.
            if state.backlog.count <= Self.backlogLimit { state.backlog += found }
            if role == .watch, !found.isEmpty { state.owesComparison = true }
            if role == .phone, request == .call { state.owesComparison = true }
        }
        if reply == .equal { matched() }
        return true
    }

    /// Queues the events that fit, and asks the question that is due.
    func proceed() {
        queueBacklog()
        guard let link = state.withLock({ $0.isReachable ? $0.link : nil }) else { return }
        if let question = state.withLock({ state -> LedgerRequest? in
            guard state.backlog.count <= Self.backlogLimit else { return nil }
            defer { state.question = nil }
            return state.question
        }) {
            return ask(question, link)
        }
        let isDue = state.withLock { state in
            guard state.owesComparison, state.comparison == nil, state.backlog.isEmpty,
                state.underWay.isEmpty || role == .phone && state.comparisons == 0,
                state.comparisons < Self.comparisonLimit
            else { return false }
            state.owesComparison = false
            state.comparisons += 1
            return true
        }
        guard isDue else { return }
        if role == .watch { return ask(.call, link) }
        var comparison = LedgerComparison()
        guard let question = try? comparison.begin(ledger) else { return }
        let begun = comparison
        state.withLock { $0.comparison = begun }
        ask(question, link)
    }

    private func queueBacklog() {
        while true {
            let next = state.withLock { state -> (any LedgerLink, UInt128)? in
                guard let link = state.link, state.underWay.count < Self.underWayLimit,
                    let identity = state.backlog.first
                else { return nil }
                return (link, identity)
            }
            guard let (link, identity) = next else { return }
            // An event that cannot be read now is found by a later comparison.
            if let encoding = try? ledger.event(identity) {
                // It is durable already.
                let draft = RecordDraft(
                    channel: .background, kind: .doseEvent, payload: encoding,
                    idempotencyKey: identity)
                do throws(SendRefusal) {
                    try link.transfer(draft, writes: []) { id, now in
                        observer?.queued(
                            DoseEventID(rawValue: identity), encoding, as: id, at: now)
                        state.withLock { state in
                            state.underWay[id] = identity
                            state.needsRoom = false
                        }
                    }
                } catch {
                    state.withLock { $0.needsRoom = true }
                    return
                }
            }
            state.withLock { state in
                if state.backlog.first == identity { state.backlog.removeFirst() }
            }
        }
    }

    private func ask(_ request: LedgerRequest, _ link: any LedgerLink) {
        let period = state.withLock { $0.period }
        Task.detached { [weak self] in
            let bytes = try? await link.sendMessage(
                request.bytes, kind: .ledger, timeout: .seconds(10))
            guard let self else { return }
            work.add { [self] in answered(bytes, period) }
        }
    }

    private func answered(_ bytes: [UInt8]?, _ period: Int) {
        guard var comparison = state.withLock({ $0.period == period ? $0.comparison : nil }) else {
            return
        }
        guard let bytes else {
            // The answer was lost. The comparison begins anew.
            state.withLock { state in
                state.comparison = nil
                state.owesComparison = true
            }
            return proceed()
        }
        var missing: [UInt128] = []
        guard let reply = try? LedgerReply(bytes),
            let step = try? comparison.receive(reply, ledger, missing: &missing)
        else {
            // Another version answered. The next period begins anew.
            state.withLock { $0.comparison = nil }
            return
        }
        let (compared, found) = (comparison, missing)
        state.withLock { state in
            guard state.period == period else { return }
            state.backlog += found
            switch step {
            case .ask(let question):
                state.comparison = compared
                state.question = question
            case .finished(let wereEqual):
                state.comparison = nil
                // The ledgers are compared again when the missing events have arrived.
                if !wereEqual, !state.backlog.isEmpty { state.owesComparison = true }
            }
        }
        if step == .finished(wereEqual: true) { matched() }
        proceed()
    }

    private func matched() {
        let now = SystemClock.wall.time
        state.withLock { $0.matchedAt = now }
    }
}
