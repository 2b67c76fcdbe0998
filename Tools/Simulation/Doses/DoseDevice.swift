import Locks
import WatchProto
import WatchProtoCore
import WatchProtoRecords

/// A device of the simulation of doses: the phone (0) or a watch (1 and 2).
final class DoseDevice {
    let index: Int
    let disk: DoseDisk
    private(set) var work = PieceQueue()
    private(set) var ledger: DeviceLedger
    private(set) var notes = DoseNotes()
    /// The ends of the sessions with other devices, by device.
    private(set) var links: [Int: DoseLink] = [:]
    let clock = DoseClock()
    /// The events that this device was told to be durable, and has not lost in a restore.
    var told: Set<UInt128> = []
    /// The events that are in the ledger since the start, or were reported as new since then.
    var reported: Set<UInt128> = []
    /// Acts whose outcome the application does not know.
    var unsure: [DoseAct] = []
    /// The taken and skipped events of taps that counted because the slot was open here. The
    /// ledger has not lost them in a restore.
    var taps: Set<UInt128> = []
    /// The number of events in the ledger when the checker looked at the reports last.
    var eventsBefore = 0
    var backup: (contents: DoseDiskContents, told: Set<UInt128>)?
    var reminders = DeviceReminders()
    /// The digest of the ledger, and the events told, when it was checked last.
    var checked: (digest: LedgerDigest, told: Int)?
    private var epochs: UInt64 = 0

    init(_ index: Int, _ mutant: DoseMutant?) {
        self.index = index
        disk = DoseDisk(mutant, clock)
        ledger = Self.ledger(index, disk, work)
        ledger.setObserver(notes)
    }

    private static func ledger(
        _ index: Int, _ disk: DoseDisk, _ work: PieceQueue
    ) -> DeviceLedger {
        let clock = disk.clock
        return DeviceLedger(
            index == 0 ? .phone : .watch, disk, work, clock: { clock.now },
            uptime: { clock.uptime })
    }

    /// The other devices that this one can have sessions with.
    var others: [Int] { index == 0 ? [1, 2] : [0] }

    /// The ends of its sessions, in the order of the other devices.
    var ends: [DoseLink] { others.compactMap { links[$0] } }

    /// The process ends at once, and a new one begins on `contents`, or on what is durable.
    func restart(_ contents: DoseDiskContents? = nil) {
        disk.begin(with: contents ?? disk.state.withLock { $0.contents })
        finish()
        work = PieceQueue()
        notes = DoseNotes()
        ledger = Self.ledger(index, disk, work)
        ledger.setObserver(notes)
        reported = Set(disk.state.withLock { $0.contents.events }.map(\.event.id.rawValue))
        checked = nil
        reminders = DeviceReminders()
        let before = ends
        links = [:]
        for link in before { begin(with: link.other) }
    }

    /// The process is over. Pieces of work that are left would keep it in memory.
    func finish() {
        ledger.finish()
        work.removeAll()
    }

    /// A session with another device begins. It opens the journal if it had failed.
    func begin(with other: Int) {
        end(with: other)
        epochs += 1
        disk.openAgain(for: other)
        let link = DoseLink(self, to: other, epoch: UInt64(index + 1) << 32 | epochs)
        links[other] = link
        link.begin()
    }

    func end(with other: Int) { links.removeValue(forKey: other)?.end() }

    /// The queues have room for as many records. A record that took the room is settled.
    func set(room: Int) {
        disk.state.withLock { $0.room = room }
        for link in ends { link.exchange.settled(link.newRecord(.background), .applied) }
    }

    var isTroubled: Bool {
        disk.state.withLock { state in
            state.isFailed || state.failsReads || state.nextFailure != nil || !state.stopped.isEmpty
        } || ends.contains { link in !link.state.withLock { $0.isOpen } }
    }

    /// Whether the device has nothing to do, and nothing to commit.
    var isQuiet: Bool {
        work.isIdle && !work.isPausing && disk.state.withLock { $0.waiting.isEmpty }
    }
}

/// Events that a wearer records together.
struct DoseAct: Sendable {
    var events: [DoseEvent]
    /// Whether this is a tap on a slot that is shown open. If the slot is closed, nothing changes.
    var isTap = false
    /// Whether the identity is that of another event, so that the device refuses it.
    var isForged = false
}

/// Receives what a ledger reports, for the simulation to look at after each step.
final class DoseNotes: LedgerObserver {
    struct Contents {
        var told: [UInt128] = []
        var reported: [UInt128] = []
        /// The acts that ended, with the refusal if there was one.
        var acts: [(act: DoseAct, refusal: DoseRefusal?)] = []
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

    func checked(_ pairing: PairingID) {}

    func ended(_ act: DoseAct, _ result: Result<Void, DoseRefusal>) {
        contents.withLock { contents in
            switch result {
            case .success:
                // A tap on a closed slot is in no ledger.
                if !act.isTap { contents.told += act.events.map(\.id.rawValue) }
                contents.acts.append((act, nil))
            case .failure(let refusal): contents.acts.append((act, refusal))
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
