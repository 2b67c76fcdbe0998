import Locks
package import WatchProtoCore
import WatchProtoJournal
package import WatchProtoTransport

/// The part of a session that the exchange about messages needs. Its method is that of
/// `DriverSession`.
package protocol MessageLink: AnyObject, Sendable {
    /// The other device said that a message did not arrive.
    func didNotArrive(_ id: RecordID)
}

extension DriverSession: MessageLink {}

extension MessageTable {
    /// The end of the call of a message.
    package enum CallEnd: Sendable {
        case reply
        case unknown
        /// The caller knows that it did not arrive, or does not want to know.
        case other
    }
}

/// The questions to one other device about messages whose outcome is unknown, and the answers to
/// its own ones. Methods with `later` are called under the driver's lock.
package final class MessageExchange: Sendable {
    private struct State {
        weak var link: (any MessageLink)?
        /// The pairing of the session; nil before the first one.
        var pairing: PairingID?
        var isReachable = false
        /// The messages that the device asked about while the hold after flaps lasted.
        var unanswered: [TransferID] = []
    }

    private let table: MessageTable
    private let state = Mutex(State())

    /// An exchange without a session.
    package init(_ table: MessageTable) { self.table = table }

    /// A session begins.
    package func begin(_ link: any MessageLink, with pairing: PairingID) {
        state.withLock { state in
            state.link = link
            state.pairing = pairing
            state.isReachable = false
            state.unanswered = []
        }
    }

    /// The session has ended, or its journal was opened again: it settles no message of before.
    package func sessionEnded() {
        if let pairing = state.withLock({ $0.pairing }) { table.sessionEnded(in: pairing) }
    }

    /// Receives a record of the kind `ContentKind.app`: perhaps a question about messages, or an
    /// answer. `learnt` is called with each message and its outcome, before a caller that waits
    /// for the message hears of it.
    package func received(
        _ record: InboundRecord, later: inout DeferredInputs,
        learnt: (TransferID, TransferOutcome) -> Void
    ) {
        guard case .messages(let about, let ids)? = try? AppMessage(record.payload) else { return }
        switch about {
        case .asked:
            let mayAnswer = state.withLock { state in
                // While the hold after flaps lasts, an answer would be refused.
                if !state.isReachable {
                    let all = state.unanswered + ids
                    state.unanswered = Array(all.suffix(StoredValue.messageLimit))
                }
                return state.isReachable
            }
            if mayAnswer { send(table.answers(about: ids), later: &later) }
        case .given, .missing:
            let outcome: TransferOutcome =
                about == .given ? .reached(.applied) : .notApplied(.notDelivered)
            for id in ids {
                guard let writes = table.learnt(id, outcome, from: record.id.epoch) else {
                    continue
                }
                for write in writes { later.write(write) }
                learnt(id, outcome)
                if about == .missing { state.withLock { $0.link }?.didNotArrive(id) }
            }
        }
    }

    /// The other device became reachable, or is not any more.
    package func reachable(_ isReachable: Bool, later: inout DeferredInputs) {
        let due = state.withLock { state -> (PairingID, [TransferID])? in
            state.isReachable = isReachable
            guard isReachable, let pairing = state.pairing else { return nil }
            defer { state.unanswered = [] }
            return (pairing, state.unanswered)
        }
        guard let (pairing, asked) = due else { return }
        send(table.answers(about: asked), later: &later)
        send(table.questions(in: pairing), later: &later)
    }

    /// The other device was started anew, or has lost state.
    package func counterpartChanged(_ change: CounterpartChange, later: inout DeferredInputs) {
        guard change == .wentBack || change == .wiped,
            let pairing = state.withLock({ $0.pairing })
        else { return }
        for write in table.forgotten(in: pairing) { later.write(write) }
    }

    private func send(_ drafts: [RecordDraft], later: inout DeferredInputs) {
        for draft in drafts { later.send(draft, tag: ComplicationPublisher.unreportedTag) }
    }
}
