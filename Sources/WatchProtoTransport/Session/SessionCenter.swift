internal import Locks
internal import WatchProtoCore

/// Connects the driver and the application: matches replies with waiting callers, and keeps events
/// for the reader of the session's stream.
///
/// Calls come under the driver's lock. The center takes its own lock after that one, never the
/// other way round.
final class SessionCenter: SessionDelegate {
    private let delegate: (any SessionDelegate)?
    let replies = ReplyTable()
    let answers = AnswerTable()
    let queue: DriverEventQueue

    init(delegate: (any SessionDelegate)?, eventLimit: Int) {
        self.delegate = delegate
        queue = DriverEventQueue(limit: eventLimit, isOpen: delegate == nil)
    }

    func deliver(
        _ record: InboundRecord, at now: Instant, later: inout DeferredInputs
    ) -> Disposition {
        if let number = record.inReplyTo, replies.resolve(number, .success(record.payload)) {
            return .applied
        }
        if let delegate { return delegate.deliver(record, at: now, later: &later) }
        queue.append(.received(record, at: now), isDroppable: false)
        return .pending
    }

    func event(_ event: PeerEvent, at now: Instant, later: inout DeferredInputs) {
        switch event {
        case .progress(let id, let stage) where id.channel == .interactive && stage >= .sent:
            replies.left(id.number)
        case .settled(let id, let outcome) where id.channel == .interactive:
            replies.settled(id, outcome)
            answers.settled(id, outcome)
        case .activation(.activated):
            for draft in answers.takeLost() { later.send(draft, tag: AnswerTable.tag) }
        default: break
        }
        queue.append(.peer(event, at: now), isDroppable: true)
        delegate?.event(event, at: now, later: &later)
    }

    func transport(_ event: TransportEvent, at now: Instant, later: inout DeferredInputs) {
        // The numbers of this opening begin anew.
        if event == .journalReopened { replies.failAll(.linkLost) }
        queue.append(.transport(event, at: now), isDroppable: true)
        delegate?.transport(event, at: now, later: &later)
    }

    func deferredSend(
        _ tag: UInt64, _ result: Result<RecordID, SendRefusal>, at now: Instant,
        later: inout DeferredInputs
    ) {
        // Nobody waits any more for a reply that was refused.
        guard tag != AnswerTable.tag else { return }
        delegate?.deferredSend(tag, result, at: now, later: &later)
    }

    func deferredReply(_ id: RecordID, _ draft: RecordDraft) { answers.sent(id, draft) }

    var nextDeadline: Instant? {
        switch (replies.nextDeadline, delegate?.nextDeadline) {
        case (let own?, let other?): min(own, other)
        case (let own, let other): own ?? other
        }
    }

    func wake(at now: Instant, later: inout DeferredInputs) {
        for id in replies.expire(at: now) { later.cancel(id) }
        if let deadline = delegate?.nextDeadline, deadline <= now {
            delegate?.wake(at: now, later: &later)
        }
    }

    /// Ends the session: waiting callers get an error, and the stream ends.
    func finish() {
        replies.failAll(.sessionClosed)
        queue.finish()
    }

    func makeStream() -> AsyncStream<DriverSessionEvent> {
        queue.open()
        let queue = queue
        return AsyncStream(unfolding: { await queue.next() }, onCancel: nil)
    }

    var missedEvents: UInt64 { queue.missed }
}
