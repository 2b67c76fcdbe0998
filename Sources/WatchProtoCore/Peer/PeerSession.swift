/// The state of one session above the connection: measurements, lists of epochs, and answers owed
/// once. It exists from a handshake message of this side to the end of the session.
///
/// Its methods set whatever owns memory: as a peer cannot be copied, Swift 6.3 leaks the former
/// value in `session?.x = y`.
struct PeerSession: Sendable {
    /// The counterpart's epoch and hello, kept until its records are taken.
    struct ReceivedHello: Sendable {
        var epoch: EpochID
        var hello: Hello
    }

    /// Loss recovery, on carriers that can lose.
    var recovery: LossRecovery<PeerReference>?
    /// The moments at which packets leave in a constant shape.
    var grid = ShapeGrid()
    /// Whether the counterpart has a constant shape as well.
    var counterpartShape = CounterpartShape()
    /// Pacing delays frames. A packet that leaves meanwhile shows what the path carries.
    var isPaced = false
    /// Limits bulk, on carriers that cannot.
    var bulk: StreamPacer?
    /// Own epochs as this session's frames index them: the present one first.
    var ownListing: [EpochID]
    /// Own epochs that found no room in the hello.
    var telling: EpochTelling
    /// The own offer to code values.
    var coding: CodingOffer?
    /// Own epochs that frames list, until the counterpart knows them.
    var unlisted: [EpochID] = []
    /// The counterpart's epoch and hello; nil behind a message 1 that is not answered.
    var receivedHello: ReceivedHello?
    /// The counterpart's earlier epochs; nil until its records may be taken.
    var listing: EpochListing?
    /// The counterpart's present epoch, where earlier ones may be forgotten here.
    var forgottenBefore: EpochID?
    /// Records that waited when this side began to act.
    var catchUp = CatchUp(total: 0)
    /// Epochs of the counterpart that were not listed, to be stated as held.
    var heldDue: [EpochID] = []
    /// Epochs that the counterpart called over before they could be closed here, and the position
    /// that came with the statement.
    var overWaiting: [(epoch: EpochID, position: UInt64)] = []
    /// Own epochs that the counterpart holds and this journal does not know: over once their tails
    /// are settled.
    var foreign: [EpochID] = []
    /// The counter of this side's message 1; nil where it responded.
    var ownCounter: UInt64?
    /// The content of the early packets behind this side's message 1, by number; nil once taken.
    var earlySent: [[PeerReference]?] = []
    /// When early packets that the counterpart did not name are lost.
    var earlyLossAt: Instant?
    /// Bytes of the frames in them; repair packets do not count.
    var earlyBytes = 0
    /// FEC of both sides' early packets, on carriers that can lose.
    var earlyRepair = EarlyRepair()
    /// The counter of the message 1 whose early data this side answers, and the packets accepted.
    var earlyCounter: UInt64?
    var earlyTaken = NumberRanges()
    var owesEarlyAnswer = false
    /// The frame that the packets carry until one of them is acknowledged.
    var ticketAnswer: TicketAnswerFrame?
    /// The answer left and is not known to be lost: it goes along with other frames, never alone.
    var isTicketAnswerUnderWay = false
    var pingDue: UInt64?
    var pongDue: UInt64?
    var pingSentAt: Instant?
    /// The token of the last ping; even, those of ``bulk`` are odd.
    var lastPing: UInt64 = 0
    /// Round-trip times on carriers that need no recovery.
    var roundTrip = RoundTripEstimate()

    init(ownListing: [EpochID], telling: EpochTelling) {
        self.ownListing = ownListing
        self.telling = telling
    }

    /// The smoothed round-trip time; nil before the first sample.
    var smoothedRoundTrip: Duration? { recovery?.roundTrip.smoothed ?? roundTrip.smoothed }

    /// Begins to take early data behind the counterpart's message 1 with this counter.
    mutating func beginEarly(counter: UInt64) {
        earlyCounter = counter
        earlyTaken = NumberRanges()
        earlyRepair.decoder = RepairDecoder()
        owesEarlyAnswer = true
    }

    /// The counterpart's records may be taken behind this hello, or none any more.
    mutating func list(_ hello: Hello?) { listing = hello.map { EpochListing($0) } }

    /// The hello of a handshake message has come.
    mutating func receive(_ hello: ReceivedHello) { receivedHello = hello }

    /// Ends the block of early packets: its repair packets leave next.
    ///
    /// - Returns: whether they are the first ones; nil where there are none.
    mutating func endEarlyBlock(limitBytes: Int, at now: Instant) -> Bool? {
        guard earlyRepair.encoder.count > 0 else { return nil }
        let isFirst = earlyRepair.encoder.first == 0
        earlyRepair.due =
            recovery?.takeRepairs(of: &earlyRepair.encoder, limitBytes: limitBytes, at: now) ?? []
        return earlyRepair.due.isEmpty ? nil : isFirst
    }

    /// Asks for a pong, unless one is asked for.
    mutating func requestPing() {
        guard pingDue == nil else { return }
        lastPing += 2
        pingDue = lastPing
    }

    /// The ping that was asked for leaves.
    mutating func sentPing(at now: Instant) {
        pingSentAt = now
        bulk?.sentOtherPing()
    }
}
