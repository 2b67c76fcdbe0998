/// What a peer tells its host and its application.
public enum PeerEvent: Hashable, Sendable {
    /// The host should open the carrier now (or accept, if it is the listening side). Answered by
    /// `linkUp` or `linkDown`.
    case linkWanted
    /// The host must close the carrier; bytes transmitted before should still leave.
    case linkClosed(LinkCloseReason)
    /// The session with the counterpart became active or stopped being so. Records that came early,
    /// behind the counterpart's first flight, were delivered before this.
    case activation(ActivationState)
    /// Whether the counterpart can answer now changed, and on what evidence.
    case reachability(Bool, ReachabilityEvidence)
    /// A record of ours came this far.
    case progress(RecordID, Stage)
    /// A record of ours is over.
    case settled(RecordID, Outcome)
    /// The alarm is raised: this durable record, the oldest that the counterpart has not committed,
    /// has come to ``PeerConfiguration/overdueAge``. Told once, however many follow, until
    /// ``overdueEnded``; and again after a restart, if it still is so.
    case overdue(RecordID, age: Duration)
    /// The alarm is over: no durable record waits that long for the counterpart's commit any more.
    case overdueEnded
    /// The counterpart is not the one we knew: it started a new epoch, and perhaps lost what it
    /// held, what it had queued, or both. Told after ``activation(_:)``, and so after early records
    /// of a counterpart that restarted or lost what it held. None come early of one that lost its
    /// queue, was rolled back or cloned.
    case counterpartChanged(CounterpartChange)
    /// Catching up after a reconnection: settled so far, of how many.
    case catchUp(settled: Int, of: Int)
    /// The journal refused to keep what it was given: nothing more is accepted; the host must open
    /// the journal, and a new peer on it, again.
    case journalFailed
    /// Someone this peer does not speak with said so in clear, or sent a flight of another version
    /// on a carrier that can lose. Nobody vouches for it and it changes nothing. Told once a minute
    /// for each version and code, and at most eight times a minute in all.
    case notice(version: UInt8, CloseCode)
    /// A set that had to be compared first was, and this came of it: not ``SyncResult/comparing``.
    case synchronized(Lane, SyncResult)
    /// For a set that had to be compared first there is no room: nothing of it was accepted, and
    /// the counterpart holds what it held. The application synchronizes again once records have
    /// ended.
    case synchronizeRefused(Lane, SendRefusal)
    /// The counterpart holds a newer value of one of this side's keys than this side, which was
    /// wiped or restored from a backup: it is this side's again, and its application takes it over.
    case handedBack(Lane, RecordKey, ContentKind, payload: [UInt8])
    /// How many budgeted complication transfers remain today.
    case remainingComplicationTransfers(Int)
    /// What was measured puts the link on another step; the first one of a peer's life included.
    case linkQuality(LinkQuality)
}

/// Where a session stands (WatchConnectivity's three states).
public enum ActivationState: UInt8, Hashable, Sendable, CaseIterable {
    /// No link is wanted.
    case notActivated = 0
    /// A link is wanted, but no session is open on it yet.
    case inactive = 1
    /// The session is open.
    case activated = 2
}

/// What a greeting revealed about the counterpart.
public enum CounterpartChange: UInt8, Hashable, Sendable, CaseIterable {
    /// First contact.
    case first
    /// It restarted with its journal.
    case restarted
    /// It lost what it held: wiped or without a journal, all of it, and its set is being sent
    /// again; or restored from a backup, or copied, before it confirmed records of this opening.
    /// Those count as delivered and are not there any more: an application that keeps them sends
    /// them again.
    case lostItsState
    /// It came back without its journal: whatever it had queued and not delivered is gone with it,
    /// and nobody can say what that was. When what it held is gone, too, that is told besides.
    case lostItsQueue
    /// It knows less of what it sent than this side holds: its last records were lost in a crash,
    /// or it was wiped or restored from a backup.
    case rolledBack
    /// It goes on from a state it had abandoned, or with an opening that another had followed:
    /// another device was copied from it. Pair anew.
    case cloned
    /// It was restored from a backup so old that this side has forgotten what came after it. Pair
    /// anew.
    case outdated
}

extension LinkCloseReason {
    /// Whether only pairing anew helps: the peer has found so, and wants no link any more.
    public var needsNewPairing: Bool { self == .cloned || self == .outdated }
}

/// Why a link ended, sorted by who is at fault.
public enum LinkCloseReason: Hashable, Sendable {
    /// This side's application or host asked for it, or the peer itself, to greet anew: more epochs
    /// are to be listed, or what the greeting told of held values was overtaken.
    case localRequest
    /// The counterpart closed it, and gave this code.
    case counterpart(CloseCode)
    /// The counterpart broke the rules; offset, expectation and finding inside.
    case violation(WireError)
    /// A frame arrived where the protocol does not allow it.
    case unexpected(frame: UInt8)
    /// The counterpart opened with an older version: it is to be updated.
    case peerTooOld(version: UInt8)
    /// The counterpart opened with a newer version: this side is to be updated.
    case peerTooNew(version: UInt8)
    /// It goes on from a state it had abandoned, as a copied device does: pair anew.
    case cloned
    /// It was restored from too old a backup, ``CounterpartChange/outdated``: pair anew.
    case outdated
    /// It belongs to another pairing, or speaks for the same device.
    case wrongPeer(expected: PeerLabel, found: PeerLabel)
    /// Nothing was heard for the stall time although an answer was owed.
    case stalled
    /// A packet on a stream, or a handshake, did not authenticate.
    case notAuthentic
    /// The carrier failed or ended; the host says why.
    case carrier(CarrierFailure)
    /// The stream ended inside a packet of which this many bytes had come.
    case cutShort(heldBytes: Int, CarrierFailure)
    /// The handshake was not complete in time.
    case handshakeTimedOut
    /// The carrier's largest datagram, in bytes, is too small for a handshake, which needs so many.
    case datagramTooSmall(bytes: Int, needed: Int)
    /// This host has no memory for keys: those of a handshake, or the next one of a session.
    case noMemory
    /// The counterpart wants to pair, and on this side nobody does.
    case counterpartPairs
}
