import WatchProtoCore

/// One process: it ends with a crash, and everything in it is forgotten.
final class Process {
    var peer: Peer

    init(_ peer: consuming Peer) {
        self.peer = peer
    }
}

/// One side of a world: a device with its disk, its process while it runs, and its application.
final class Node {
    let side: Int
    var process: Process?
    /// Counts the starts; an event of an earlier process changes nothing.
    var life = 0
    var disk: VirtualDisk
    var link = LinkState.idle
    var pausedUntil: Instant?
    /// The number of sessions that began or ended.
    var activations = 0
    /// Since when the process has run without a pause.
    var awakeSince = Instant.zero
    /// Records everything that its peer sealed and opened.
    let sealing = SealingNotes()
    /// Packets that it sent, where some of them are to arrive again.
    var sent: [[UInt8]] = []
    /// Events that reached the process while it stood still, in order.
    var deferred: [WorldEvent] = []
    /// Bytes that came before this end of the connection was open.
    var early: [[UInt8]] = []
    /// Bytes that have arrived on a coalescing stream and are still to be read, in this moment.
    var unread: [UInt8] = []
    /// Records that its peer had taken of early data, and whether what it delivers now may be such
    /// a record, before the session.
    var earlyReceived: UInt64 = 0
    var bringsEarly = false
    // The coverage remembers whether a message 1 waits for its answer, whether the ticket of the
    // present session was entered, whether a conclusion under it is still to be written, and
    // whether the session is active.
    var isInitiating = false
    var hasEntered = false
    var isTicketPending = false
    var isActive = false
    var learnedOfLossAt: Instant?
    /// Receipts that were due while the process stood still.
    var lateReceipts: [JournalReceipt] = []
    /// When the last of its packets arrives.
    var lastArrivalAt = Instant.zero
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

    /// Acts that the user of this device wants done once, each under its idempotency key: not on
    /// the disk, and not forgotten in a crash.
    var intents: [Intent] = []

    // The application, in memory.
    var accepted: [RecordID] = []
    /// Its medications, as it wants the other side to hold them.
    var medications = OrderedTable<RecordKey, [UInt8]>()
    var unwritten: [ApplicationWrite] = []

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
    /// When the last of these arrives.
    var latestInTransit = Instant.zero
    /// How many there may be before those that have arrived are forgotten.
    var inTransitBound = 64
    var isWaitingForRoom = false

    /// Values that the application was given, for mutants that show a wrong one.
    var shownValues: [InboundRecord] = []
    /// A delivery that a mutant holds on to.
    var delayedRecord: InboundRecord?

    // One stream of choices for each purpose, so that they do not shift one another.
    var commitRandom: SeededGenerator
    var timerRandom: SeededGenerator
    var openRandom: SeededGenerator
    var replayRandom: SeededGenerator

    init(side: Int, seed: UInt64, disk: VirtualDisk) {
        self.side = side
        self.disk = disk
        func stream(_ purpose: UInt64) -> SeededGenerator {
            SeededGenerator(seed: LinkDraws.mixed(seed &+ purpose &* 2 &+ UInt64(side)))
        }
        commitRandom = stream(0x100)
        timerRandom = stream(0x200)
        openRandom = stream(0x300)
        replayRandom = stream(0x400)
    }

    /// How often a translator has changed its address.
    var mapping: UInt64 = 0
    /// The address that its datagrams come from.
    var address: PathAddress { PathAddress(host: UInt128(side) + 1, port: 1 + mapping) }

    /// Forgets what a process forgets.
    func forget() {
        process = nil
        link = .idle
        pausedUntil = nil
        deferred = []
        early = []
        unread = []
        lateReceipts = []
        earlyReceived = 0
        bringsEarly = false
        (isInitiating, hasEntered, isTicketPending, isActive) = (false, false, false, false)
        learnedOfLossAt = nil
        isSuspended = false
        isDoomed = false
        isJournalClosed = false
        failsLater = nil
        accepted = []
        medications.removeAll()
        unwritten = []
        deadline = nil
        wakeToken += 1
        isWaitingForRoom = false
        delayedRecord = nil
        shownValues = []
        disk.crash()
    }
}

/// An act that is to be done once, however often it is asked for.
struct Intent {
    var key: UInt64
    var draft: RecordDraft
    /// The records it was asked for with, in this process or an earlier one.
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
