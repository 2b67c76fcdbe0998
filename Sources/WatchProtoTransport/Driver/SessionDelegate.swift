package import WatchProtoCore

/// Receives records and events synchronously under the driver's lock.
///
/// Calls come on the driver's thread, or on the thread whose `send` caused them, one at a time.
/// Return quickly, and never call the driver or the session from here: the process stops if you do.
/// Put further inputs into `later`; the driver applies them right after the peer has drained.
package protocol SessionDelegate: AnyObject, Sendable {
    /// Receives a record of the counterpart. The answer decides whether it counts as applied now.
    func deliver(
        _ record: InboundRecord, at now: Instant, later: inout DeferredInputs
    ) -> Disposition

    /// Receives an event of the peer.
    func event(_ event: PeerEvent, at now: Instant, later: inout DeferredInputs)

    /// Receives an event below the peer, such as a link that opened or a connection that was
    /// refused.
    func transport(_ event: TransportEvent, at now: Instant, later: inout DeferredInputs)

    /// Receives the result of a draft given to ``DeferredInputs/send(_:tag:writes:)``.
    func deferredSend(
        _ tag: UInt64, _ result: Result<RecordID, SendRefusal>, at now: Instant,
        later: inout DeferredInputs)

    /// A reply given to ``DeferredInputs/send(_:tag:writes:)`` was accepted.
    func deferredReply(_ id: RecordID, _ draft: RecordDraft)

    /// When the delegate wants ``wake(at:later:)``, if at all. The driver reads it after every
    /// drain.
    var nextDeadline: Instant? { get }

    /// Wakes the delegate at ``nextDeadline``.
    func wake(at now: Instant, later: inout DeferredInputs)
}

extension SessionDelegate {
    /// Does nothing.
    package func transport(
        _ event: TransportEvent, at now: Instant, later: inout DeferredInputs
    ) {}
    /// Does nothing with the outcome of a deferred draft.
    package func deferredSend(
        _ tag: UInt64, _ result: Result<RecordID, SendRefusal>, at now: Instant,
        later: inout DeferredInputs
    ) {}
    /// Does nothing with a deferred reply.
    package func deferredReply(_ id: RecordID, _ draft: RecordDraft) {}
    /// Nil: the delegate wants no wake-up.
    package var nextDeadline: Instant? { nil }
    /// Does nothing.
    package func wake(at now: Instant, later: inout DeferredInputs) {}
}

/// Events below the peer.
package enum TransportEvent: Hashable, Sendable {
    /// A carrier opened.
    case linkOpened(CarrierTraits)
    /// The open carrier ended.
    case linkLost(CarrierFailure)
    /// A carrier could not be opened; the peer tries again after its backoff.
    case linkNotOpened(CarrierFailure)
    /// The number of connections turned away since the last report. Intervals between reports
    /// double.
    case connectionRefused(count: Int)
    /// The number of datagrams dropped for this cause since the last report. Intervals between
    /// reports double.
    case datagramIgnored(IgnoredDatagram, count: Int)
    /// The journal is open again after a failed commit, with a new peer on it.
    case journalReopened
    /// The journal could not be opened again. The driver tries later.
    case journalNotReopened(JournalFailure)
    /// No further carrier will come: the given descriptors have ended. Close the session.
    case noFurtherLink
}
