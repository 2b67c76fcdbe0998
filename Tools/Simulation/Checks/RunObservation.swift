package import WatchProtoCore

/// Something an application, or its user, can see. Checkers know nothing else.
package enum RunObservation: Sendable {
    /// The peer accepted a record.
    case accepted(RecordID, RecordDraft)
    /// The peer was given a record under an idempotency key that it has under way, and named that
    /// one.
    case acceptedAgain(RecordID, RecordDraft)
    /// The peer refused a record.
    case refused(Channel, SendRefusal)
    /// The application asked for a record back.
    case cancelAsked(RecordID)
    /// The application was given a record, and said this.
    case delivered(InboundRecord, Disposition)
    /// The application's later word on a record it had left pending.
    case decided(RecordID, Disposition)
    /// A transaction with this write of the application is durable.
    case committed(ApplicationWrite)
    /// The journal holds that records of an own epoch, up to this number, are lost and were
    /// returned.
    case tailWritten(EpochID, Channel, last: UInt64)
    /// The peer wrote a value of this side under a name that no application gave: one that it had,
    /// or one that it took over from the other side. `value` is its fingerprint.
    case renewed(RecordID, RecordKey, value: UInt64)
    /// The journal holds that the other side has settled its records of an epoch up to this number;
    /// all of all channels where the epoch is closed.
    case settledThere(EpochID, Channel?, last: UInt64)
    /// The journal holds that this ticket was entered.
    case ticketWritten(Ticket)
    /// The journal holds that the other side's journal has this ticket, too.
    case ticketShared(Ticket)
    /// The application is to decide on a record that it had left pending, and its peer has none.
    case undecidable(RecordID)
    /// The peer told this.
    case event(PeerEvent)
    /// The process is gone; everything that was not durable is forgotten.
    case crashed
    /// The disk was emptied, too.
    case wiped
    /// A copy of the disk was put aside; it replaces the one before.
    case backedUp
    /// The disk was replaced by that copy, too.
    case restored
    /// Another device with that copy took the place of this one, or this one came back: the copy
    /// and the disk changed places.
    case exchanged
    /// The process runs (again).
    case started
    /// The journal read back differs from the journal written, in this way.
    case misread(String)
    /// A packet was sealed; this is a piece of its key stream, which names its key and its number.
    case sealed(UInt128)
    /// The payload of a handshake message was sealed; the same piece of its key stream, and its
    /// tag.
    case sealedMessage(UInt128, tag: UInt128)
    /// A packet was opened; this is its tag.
    case opened(UInt128)
    /// A packet of early data was opened; this is its tag, and the counter of its message 1.
    case openedEarly(UInt128, counter: UInt64)
    /// Message 2 was opened.
    case messageOpened
    /// A sealed side sends datagrams to this address from now on.
    case dialled(PathAddress)
    /// A datagram of a sealed side left, or came and is about to be read.
    case datagramLeft(PacketKind, bytes: Int, to: PathAddress)
    case datagramCame(PacketKind, bytes: Int, from: PathAddress)
    /// The journal holds that messages 1 up to this counter were met.
    case counterHeld(UInt64)
    /// Something arrived at a sealed session's side, and is about to be read; or has been.
    case arrival(isOver: Bool)
    /// A piece of what this side was to seal stood in what it sent.
    case readable
    /// A reset with a wrong token came; it was counted and changed nothing, or not.
    case resetForged(isInert: Bool)
    /// A carrier opened.
    case linkOpened
    /// The peer was asked about a record.
    case answered(RecordID, RecordStatus)
    /// The peer holds another value of the record's key than this one.
    case replaced(RecordID)
    /// The peer was asked for all records that are under way.
    case outstanding([RecordID])
    /// The peer was set up to raise the alarm over its oldest record at this age.
    case overdueAge(Duration)
    /// The application looked at the alarm: its process has run for `awake` without a pause, its
    /// disk owes nothing, and timers go off at most `lateness` after their time.
    case watched(awake: Duration, lateness: Duration)
    /// Since this moment nothing has stood between the two applications: both processes ran, a
    /// session was open, disks kept up, and the conditions were fair.
    case unhindered(since: Instant)
    /// The wall clock was set.
    case wallClock(WallTime)
    /// The newest value of a key of this side that the peer holds at the end, as a fingerprint; 0
    /// for a removal or nothing.
    case holds(Channel, RecordKey, RecordID?, value: UInt64)
    /// The run ended.
    case ended(Ending)

    /// Whether it is about packets alone.
    var isOfPackets: Bool {
        switch self {
        case .sealed, .sealedMessage, .opened, .openedEarly, .counterHeld, .arrival, .readable,
            .messageOpened, .dialled, .datagramLeft, .datagramCame:
            true
        default: false
        }
    }
}

