import Locks
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords
import WatchProtoSecurity
import WatchProtoTransport

/// The outcome of a message.
public enum MessageOutcome: Hashable, Sendable {
    /// The other application answered with these bytes.
    case reply([UInt8])
    /// It never arrived: sending it again cannot do it twice.
    case notDelivered(String)
    /// It may have arrived or not. When the devices meet again, this one asks the other one: the
    /// event ``SessionEvent/settled(_:_:)`` and ``CompanionSession/outcome(of:)`` then have the
    /// outcome of this record, also after a restart of either device. It is
    /// ``TransferOutcome/reached(_:)`` if the other application was given the message.
    case unknown(TransferID, String)
}

/// A message of the other device, which somebody waits for there.
public struct ReceivedMessage: Sendable {
    /// Bytes of the application's own meaning.
    public let body: [UInt8]
    /// The capability that the message asks for; nil for none.
    public let capability: String?
    /// The pairing with the device that sent it.
    public let pairing: PairingID
    let respond: @Sendable ([UInt8]) throws(Refusal) -> Void

    /// Answers it. A reply that is lost with its link is sent again when the next link opens, as
    /// long as the other application runs.
    ///
    /// - Throws: ``Refusal``. Try again if the other device cannot be reached now. An application
    ///   that was restarted since it asked is never reached. A message that has an answer, or is of
    ///   a watch that is not connected any more, is answered no more.
    public func reply(_ body: [UInt8]) throws(Refusal) { try respond(body) }
}

extension CompanionSession {
    /// Sends a message for right now and waits for the answer. It is not kept where the other
    /// device cannot be reached. If the link is lost after the message left, the wait goes on: the
    /// answer may come over the next link. The call ends once.
    ///
    /// - Parameters:
    ///   - body: at most 65,536 bytes, the name of a capability included.
    ///   - capability: a name in the other application's ``AppStatus/capabilities``; if it is not
    ///     there, the message is not delivered. Nil for a message to the application as a whole.
    ///   - timeout: the longest wait for the answer; nil for twenty round trips, at least 5 s and
    ///     at most 60 s, or for 10 s before a round trip is measured.
    ///   - priority: ``TransferPriority/low`` lets 1, 2, 4 or 6 such messages wait for their
    ///     answers at once, by the quality of the link; the wait for a place does not count. The
    ///     others leave at once.
    /// - Throws: `CancellationError` where the waiting task was cancelled: the message is taken
    ///   back where it has not left.
    public func sendMessage(
        _ body: [UInt8], to capability: String? = nil, timeout: Duration? = nil,
        priority: TransferPriority = .high
    ) async throws(CancellationError) -> MessageOutcome {
        var (payload, kind) = (body, ContentKind.message)
        if let capability {
            // Before the status of the newest session comes, the other library decides.
            let theirs = life.withLock { $0.active?.exchanges.app.theirs }
            guard theirs?.capabilities.contains(capability) != false else {
                return .notDelivered("the other application does not answer '\(capability)'")
            }
            (payload, kind) = (AppRequest(to: capability, body).bytes, .request)
        }
        let pairing = life.withLock { $0.device?.pairing }
        if priority == .low { await gate.enter(placesAtGate) }
        defer { if priority == .low { gate.leave(placesAtGate) } }
        if Task.isCancelled { throw CancellationError() }
        let current: DriverSession
        do throws(Refusal) {
            current = try driven()
        } catch {
            return .notDelivered("\(error)")
        }
        guard life.withLock({ $0.device?.pairing }) == pairing else {
            return .notDelivered("the pairing in use changed meanwhile")
        }
        let accepted = Mutex<TransferID?>(nil)
        let receiver = current.counterpartEpoch
        let outcome: MessageOutcome
        do throws(DeliveryFailure) {
            outcome = .reply(
                try await current.sendMessage(
                    payload, kind: kind, timeout: timeout ?? current.usualTimeout,
                    outlivesLink: true
                ) { id in
                    accepted.withLock { $0 = id }
                    if let pairing { messageTable.accepted(id, in: pairing, to: receiver) }
                })
        } catch {
            outcome = MessageOutcome(error, accepted.withLock { $0 })
        }
        let isCancelled = Task.isCancelled
        let id = accepted.withLock { $0 }
        let end: MessageTable.CallEnd =
            switch outcome {
            case .reply: .reply
            case .unknown: isCancelled ? .other : .unknown
            case .notDelivered: .other
            }
        let isLearnt = await messageTable.ended(id, end)
        if let id, isLearnt { feeds.add(.settled(id, .reached(.applied))) }
        if case .reply = outcome { return outcome }
        if isCancelled { throw CancellationError() }
        // The event may have come before the call knew that it would need it.
        if case .unknown(let id, _) = outcome, let learnt = messageTable.outcome(of: id),
            learnt != .unknown
        {
            feeds.add(.settled(id, learnt))
        }
        return outcome
    }

