import WatchProto

/// One life of one process: it ends with a crash, and everything in it is forgotten.
final class Process<Security: PeerSecurity> {
    var peer: Peer<NotedSecurity<Security>>

    init(_ peer: consuming Peer<NotedSecurity<Security>>) {
        self.peer = peer
    }
}

/// One side of a world: a device with its disk, its process while it runs, and its application.
final class Node<Security: PeerSecurity> {
    let side: Int
    var process: Process<Security>?
    /// Counts the starts; an event of an earlier life finds nothing to hurt.
    var life = 0
    var disk = VirtualDisk()
    var link = LinkState.idle
    var pausedUntil: Instant?
    /// How often a session began or ended.
    var activations = 0
    /// Since when the process has run without a pause.
    var awakeSince = Instant.zero
    /// What its peer sealed and opened.
    let sealing = SealingNotes()
    /// What it sent, as the link took it, and in which life, where some of it is to arrive again.
    var sent: [(bytes: [UInt8], life: Int)] = []
    /// What reached the process while it stood still, in order.
    var deferred: [WorldEvent] = []
    /// Bytes that came before this end of the connection was open.
    var early: [[UInt8]] = []
    /// Bytes that have arrived on a coalescing stream and are still to be read, in this moment.
    var unread: [UInt8] = []
    /// Records that its peer had taken of early data, and whether what it gives out now may be such
    /// a record, in front of the session.
    var earlyReceived: UInt64 = 0
    var bringsEarly = false
    /// Receipts that were due while the process stood still.
    var lateReceipts: [JournalReceipt] = []
    /// The life of the other side that sent the packet being taken in.
    var packetLife: Int?
    /// The life of the other side with which this process has its session, or had its last: what
    /// is told at a commit was heard in that.
    var sessionLife: Int?
    /// When the last of what this side transmitted arrives.
    var lastArrivalAt = Instant.zero
    /// Flights of handshakes sent so far, and the newest of the other side's that came.
    var flights: UInt64 = 0
    var newestFlight: UInt64 = 0
    /// The wall clock's distance from the world's.
    var wallOffset = Duration.zero
    var isSuspended = false
    /// It died while it was draining.
    var isDoomed = false
    /// A commit failed: the journal takes nothing until it is opened again.
    var isJournalClosed = false
    /// The failure that a process that stood still has not been told of.
    var failsLater: JournalReceipt?
    /// A crash that waits for a storage call.
    var plannedCrash: PlannedCrash?
    /// How often it is to die while it recovers.
    var recoveryCrashes = 0

    /// What the person before this device wants done once, each under its idempotency key: not on
    /// the disk, and not forgotten in a crash.
    var intents: [Intent] = []

    // The application, in memory.
    var accepted: [RecordID] = []
    /// Its medications, as it wants the other side to hold them.
    var medications = OrderedTable<RecordKey, [UInt8]>()
    /// A set waits to be compared with what the other side holds.
    var isComparing = false
    /// Records that its peer accepted for a set.
    var synchronizing = Set<RecordID>()
    var unwritten: [ApplicationWrite] = []
    var ownValues = OrderedTable<RecordID, ApplicationWrite>()

    // Bookkeeping of wakes.
    var deadline: Instant?
    var wakeToken = 0
    var lastWakeAt: Instant?
    var wakesInOneMoment = 0
    var mostWakesInOneMoment = 0
    var wakes: [Instant] = []
    var wire = WireTally()
    /// Packets that came through and have not arrived yet, where later ones may overtake them.
    var inTransit: [SentPacket] = []
    var isWaitingForRoom = false

    // The deliveries a sabotage holds on to.
    var heldBack: InboundRecord?
    /// Records that a planted mistake holds back until they expire.
    var heldBackIDs: [RecordID] = []
    /// A planted mistake is to give up what is under way.
    var givesUpQueue = false
    var shownValues: [InboundRecord] = []

    // One stream of choices per purpose, so that they do not shift one another.
    var commitRandom: SeededGenerator
    var timerRandom: SeededGenerator
    var openRandom: SeededGenerator
    var replayRandom: SeededGenerator

    init(side: Int, seed: UInt64) {
        self.side = side
        func stream(_ purpose: UInt64) -> SeededGenerator {
            SeededGenerator(seed: LinkDraws.mixed(seed &+ purpose &* 2 &+ UInt64(side)))
        }
        commitRandom = stream(0x100)
        timerRandom = stream(0x200)
        openRandom = stream(0x300)
        replayRandom = stream(0x400)
    }

    /// Forgets what a process forgets.
    func forget() {
        process = nil
        link = .idle
        pausedUntil = nil
        deferred = []
        early = []
        unread = []
        lateReceipts = []
        packetLife = nil
        sessionLife = nil
        earlyReceived = 0
        bringsEarly = false
        isSuspended = false
        isDoomed = false
        isJournalClosed = false
        failsLater = nil
        accepted = []
        medications.removeAll()
        isComparing = false
        synchronizing = []
        unwritten = []
        ownValues.removeAll()
        deadline = nil
        wakeToken += 1
        isWaitingForRoom = false
        heldBack = nil
        shownValues = []
        disk.crash()
    }
}

/// Something that is to be done once, however often it is asked for.
struct Intent {
    var key: UInt64
    var draft: RecordDraft
    /// The records it was asked for with, in this life or an earlier one.
    var ids: [RecordID] = []
    /// The application has heard how it ended.
    var isOver = false
}

/// One end of the carrier.
enum LinkState: Equatable {
    /// Closed, and nobody wants it.
    case idle
    /// The peer wants it; attempts are counted.
    case wanted(attempt: Int)
    /// It is being opened.
    case opening(generation: Int)
    /// It carries.
    case up(generation: Int)

    var generation: Int? {
        switch self {
        case .opening(let generation), .up(let generation): generation
        default: nil
        }
    }
}
