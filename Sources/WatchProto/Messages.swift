import Locks
import WatchProtoCore
import WatchProtoRecords
import WatchProtoTransport

/// The outcome of a message.
public enum MessageOutcome: Hashable, Sendable {
    /// The other application answered with these bytes.
    case reply([UInt8])
    /// It never arrived: sending it again cannot do it twice.
    case notDelivered(String)
    /// It may have arrived or not.
    case unknown(String)
}

/// A message of the other device, which somebody waits for there.
public struct ReceivedMessage: Sendable {
    /// Bytes of the application's own meaning.
    public let body: [UInt8]
    let respond: @Sendable ([UInt8]) throws(Refusal) -> Void

    /// Answers it.
    ///
    /// - Throws: ``Refusal`` where the other device cannot be reached any more, or the message has
    ///   an answer already.
    public func reply(_ body: [UInt8]) throws(Refusal) { try respond(body) }
}

extension CompanionSession {
    /// Sends a message for right now and waits for the answer. It is not kept where the other
    /// device cannot be reached.
    ///
    /// - Parameters:
    ///   - body: at most 65,536 bytes.
    ///   - timeout: the longest wait.
    /// - Throws: `CancellationError` where the waiting task was cancelled: the message is taken
    ///   back where it has not left.
    public func sendMessage(
        _ body: [UInt8], timeout: Duration = .seconds(10)
    ) async throws(CancellationError) -> MessageOutcome {
        guard let current else { return .notDelivered("\(Refusal.notPaired)") }
        do throws(DeliveryFailure) {
            return .reply(try await current.sendMessage(body, timeout: timeout))
        } catch {
            if Task.isCancelled { throw CancellationError() }
            return MessageOutcome(error)
        }
    }

    /// The messages of the other device, for one reader. A message counts as received when the
    /// reader gets it.
    public func messages() -> SessionSequence<ReceivedMessage> {
        let token = inbox.read(.message)
        let inbox = inbox
        return SessionSequence(
            SessionSequence.Source(
                next: { [weak self] in
                    guard let pending = await inbox.next(.message, token) else { return nil }
                    return self?.received(pending.record)
                }, end: { inbox.end(.message, token) }))
    }

    private func received(_ message: InboundRecord) -> ReceivedMessage {
        let driven = current
        driven?.applied(message.id)
        let isAnswered = Atomic(!message.expectsReply)
        return ReceivedMessage(body: message.payload) { body throws(Refusal) in
            guard let driven else { throw .closed }
            guard !isAnswered.exchange(true, ordering: .relaxed) else { throw .answered }
            do throws(SendRefusal) {
                try driven.reply(to: message, with: body)
            } catch {
                throw .notTaken(error)
            }
        }
    }
}

extension MessageOutcome {
    fileprivate init(_ failure: DeliveryFailure) {
        switch failure {
        case .notDelivered, .permanent: self = .notDelivered("\(failure)")
        case .outcomeUnknown: self = .unknown("\(failure)")
        }
    }
}
