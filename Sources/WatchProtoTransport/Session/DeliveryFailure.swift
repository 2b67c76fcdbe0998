package import WatchProtoCore

/// Why a message got no answer, sorted by the caller's safe next step.
package enum DeliveryFailure: Error, Hashable, Sendable {
    /// The message never left, or was refused before it counted. A retry cannot apply it twice.
    case notDelivered(Cause)
    /// The message may or may not have arrived. Retry only with an idempotency key.
    case outcomeUnknown(Cause)
    /// A retry will fail in the same way.
    case permanent(Cause)

    /// The cause of the failure.
    package enum Cause: Hashable, Sendable {
        /// The peer refused the draft. Nothing was sent.
        case refused(SendRefusal)
        /// The counterpart's application refused the record, with its own code.
        case rejected(code: UInt16)
        /// The caller's timeout ended.
        case timedOut
        /// The link was lost while the message was under way, or before it left.
        case linkLost
        /// The message's time to live ended.
        case expired
        /// The caller cancelled it.
        case cancelled
        /// A newer value of the same key superseded it.
        case superseded
        /// The session was closed.
        case sessionClosed
    }
}

extension DeliveryFailure: CustomStringConvertible {
    /// The kind of failure and its cause, in words.
    package var description: String {
        switch self {
        case .notDelivered(let cause): "not delivered: \(cause)"
        case .outcomeUnknown(let cause): "outcome unknown: \(cause)"
        case .permanent(let cause): "will never be delivered: \(cause)"
        }
    }
}
