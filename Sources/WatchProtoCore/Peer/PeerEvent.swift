/// An event that a peer reports to its environment and its application.
package enum PeerEvent: Hashable, Sendable {
    /// The environment should open the carrier now, or accept, if it is the listening side.
    /// Answered by `linkUp` or `linkDown`.
    case linkWanted
    /// The environment must close the carrier; bytes transmitted before should still leave. It has
    /// done so already where the reason is ``ConnectionEnd/replaced``, and closes only the newcomer
    /// where it is ``ConnectionEnd/notWanted``.
    case linkClosed(ConnectionEnd)
    /// The session with the counterpart became active or stopped being so. Early records are
    /// delivered before this.
    case activation(ActivationState)
    /// The reachability of the counterpart changed, on this evidence.
    case reachability(Bool, ReachabilityEvidence)
    /// A record of this side, which the own journal holds, reached a stage.
    case progress(RecordID, Stage)
    /// A record of this side was put into a packet before the own journal held it. The stage is
    /// reported after the commit; this event is for those who measure.
    case departed(RecordID)
    /// A record of this side is over.
    case settled(RecordID, Outcome)
    /// The oldest durable record that the counterpart has not committed reached
    /// ``PeerConfiguration/overdueAge``. Reported once until ``overdueEnded``, and again after a
    /// restart.
    case overdue(RecordID, age: Duration)
    /// No durable record waits that long for the counterpart's commit any more.
    case overdueEnded
    /// A handshake showed this change of the counterpart's journal.
    case counterpartChanged(CounterpartChange)
    /// A handshake showed that this side's own journal went back, or that it was wiped.
    case journalWentBack(wiped: Bool)
    /// The counterpart holds records of an earlier epoch of this side that this side's journal
    /// lost. Their content is not known here.
    case tailLost(EpochID, Channel, ClosedRange<UInt64>)
    /// Progress of catching up after a reconnection: settled so far, of how many.
    case catchUp(settled: Int, of: Int)
    /// The journal refused a batch: nothing more is accepted. The environment opens the journal,
    /// and a new peer on it, again.
    case journalFailed
    /// An advisory packet came, in clear, which nobody vouches for; or a message 1 of another
    /// version. It changes no state.
    case advisory(version: UInt8, CloseCode)
    /// A value of this side goes on under another name: the one before is superseded. A crash may
    /// swallow the event; the outcome stays known.
    case renumbered(RecordID, as: RecordID)
    /// The counterpart held a newer value of one of this side's keys. It is this side's again, and
    /// its application takes it over. The batch of the recovery is formed after this report, so
    /// that an environment can make writes of the application durable with it.
    case recovered(Channel, RecordKey, ContentKind, payload: [UInt8])
    /// A value of this side, written since its journal went back, met a different one of the
    /// abandoned history at the counterpart. `kept` is the value from now on.
    case conflict(Channel, RecordKey, kept: ConflictingValue, replaced: ConflictingValue)
    /// The measured quality of the link changed its step.
    case linkQuality(LinkQuality)
    /// This side has a constant shape, and a packet of the session shows that the counterpart has
    /// none: an observer learns when the counterpart says something. Reported once in a session.
    case shapeIsOneSided
}

/// One of two values that meet in a conflict.
public struct ConflictingValue: Hashable, Sendable {
    /// The kind of content in the payload.
    public var kind: ContentKind
    /// The value's canonical bytes.
    public var payload: [UInt8]

    /// Makes the value.
    package init(kind: ContentKind, payload: [UInt8]) {
        self.kind = kind
        self.payload = payload
    }
}

/// The state of a session (the three states of WatchConnectivity).
public enum ActivationState: UInt8, Hashable, Sendable, CaseIterable {
    /// No link is wanted.
    case notActivated = 0
    /// A link is wanted, but no session is open on it yet.
    case inactive = 1
    /// The session is open.
    case activated = 2
}

/// The change of the counterpart's journal that a handshake showed (Models/IDENTITY.md, section 5).
public enum CounterpartChange: UInt8, Hashable, Sendable, CaseIterable {
    /// The two meet for the first time.
    case first
    /// It restarted on its journal.
    case restarted
    /// Its journal went back to an earlier state: records that it confirmed since are lost there.
    case wentBack
    /// It came back with an empty journal.
    case wiped
    /// Another device goes on from the same backup: pair anew.
    case cloned
}
