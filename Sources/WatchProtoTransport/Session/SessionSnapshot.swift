package import WatchProtoCore

/// The state of a session at one moment.
package struct SessionSnapshot: Sendable {
    /// Whether a link is wanted, and whether a session is open on it.
    package var activation: ActivationState
    /// Whether the counterpart can answer.
    package var isReachable: Bool
    /// Records accepted and not yet settled, channel by channel, oldest first.
    package var outstandingTransfers: [RecordID]
    /// The evidence of that it can, or cannot; nil before the first change.
    package var evidence: ReachabilityEvidence?
    /// The last measured quality of the link; nil before the first measurement.
    package var linkQuality: LinkQuality?
    /// Whether the application was given a record and has not decided on it.
    package var hasPending: Bool
}

extension PeerDriver {
    /// The session's state at one moment.
    package var snapshot: SessionSnapshot {
        loop.ask { state in
            SessionSnapshot(
                activation: state.peer.activationState, isReachable: state.peer.isReachable,
                outstandingTransfers: state.peer.outstandingTransfers,
                evidence: state.peer.reachabilityEvidence, linkQuality: state.peer.linkQuality,
                hasPending: state.peer.hasPending)
        }
    }
}
