import Locks
import WatchProtoCore
import WatchProtoRecords
import WatchProtoSecurity
import WatchProtoTransport

/// The outcome of a message.
public enum MessageOutcome: Hashable, Sendable {
    /// The other application answered with these bytes.
    case reply([UInt8])
    /// It never arrived: sending it again cannot do it twice.
    case notDelivered(String)
    /// It may have arrived or not. The event ``SessionEvent/settled(_:_:)`` and
    /// ``CompanionSession/outcome(of:)`` have the truth of this record once it is learnt.
    case unknown(TransferID, String)
}

/// A message of the other device, which somebody waits for there.
public struct ReceivedMessage: Sendable {
    /// Bytes of the application's own meaning.
    public let body: [UInt8]
    /// The capability that the message asks for; nil for none.
    public let capability: String?
    let respond: @Sendable ([UInt8]) throws(Refusal) -> Void

    /// Answers it.
    ///
    /// - Throws: ``Refusal`` where the other device cannot be reached any more, the message has an
    ///   answer already, or is of a watch that is not the active one any more.
    public func reply(_ body: [UInt8]) throws(Refusal) { try respond(body) }
}

extension CompanionSession {
    /// Sends a message for right now and waits for the answer. It is not kept where the other
    /// device cannot be reached.
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
            guard app.theirs?.capabilities.contains(capability) == true else {
                return .notDelivered("the other application does not answer '\(capability)'")
            }
            (payload, kind) = (AppRequest(to: capability, body).bytes, .request)
        }
        let pairing = life.withLock { $0.device?.pairing }
        if priority == .low { await gate.enter(placesAtGate) }
        defer { if priority == .low { gate.leave(placesAtGate) } }
        if Task.isCancelled { throw CancellationError() }
        let current: Driven
        do throws(Refusal) {
            current = try driven()
        } catch {
            return .notDelivered("\(error)")
        }
        guard life.withLock({ $0.device?.pairing }) == pairing else {
            return .notDelivered("the pairing in use changed meanwhile")
        }
        let accepted = Mutex<TransferID?>(nil)
        do throws(DeliveryFailure) {
            return .reply(
                try await current.sendMessage(
                    payload, kind: kind, timeout: timeout ?? current.usualTimeout
                ) { id in accepted.withLock { $0 = id } })
        } catch {
            if Task.isCancelled { throw CancellationError() }
            return MessageOutcome(error, accepted.withLock { $0 })
        }
    }

    private var placesAtGate: Int { (current?.linkQuality ?? .moderate).requestsAtOnce }

    /// The messages of the other device, for one reader. A message counts as received when the
    /// reader gets it.
    public func messages() -> SessionSequence<ReceivedMessage> {
        let token = inbox.read(.message)
        let inbox = inbox
        return SessionSequence(
            SessionSequence.Source(
                next: { [weak self] in
                    guard let pending = await inbox.next(.message, token) else { return nil }
                    return self?.received(pending)
                }, end: { inbox.end(.message, token) }))
    }

    private func received(_ pending: PendingRecord) -> ReceivedMessage {
        let (message, driven) = (pending.record, pending.driven)
        driven?.applied(message.id)
        // The session of a watch that is not the active one any more has ended.
        let isOver = driven == nil || driven !== current
        let isAnswered = Atomic(!message.expectsReply || isOver)
        let (capability, body) = Self.parts(message)
        return ReceivedMessage(body: body, capability: capability) { body throws(Refusal) in
            guard !isAnswered.exchange(true, ordering: .relaxed), let driven else {
                throw .answered
            }
            do throws(SendRefusal) {
                try driven.reply(to: message, with: body)
            } catch {
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
