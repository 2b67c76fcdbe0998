/// What a peer tells its host and its application.
public enum PeerEvent: Hashable, Sendable {
    /// The host should open the carrier now (or accept, if it is the listening side). Answered by
    /// `linkUp` or `linkDown`.
    case linkWanted
    /// The host must close the carrier; bytes transmitted before should still leave.
    case linkClosed(LinkCloseReason)
    /// The session with the counterpart became active or stopped being so.
    case activation(ActivationState)
    /// Whether the counterpart can answer now changed, and on what evidence.
    case reachability(Bool, ReachabilityEvidence)
    /// A record of ours came this far.
    case progress(RecordID, Stage)
    /// A record of ours is over.
    case settled(RecordID, Outcome)
    /// The counterpart is not the one we knew: it started a new epoch, lost what it held, or both.
    case counterpartChanged(CounterpartChange)
    /// Catching up after a reconnection: settled so far, of how many.
    case catchUp(settled: Int, of: Int)
    /// How many budgeted complication transfers remain today.
    case remainingComplicationTransfers(Int)
}

/// Where a session stands (WatchConnectivity's three states).
public enum ActivationState: UInt8, Hashable, Sendable, CaseIterable {
    case notActivated = 0
    case inactive = 1
    case activated = 2
}

/// What made the peer decide that the counterpart can, or cannot, answer now.
public enum ReachabilityEvidence: UInt8, Hashable, Sendable, CaseIterable {
    /// The handshake completed and a packet came after it.
    case sessionActivated
    /// A packet arrived after a silence.
    case heard
    /// The link went down.
    case linkDown
    /// Nothing was heard for the stall time although an answer was owed.
    case silence
    /// The counterpart said that it is suspending or closing.
    case counterpartSaidSo
}

/// What a greeting revealed about the counterpart.
public enum CounterpartChange: UInt8, Hashable, Sendable, CaseIterable {
    /// First contact.
    case first
    /// It restarted with its journal.
    case restarted
    /// It lost what it held (wiped, or without a journal): its set is being sent again.
    case lostItsState
}

/// Why a link ended, sorted by who is at fault.
public enum LinkCloseReason: Hashable, Sendable {
    /// This side's application or host asked for it.
    case localRequest
    /// The counterpart closed it, and gave this code.
    case counterpart(CloseCode)
    /// The counterpart broke the rules; offset, expectation and finding inside.
    case violation(WireError)
    /// A frame arrived where the protocol does not allow it.
    case unexpected(frame: UInt8)
    /// The counterpart speaks only older versions.
    case peerTooOld(version: UInt8)
    /// The counterpart speaks only newer versions.
    case peerTooNew(version: UInt8)
    /// It belongs to another pairing, or speaks for the same device.
    case wrongPeer
    /// Nothing was heard for the stall time although an answer was owed.
    case stalled
    /// A packet on a stream, or a handshake, did not authenticate.
    case notAuthentic
    /// The carrier failed or ended; the host says why.
    case carrier(CarrierFailure)
    /// The handshake was not complete in time.
    case handshakeTimedOut
}

/// Why a carrier is gone: the system's word.
public struct CarrierFailure: Hashable, Sendable {
    /// The system call that failed, or "end of stream".
    public var call: StaticText
    /// Its error number, 0 at the end of a stream.
    public var errorNumber: Int32

    public init(call: StaticText, errorNumber: Int32) {
        self.call = call
        self.errorNumber = errorNumber
    }
}

/// Text fixed at compile time, comparable by content.
public struct StaticText: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public var text: StaticString
    public init(stringLiteral value: StaticString) { text = value }
    public static func == (left: StaticText, right: StaticText) -> Bool {
        left.description == right.description
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
    public var description: String { text.description }
}

/// The code in a close frame.
public struct CloseCode: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Done; come back whenever.
    public static let normal = CloseCode(rawValue: 0)
    /// The sender suspends (background, sleep) and will not answer for a while.
    public static let suspending = CloseCode(rawValue: 1)
    /// The receiver of the code broke the rules.
    public static let violation = CloseCode(rawValue: 2)
    /// The receiver of the code speaks a version the sender does not.
    public static let incompatible = CloseCode(rawValue: 3)
    /// The two are not a pair.
    public static let wrongPeer = CloseCode(rawValue: 4)
    /// Nothing was heard for too long.
    public static let stalled = CloseCode(rawValue: 5)
    /// The sender has a link to this pairing already.
    public static let busy = CloseCode(rawValue: 6)
}
