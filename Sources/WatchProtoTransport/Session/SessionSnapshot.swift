package import WatchProtoCore

/// The state of a session at one moment.
package struct SessionSnapshot: Sendable {
    /// Whether a link is wanted, and whether a session is open on it.
    package var activation: ActivationState
    /// Whether the counterpart can answer.
    package var isReachable: Bool
    /// Records accepted and not yet settled, channel by channel, oldest first.
    package var outstandingTransfers: [RecordID]
}

extension PeerDriver {
    /// The session's state at one moment.
    package var snapshot: SessionSnapshot {
        loop.ask { state in
            SessionSnapshot(
                activation: state.peer.activationState, isReachable: state.peer.isReachable,
                outstandingTransfers: state.peer.outstandingTransfers)
        }
    }
}
