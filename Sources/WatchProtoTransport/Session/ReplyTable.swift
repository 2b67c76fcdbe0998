internal import Locks
internal import WatchProtoCore

/// The interactive messages whose callers wait for an answer.
final class ReplyTable: Sendable {
    typealias Answer = Result<[UInt8], DeliveryFailure>

    private struct Waiter {
        var id: RecordID
        var ticket: ReplyTicket
        var expectsReply: Bool
        /// Whether a later session may bring the reply.
        var outlivesLink: Bool
        var hasLeft = false
        /// Whether its link was lost before the message was known to have arrived.
        var isCut = false
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
        _ ticket: ReplyTicket, for id: RecordID, expectsReply: Bool, outlivesLink: Bool = false,
        until deadline: Instant
    ) -> Bool {
        state.withLock { state in
            guard state.waiters[id.number] == nil else { return false }
            state.waiters[id.number] = Waiter(
                id: id, ticket: ticket, expectsReply: expectsReply, outlivesLink: outlivesLink)
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

    /// Records that the message is over. That ends the wait, unless a reply is due: the message was
    /// applied, or it may have arrived and the wait outlives the link.
    func settled(_ id: RecordID, _ outcome: Outcome) {
        let number = id.number
        guard let waiter = state.withLock({ $0.waiters[number] }), waiter.id == id else { return }
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
            guard waiter.expectsReply, waiter.outlivesLink else {
                _ = resolve(number, .failure(.outcomeUnknown(.linkLost)))
                return
            }
            state.withLock { state in
                state.waiters[number]?.hasLeft = true
                state.waiters[number]?.isCut = true
            }
        }
    }

    /// Records that the caller no longer waits.
    func cancel(_ number: RecordNumber) { fail(number, .cancelled) }

    /// Fails the message: as not delivered if it never left, else as unknown.
    private func fail(_ number: RecordNumber, _ cause: DeliveryFailure.Cause) {
        guard let waiter = state.withLock({ $0.waiters.removeValue(forKey: number) }) else {
            return
        }
        let cause = waiter.isCut && cause == .timedOut ? .linkLost : cause
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
        let numbers = state.withLock { state in
            // The next session gives the same numbers to other messages.
            state.deadlines = []
            return Array(state.waiters.keys)
        }
        for number in numbers { fail(number, cause) }
    }
}
