import Locks
import WatchProto
import WatchProtoCore
import WatchProtoRecords

/// A device of the simulation of doses: the phone (0) or a watch (1 and 2).
final class DoseDevice {
    let index: Int
    let disk: DoseDisk
    private(set) var work = PieceQueue()
    private(set) var exchange: LedgerExchange
    private(set) var notes = DoseNotes()
    /// The end of the session with another device; nil on a phone without one.
    private(set) var link: DoseLink?
    /// Milliseconds of the wall clock before the true time, or after it.
    var clock: Int64 = 0
    /// The events that this device was told to be durable, and has not lost in a restore.
    var told: Set<UInt128> = []
    /// The events that are in the ledger since the start, or were reported as new since then.
    var reported: Set<UInt128> = []
    /// Events whose outcome the application does not know.
    var unsure: [[DoseEvent]] = []
    var backup: (contents: DoseDiskContents, told: Set<UInt128>)?
    /// The digest of the ledger, and the events told, when it was checked last.
    var checked: (digest: LedgerDigest, told: Int)?
    private var epochs: UInt64 = 0

    init(_ index: Int, _ mutant: DoseMutant?) {
        self.index = index
        disk = DoseDisk(mutant)
        exchange = LedgerExchange(index == 0 ? .phone : .watch, disk, work)
        exchange.setObserver(notes)
    }

    /// The process ends at once, and a new one begins on `contents`, or on what is durable.
    func restart(_ contents: DoseDiskContents? = nil) {
        disk.begin(with: contents ?? disk.state.withLock { $0.contents })
        work = PieceQueue()
        notes = DoseNotes()
        exchange = LedgerExchange(index == 0 ? .phone : .watch, disk, work)
        exchange.setObserver(notes)
        reported = Set(disk.state.withLock { $0.contents.events }.map(\.event.id.rawValue))
        checked = nil
        let other = link?.other
        link = nil
        if let other { begin(with: other) }
    }

    /// A session with another device begins. It opens the journal if it had failed.
    func begin(with other: Int) {
        if link != nil { end() }
        epochs += 1
        if disk.state.withLock({ $0.isFailed }) { disk.openAgain() }
        let link = DoseLink(disk, to: other, epoch: UInt64(index + 1) << 32 | epochs)
        self.link = link
        exchange.begin(link)
    }

    func end() {
        guard let link else { return }
        self.link = nil
        exchange.end()
        link.dropQuestions()
    }

    var isTroubled: Bool {
        disk.state.withLock { $0.isFailed || $0.failsReads || $0.nextFailure != nil }
            || link.map { link in !link.state.withLock { $0.isOpen } } ?? false
    }

    /// Whether the device has nothing to do, and nothing to commit.
    var isQuiet: Bool {
        work.isIdle && !work.isPausing && disk.state.withLock { $0.waiting.isEmpty }
            && link.map { link in
                link.state.withLock { $0.questions.isEmpty && $0.replies.isEmpty }
            } ?? true
    }
}

/// Receives what an exchange reports, for the simulation to look at after each step.
final class DoseNotes: LedgerObserver {
    struct Contents {
        var told: [UInt128] = []
        var reported: [UInt128] = []
        /// The acts that ended, with the refusal if there was one.
        var acts: [(events: [DoseEvent], refusal: DoseRefusal?)] = []
    }

    private let contents = Mutex(Contents())

    func queued(_ event: DoseEventID, _ encoding: [UInt8], as id: RecordID, at now: Instant) {}

    func recorded(_ events: [DoseEvent]) {
        contents.withLock { contents in
            contents.told += events.map(\.id.rawValue)
            contents.reported += events.map(\.id.rawValue)
        }
    }

    func arrived(_ arrivals: [LedgerArrival]) {
        contents.withLock { contents in
            for arrival in arrivals {
                guard let identity = arrival.event?.id.rawValue else { continue }
                contents.told.append(identity)
                if !arrival.isKnown { contents.reported.append(identity) }
            }
        }
    }

    func ended(_ events: [DoseEvent], _ result: Result<Void, DoseRefusal>) {
        contents.withLock { contents in
            switch result {
            case .success:
                contents.told += events.map(\.id.rawValue)
                contents.acts.append((events, nil))
            case .failure(let refusal): contents.acts.append((events, refusal))
            }
        }
    }

    /// The reports since the last call.
    func taken() -> Contents {
        contents.withLock { contents in
            defer { contents = Contents() }
            return contents
        }
    }
}

extension DoseLink {
    /// No question of this end gets an answer any more.
    func dropQuestions() {
        let questions = state.withLock { state in
            defer { (state.questions, state.replies) = ([], []) }
            return state.questions
        }
        for question in questions { question.answered(nil) }
    }
}
