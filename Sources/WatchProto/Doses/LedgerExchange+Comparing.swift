import Locks
package import WatchProtoCore
import WatchProtoRecords
import WatchProtoTransport

/// The comparison of two ledgers.
extension LedgerExchange {
    /// No further question of a comparison is asked with more events in the backlog.
    private static let backlogLimit = 1_000
    /// Comparisons in a row without an event that arrives. Ledgers that stay different would be
    /// compared for ever.
    private static let comparisonLimit = 8
    /// The pause before a question is asked again.
    static let pause = Duration.seconds(1)

    // MARK: Answering

    /// Receives a question of the other device, which is answered later. A newer question takes the
    /// place of one that waits. Called under the driver's lock.
    package func receiveQuestion(_ record: InboundRecord) {
        let arrival = (ledger.clock(), ledger.uptime())
        state.withLock { $0.unanswered = (record, arrival) }
        work.add { [self] in
            answerQuestion()
            proceed()
        }
    }

    /// Answers the question that waits. The first packet of the other device may bring a question
    /// before the device counts as reachable: then its answer waits.
    func answerQuestion() {
        let waiting = state.withLock { state in
            state.link.flatMap { link in
                let waiting = state.unanswered.map { ($0, link, state.pairing) }
                state.unanswered = nil
                return waiting
            }
        }
        guard let ((record, arrival), link, pairing) = waiting else { return }
        var missing: [UInt128] = []
        var reply: LedgerReply?
        let request = try? LedgerRequest(record.payload)
        if case .compare(_, _, let time)? = request {
            ledger.measure(time, arrivedAt: arrival.uptime, link.roundTripTime)
        }
        if let request {
            // A ledger that cannot be read gives no answer, and the other device asks again.
            guard let answer = try? request.answer(store, missing: &missing) else { return }
            reply = answer
        }
        do throws(SendRefusal) {
            // An asker of a later version gets no bytes, and asks no more.
            try link.reply(to: record, with: reply?.bytes ?? [])
        } catch {
            guard error == .notReachable else { return }
            return state.withLock { state in
                if state.unanswered == nil { state.unanswered = (record, arrival) }
            }
        }
        if reply == .equal {
            let asked = WallTime(milliseconds: arrival.wall.milliseconds - Self.questionAge)
            foundEqual(link, pairing, at: asked)
        }
        let found = missing
        state.withLock { state in
            // The rest is found by the next comparison.
            if state.backlog.count <= Self.backlogLimit { state.sendMissing(found) }
            if role == .watch, state.mayTake(found) { state.owesComparison = true }
            if role == .phone, request == .call { state.owesComparison = true }
        }
    }

    // MARK: Asking

    /// Queues the events that fit, and asks the question that is due.
    func proceed() {
        queueBacklog()
        var comparison = LedgerComparison(begunAt: ledger.clock())
        let due = state.withLock { state -> (any LedgerLink, LedgerRequest?, Int)? in
            guard let link = state.link, state.isReachable else { return nil }
            if let question = state.question {
                guard state.backlog.count <= Self.backlogLimit else { return nil }
                state.question = nil
                return (link, question, state.period)
            }
            if state.comparisons >= Self.comparisonLimit { state.owesComparison = false }
            guard state.owesComparison, state.comparison == nil, state.backlog.isEmpty,
                state.fresh.isEmpty,
                state.underWay.isEmpty || role == .phone && state.comparisons == 0
            else { return nil }
            state.owesComparison = false
            state.comparisons += 1
            if role == .phone { state.comparison = comparison }
            return (link, role == .phone ? nil : .call, state.period)
        }
        guard let (link, question, period) = due else { return }
        if let question { return ask(question, link, period) }
        guard let question = try? comparison.begin(store) else { return again(period) }
        let begun = comparison
        state.withLock { state in if state.period == period { state.comparison = begun } }
        ask(question, link, period)
    }

    private func ask(_ request: LedgerRequest, _ link: any LedgerLink, _ period: Int) {
        link.ask(request.bytes) { [weak self] bytes in
            guard let self else { return }
            work.add { [self] in
                if let bytes { answered(request, bytes, period) } else { again(period) }
            }
        }
    }

    /// Begins a comparison anew after a pause. It is no further one of a row if a question or its
    /// answer was lost, or if the ledger changed meanwhile.
    private func again(_ period: Int, isFurther: Bool = false) {
        let isDue = state.withLock { state in
            guard state.period == period else { return false }
            state.comparison = nil
            if !isFurther { state.comparisons = max(0, state.comparisons - 1) }
            state.isPausing = true
            return true
        }
        guard isDue else { return }
        work.add(
            { [weak self] in
                guard let self else { return }
                let isDue = state.withLock { state in
                    guard state.period == period, state.isPausing else { return false }
                    state.isPausing = false
                    state.owesComparison = true
                    return true
                }
                if isDue { proceed() }
            }, after: Self.pause)
    }

    private func answered(_ request: LedgerRequest, _ bytes: [UInt8], _ period: Int) {
        guard role == .phone,
            var comparison = state.withLock({ $0.period == period ? $0.comparison : nil })
        else { return }
        var missing: [UInt128] = []
        let step: LedgerComparison.Step?
        do {
            step = try (try? LedgerReply(bytes, to: request)).flatMap {
                try comparison.receive($0, to: request, store, missing: &missing)
            }
        } catch {
            // The ledger cannot be read now.
            return again(period)
        }
        guard let step else {
            // This is no answer to the question. Another version gave it perhaps. The next period
            // begins anew.
            return state.withLock { $0.comparison = nil }
        }
        let (compared, found) = (comparison, missing)
        let equal = state.withLock { state -> (any LedgerLink, PairingID)? in
            guard state.period == period else { return nil }
            state.sendMissing(found)
            // The ledgers are compared again when the missing events have arrived.
            if state.mayTake(found) { state.owesComparison = true }
            switch step {
            case .ask(let question):
                state.comparison = compared
                state.question = question
            case .finished(let next):
                state.comparison = nil
                return next == .equal ? state.link.map { ($0, state.pairing) } : nil
            }
            return nil
        }
        if let (link, pairing) = equal { foundEqual(link, pairing, at: compared.begunAt) }
        switch step {
        case .finished(.afterPause): again(period)
        case .finished(.onceMore): again(period, isFurther: true)
        default: break
        }
        proceed()
    }
}