/// The writes of one side's application, in the transaction of the journal entries persisted next.
package enum ApplicationWrite: Hashable, Sendable {
    /// It took over a record; `value` is the fingerprint of its payload.
    case effect(RecordID, RecordKey?, value: UInt64)
    /// It took note of a record and will decide later; key and value as for the effect.
    case noted(RecordID, RecordKey?, value: UInt64)
    /// It refused a record.
    case refusal(RecordID, code: UInt16)
    /// Its own note of a record it sent, such as a dose in its list of those taken.
    case queued(RecordID)
    /// Its own note of how a record of this side ended.
    case settled(RecordID, Outcome)
}

/// How things stood when a run ended.
package struct Ending: Sendable {
    /// Whether the link was healed, so that everything had to arrive.
    package var isHealed: Bool
    /// Whether everything had settled before the time ran out.
    package var isDrained: Bool
    /// The direction that was dead from some moment on, by the side that sends into it.
    package var deadDirection: Int?
    /// The carrier of the run.
    package var carrier: EndingCarrier
    /// Receivers had little room, and turned records away that left once more for it.
    package var hasTightLimits = false
    /// By side.
    package var sides: [SideEnding]

    /// Makes an ending.
    package init(
        isHealed: Bool, isDrained: Bool, deadDirection: Int?, carrier: EndingCarrier,
        sides: [SideEnding]
    ) {
        self.isHealed = isHealed
        self.carrier = carrier
        self.isDrained = isDrained
        self.deadDirection = deadDirection
        self.sides = sides
    }
}

/// How one side stood when a run ended.
package struct SideEnding: Sendable {
    /// Whether it still believes that the counterpart can answer.
    package var isReachable: Bool
    /// Records under way.
    package var outstanding: [RecordID]
    /// The other things for which it waits, in words.
    package var awaited: [String] = []
    /// How often it was woken in the quiet time at the end.
    package var quietWakes: Int
    /// How long the quiet time at the end was, in virtual time.
    package var quietTime: Duration
    /// The most wakes in a row in one moment.
    package var wakesInOneMoment: Int
    /// The bytes and packets that it gave to its carrier.
    package var wire: WireTally
    /// How long the run was, in virtual time.
    package var runTime: Duration

    /// Makes one side's ending.
    package init(
        isReachable: Bool, outstanding: [RecordID], quietWakes: Int, quietTime: Duration,
        wakesInOneMoment: Int, wire: WireTally, runTime: Duration
    ) {
        self.isReachable = isReachable
        self.outstanding = outstanding
        self.quietWakes = quietWakes
        self.quietTime = quietTime
        self.wakesInOneMoment = wakesInOneMoment
        self.wire = wire
        self.runTime = runTime
    }
}

/// A promise that was broken, as one checker saw it.
package struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The name of the checker.
    package var checker: String
    /// When, in virtual time.
    package var at: Instant
    /// On which side it was seen.
    package var side: Int
    /// The promise, and the observation that breaks it.
    package var message: String

    /// Makes a finding.
    package init(checker: String, at: Instant, side: Int, message: String) {
        self.checker = checker
        self.at = at
        self.side = side
        self.message = message
    }

    /// The finding on one line: checker, message, side and virtual time in seconds.
    package var description: String {
        "\(checker): \(message) (\(WorldNames.side(side)), \(WorldTrace.seconds(at)) s)"
    }
}
