package import WatchProtoCore

/// Why a message got no answer, sorted by what the caller may safely do next.
package enum DeliveryFailure: Error, Hashable, Sendable {
    /// It never left, or was refused before it counted: sending again cannot do it twice.
    case notDelivered(Cause)
    /// It may or may not have arrived: send again only with an idempotency key.
    case outcomeUnknown(Cause)
    /// Sending the same again will fail the same way.
    case permanent(Cause)

    /// What happened.
    package enum Cause: Hashable, Sendable {
        /// The peer refused the draft; nothing left.
        case refused(SendRefusal)
        /// The counterpart's application refused the record, with its own code.
        case rejected(code: UInt16)
        /// The time the caller gave ran out.
        case timedOut
        /// The link went while the message was under way, or before it left.
        case linkLost
        /// Its time to live ran out.
        case expired
        /// The caller took it back.
        case cancelled
        /// A newer value of the same key made it needless.
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