    private var placesAtGate: Int { (current?.linkQuality ?? .moderate).requestsAtOnce }

    /// The messages of the other device, for one reader. A message counts as received when the
    /// reader gets it. Its identity is durable before that: the other device never hears that a
    /// message did not arrive which the reader has. If the process crashes between the two, the
    /// message is lost, and the other device hears that it arrived.
    public func messages() -> SessionSequence<ReceivedMessage> {
        let token = inbox.read(.message)
        let inbox = inbox
        return SessionSequence(
            SessionSequence.Source(
                next: { [weak self] in
                    while let pending = await inbox.next(.message, token) {
                        guard let self else { return nil }
                        if let message = await received(pending) { return message }
                    }
                    return nil
                }, end: { inbox.end(.message, token) }))
    }

    /// The message that a reader took; nil where the disk failed, and it is rejected.
    private func received(_ pending: PendingRecord) async -> ReceivedMessage? {
        let (message, driven) = (pending.record, pending.driven)
        let isGiven = await messageTable.give(message.id, in: pending.pairing)
        if isGiven {
            driven?.applied(message.id)
        } else {
            driven?.rejected(message.id, code: Rejection.statementFailed.code)
            // So the session learns that the journal failed, and opens it again.
            driven?.write([SQLWrite { _ in }])
        }
        let current = life.withLock { $0.connections[pending.pairing]?.driven }
        inbox.handedOver(message.id)
        for answer in messageTable.given(message.id, isGiven) { _ = try? current?.transfer(answer) }
        guard isGiven else { return nil }
        // The session of a watch that is not connected any more has ended.
        let isOver = driven == nil || driven !== current
        let isAnswered = Atomic(!message.expectsReply || isOver)
        let (capability, body) = Self.parts(message)
        return ReceivedMessage(
            body: body, capability: capability, pairing: pending.pairing
        ) { [weak self] body throws(Refusal) in
            if self?.life.withLock({ $0.isClosed }) ?? true { throw .closed }
            guard !isAnswered.exchange(true, ordering: .relaxed), let driven else {
                throw .answered
            }
            do throws(SendRefusal) {
                try driven.replyOverLinks(to: message, with: body)
            } catch {
                isAnswered.store(false, ordering: .relaxed)
                throw .notTaken(error)
            }
        }
    }

    /// The capability that a message asks for, and what it says.
    private static func parts(_ message: InboundRecord) -> (String?, [UInt8]) {
        guard message.kind == .request, let request = try? AppRequest(message.payload) else {
            return (nil, message.payload)
        }
        return (request.capability, request.body)
    }
}

extension DriverSession {
    /// The longest wait for a reply where the caller states none.
    fileprivate var usualTimeout: Duration {
        guard let trip = roundTripTime else { return .seconds(10) }
        return min(max(trip * 20, .seconds(5)), .seconds(60))
    }
}

extension MessageOutcome {
    fileprivate init(_ failure: DeliveryFailure, _ id: TransferID?) {
        switch failure {
        case .outcomeUnknown:
            // A message without an identity has not left.
            self = id.map { .unknown($0, "\(failure)") } ?? .notDelivered("\(failure)")
        case .notDelivered, .permanent: self = .notDelivered("\(failure)")
        }
    }
}
