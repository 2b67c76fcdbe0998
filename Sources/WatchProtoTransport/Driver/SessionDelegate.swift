package import WatchProtoCore

/// The application's ear, called inline in the middle of the hot path.
///
/// Calls come on the driver's thread, or on the thread whose `send` caused them, always one at a
/// time and under the driver's lock: return quickly, and never call the driver or the session from
/// here (the process stops if you do). What should follow goes into `later` and is done right after
/// the peer has drained.
package protocol SessionDelegate: AnyObject, Sendable {
    /// A record of the counterpart. The answer decides whether it counts as applied now.
    func deliver(
        _ record: InboundRecord, at now: Instant, later: inout DeferredInputs
    ) -> Disposition

    /// Something happened to the peer.
    func event(_ event: PeerEvent, at now: Instant, later: inout DeferredInputs)

    /// Something happened below the peer: a link opened, a newcomer was refused.
    func transport(_ event: TransportEvent, at now: Instant, later: inout DeferredInputs)

    /// What became of a draft put into ``DeferredInputs/send(_:tag:writes:)``.
    func deferredSend(
        _ tag: UInt64, _ result: Result<RecordID, SendRefusal>, at now: Instant,
        later: inout DeferredInputs)

    /// When the delegate itself wants ``wake(at:later:)``, if at all. Read after every drain.
    var nextDeadline: Instant? { get }

    /// ``nextDeadline`` has come.
    func wake(at now: Instant, later: inout DeferredInputs)
}

extension SessionDelegate {
    /// Does nothing.
    package func transport(
        _ event: TransportEvent, at now: Instant, later: inout DeferredInputs
    ) {}
    /// Does nothing: the outcome of a deferred draft is not looked at.
    package func deferredSend(
        _ tag: UInt64, _ result: Result<RecordID, SendRefusal>, at now: Instant,
        later: inout DeferredInputs
    ) {}
    /// Nil: the delegate wants no waking.
    package var nextDeadline: Instant? { nil }
    /// Does nothing.
    package func wake(at now: Instant, later: inout DeferredInputs) {}
}

/// What happens below the peer.
package enum TransportEvent: Hashable, Sendable {
    /// A carrier opened.
    case linkOpened(CarrierTraits)
    /// The open carrier ended.
    case linkLost(CarrierFailure)
    /// A carrier could not be opened; the peer tries again after its backoff.
    case linkNotOpened(CarrierFailure)
    /// So many newcomers were turned away since the last report; intervals between reports double.
    case connectionRefused(count: Int)
    /// So many datagrams were dropped for this reason since the last report; intervals between
    /// reports double.
    case datagramIgnored(IgnoredDatagram, count: Int)
    /// The journal is open again after a failed commit, and the peer with it.
    case journalReopened
    /// The journal could not be opened again; the driver tries later.
    case journalNotReopened(JournalFailure)
    /// No further carrier will come: the given descriptors have ended. Close the session.
    case noFurtherLink
}
