/// One side of one pairing: the whole protocol as one value.
///
/// Bytes and time go in; bytes, journal entries and events come out through a ``PeerHost``.
/// After any call that takes `at:`, call ``drain(into:)`` once, then wait until ``nextDeadline``
/// or the next input. Time never runs backwards.
public struct Peer<Security: PeerSecurity>: ~Copyable {
    public let configuration: PeerConfiguration

    /// Opens the peer on what its journal holds.
    ///
    /// - Parameters:
    ///   - image: what the journal holds; empty on a first start.
    ///   - freshEpoch: random; becomes this opening's epoch with its first record.
    public init(
        _ configuration: PeerConfiguration, restoring image: JournalImage = JournalImage(),
        freshEpoch: EpochID, security: Security, clock: WallClock, at now: Instant
    ) {
        self.configuration = configuration
    }

    // MARK: What arrives

    /// The carrier is open.
    public mutating func linkUp(_ carrier: CarrierTraits, at now: Instant) {}

    /// The carrier is gone, or could not be opened.
    public mutating func linkDown(_ failure: CarrierFailure, at now: Instant) {}

    /// Bytes arrived: on a stream a chunk of any size, on a datagram carrier one whole datagram.
    public mutating func receive(_ bytes: Span<UInt8>, at now: Instant) {}

    /// ``nextDeadline`` has come (calling early does no harm).
    public mutating func wake(at now: Instant) {}

    /// A batch of journal entries is durable.
    public mutating func committed(_ receipt: JournalReceipt, at now: Instant) {}

    /// A batch of journal entries could not be made durable.
    public mutating func failed(_ receipt: JournalReceipt, at now: Instant) {}

    /// The wall clock or the time zone changed.
    public mutating func wallClockChanged(_ clock: WallClock, at now: Instant) {}

    // MARK: What the application wants

    /// Starts wanting a link (`activate` in WatchConnectivity). Reports `linkWanted`.
    public mutating func activate(at now: Instant) {}

    /// Closes the link, telling the counterpart why, and stops wanting one.
    public mutating func deactivate(_ code: CloseCode, at now: Instant) {}

    /// Accepts a record for delivery.
    public mutating func send(
        _ draft: RecordDraft, at now: Instant
    ) throws(SendRefusal) -> RecordID {
        throw .notReachable
    }

    /// Shows a new state in the complication: at once when quiet, gathered when busy, never when
    /// equal to the last. The payload is a `ComplicationState` in its canonical encoding.
    public mutating func updateComplication(
        _ key: RecordKey, _ payload: [UInt8], at now: Instant
    ) throws(SendRefusal) {}

    /// Takes a record back if it does not count yet.
    public mutating func cancel(_ id: RecordID, at now: Instant) {}

    /// The application has taken over a record it had left pending.
    public mutating func applied(_ id: RecordID, at now: Instant) {}

    /// The application refuses a record it had left pending.
    public mutating func rejected(_ id: RecordID, code: UInt16, at now: Instant) {}

    // MARK: What comes out

    /// Carries out everything that is due, in order.
    public mutating func drain<Host: PeerHost & ~Copyable>(into host: inout Host) {}

    /// When to call ``wake(at:)``, if nothing arrives before.
    public var nextDeadline: Instant? { nil }

    // MARK: What can be asked

    /// What is known of a record this side sent.
    public func status(of id: RecordID) -> RecordStatus { .unknown }

    /// Records accepted and not yet settled, in the order they were accepted, lane by lane.
    public var outstandingTransfers: [RecordID] { [] }

    /// Whether the counterpart can answer now.
    public var isReachable: Bool { false }

    public var activationState: ActivationState { .notActivated }

    /// Budgeted complication transfers left today.
    public var remainingComplicationTransfers: Int { 0 }
}
