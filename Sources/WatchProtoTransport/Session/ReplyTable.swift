internal import Locks
internal import WatchProtoCore

/// The interactive messages whose callers wait for an answer.
final class ReplyTable: Sendable {
    typealias Answer = Result<[UInt8], DeliveryFailure>

    private struct Waiter {
        var id: RecordID
        var ticket: ReplyTicket
        var expectsReply: Bool
        var hasLeft = false
    }

    private struct State {
        var waiters: [RecordNumber: Waiter] = [:]
        /// Deadlines, soonest first. Entries of finished messages stay until they come to the
        /// front.
        var deadlines: [(at: Instant, number: RecordNumber)] = []
    }

    private let state = Mutex(State())

    /// Records that `ticket` waits for the outcome of `id`, until `deadline`.
    ///
    /// - Returns: false if another ticket waits for it already.
    @discardableResult
    func add(
        _ ticket: ReplyTicket, for id: RecordID, expectsReply: Bool, until deadline: Instant
    ) -> Bool {
        state.withLock { state in
            guard state.waiters[id.number] == nil else { return false }
            state.waiters[id.number] = Waiter(id: id, ticket: ticket, expectsReply: expectsReply)
            // Nearly always the latest: search from the back.
            let index = state.deadlines.lastIndex { $0.at <= deadline }.map { $0 + 1 } ?? 0
            state.deadlines.insert((deadline, id.number), at: index)
            return true
        }
    }

    /// Gives the answer to the caller that waits for it; false if none does.
    func resolve(_ number: RecordNumber, _ answer: Answer) -> Bool {
        guard let waiter = state.withLock({ $0.waiters.removeValue(forKey: number) }) else {
            return false
        }
        waiter.ticket.resolve(answer)
        return true
    }

    /// Records that the message was given to the carrier.
    func left(_ number: RecordNumber) {
        state.withLock { $0.waiters[number]?.hasLeft = true }
    }

    /// Records that the message is over. That ends the wait, unless it was applied and a reply is
    /// due.
    func settled(_ number: RecordNumber, _ outcome: Outcome) {
        guard let waiter = state.withLock({ $0.waiters[number] }) else { return }
        switch outcome {
        case .applied:
            if !waiter.expectsReply { _ = resolve(number, .success([])) }
        case .rejected(let code):
            _ = resolve(number, .failure(.permanent(.rejected(code: code))))
        case .notDelivered: _ = resolve(number, .failure(.notDelivered(.linkLost)))
        case .cancelled: _ = resolve(number, .failure(.notDelivered(.cancelled)))
        case .superseded: _ = resolve(number, .failure(.notDelivered(.superseded)))
        case .expired: _ = resolve(number, .failure(.notDelivered(.expired)))
        case .unknown, .outcomeUnknown:
            _ = resolve(number, .failure(.outcomeUnknown(.linkLost)))
        }
    }

    /// Records that the caller no longer waits.
    func cancel(_ number: RecordNumber) { fail(number, .cancelled) }

    /// Fails the message: as not delivered if it never left, else as unknown.
    private func fail(_ number: RecordNumber, _ cause: DeliveryFailure.Cause) {
        guard let waiter = state.withLock({ $0.waiters.removeValue(forKey: number) }) else {
            return
        }
        waiter.ticket.resolve(
            .failure(waiter.hasLeft ? .outcomeUnknown(cause) : .notDelivered(cause)))
    }

    /// When the next wait runs out.
    var nextDeadline: Instant? {
        state.withLock { state in
            while let first = state.deadlines.first, state.waiters[first.number] == nil {
                state.deadlines.removeFirst()
            }
            return state.deadlines.first?.at
        }
    }

    /// Ends the waits that have timed out, and returns the records to cancel.
    func expire(at now: Instant) -> [RecordID] {
        let due = state.withLock { state -> [RecordID] in
            var due: [RecordID] = []
            while let first = state.deadlines.first, first.at <= now {
                state.deadlines.removeFirst()
                if let waiter = state.waiters[first.number] { due.append(waiter.id) }
            }
            return due
        }
        for id in due { fail(id.number, .timedOut) }
        return due
    }

    /// Ends every wait.
    func failAll(_ cause: DeliveryFailure.Cause) {
        // The order in which tasks are resumed is nobody's promise.
        let numbers = state.withLock { Array($0.waiters.keys) }
        for number in numbers { fail(number, cause) }
    }
}
