import Locks
public import WatchProtoCore
import WatchProtoJournal
import WatchProtoSecurity
import WatchProtoTransport

/// A session of one device with its paired counterpart. The names are those of WatchConnectivity
/// where the idea is the same.
///
/// ```swift
/// let session = try await CompanionSession(
///     SessionOptions(
///         role: .phone, link: "unix:/tmp/doses.sock",
///         journal: .file("phone.journal", key: .file("phone.key"))))
/// try session.activate()
/// let transfer = try session.send(medication)
/// print(try await transfer.outcome(reaching: .committed))
/// ```
///
/// All methods may be called from any thread. A method that sends works inline and waits neither
/// for the network nor for the disk. Close a session with ``close()``. A session that is dropped
/// ends as in a crash: accepted records stay in the journal.
public final class CompanionSession: Sendable {
    /// How the session was set up.
    package let options: SessionOptions
    /// The watch's complications.
    public var complications: ComplicationCenter { ComplicationCenter(session: self) }

    /// The mutable state of the session.
    struct Life {
        /// The open sessions with other devices.
        var connections: [PairingID: DeviceConnection] = [:]
        /// The watches that stay connected while another one is active.
        var stayConnected: Set<PairingID> = []
        /// The pairing in use.
        var device: PairedDevice?
        /// The pairing under way.
        var coordinator: PairingProcess?
        /// The beginning of the newest pairing, or the newest change of the watches. Each waits for
        /// the one before.
        var change: Task<Void, Never>?
        /// The changes of the watches that are under way.
        var changes = 0
        /// Whether one of them changes the active watch.
        var changesWatch = false
        /// The links that differ from that of the options.
        var links: [PairingID: SessionLinks] = [:]
        /// Whether the application wants a link.
        var wantsLink = false
        var isClosed = false

        /// The session with the active device; nil without one, while the device pairs, and while
        /// its watch is being changed.
        var active: DeviceConnection? {
            if changesWatch || coordinator != nil { return nil }
            return connections.values.first { $0.events.isActive.load(ordering: .acquiring) }
        }
    }

    /// The links with a device that has none of its own.
    let usualLinks: SessionLinks
    let clock: any DriverClock
    let store: DeviceStorage
    let life = Mutex(Life())
    let transfers = TransferTable()
    let inbox = Inbox()
    let messageTable: MessageTable
    let feeds: EventReaders
    let ledger: DeviceLedger
    let files: FileCenter
    let publisher: ComplicationPublisher
    /// The status that the application reported last.
    let reported = Mutex<AppStatus?>(nil)
    let pauses = Pauses()
    /// Reads of the journal, which take turns at its connection.
    let reads = WorkPool(threads: 1)
    /// Reads of files that are sent, which may be long.
    let fileReads = WorkPool(threads: 4)
    let gate = RequestGate()

    /// Opens the journal and restores its content: the pairing, unsettled records, unanswered
    /// records of the counterpart, recovered values. Nothing is sent before ``activate()``.
    ///
    /// - Throws: ``OpenError``, which says what to do; nothing was changed.
    public convenience init(_ options: SessionOptions) async throws(OpenError) {
        try await self.init(
            options, links: SessionLinks(options.link), clock: HostClock.shared,
            memory: DeviceMemory())
    }

    init(
        _ options: SessionOptions, links: SessionLinks, clock: any DriverClock,
        memory: DeviceMemory
    ) async throws(OpenError) {
        self.options = options
        usualLinks = links
        self.clock = clock
        feeds = EventReaders(limit: options.eventLimit)
        store = try await Offload.run { () throws(OpenError) in
            try DeviceStorage(options, memory)
        }
        messageTable = MessageTable(store) { [inbox] in inbox.has($0) }
        ledger = DeviceLedger(options.role, store.ledger, on: clock)
        files = FileCenter(
            store, directory: options.placeOfFiles, now: { clock.now },
            report: { [feeds] report in
                feeds.add(
                    .fileProgress(
                        report.id, done: report.done, of: report.total, problem: report.problem))
            })
        publisher = ComplicationPublisher(
            options.role, store.plans, profile: options.complicationPlatform.profile, clock: clock)
        try await Offload.run { [self] () throws(OpenError) in try openSessions() }
    }

    deinit {
        // Perhaps on the driver's own thread, which cannot wait for its end.
        let (connections, coordinator) = life.withLock {
            (Array($0.connections.values), $0.coordinator)
        }
        if !connections.isEmpty || coordinator != nil {
            Offload.start {
                for connection in connections { connection.abandon() }
                coordinator?.close()
            }
        }
        finish()
    }

    /// Ends all readers and all that waits.
    func finish() {
        inbox.finish()
        pauses.finish()
        ledger.finish()
        transfers.finish()
        feeds.finish()
    }

    /// Starts wanting a link: the watch listens, and the phone connects and keeps trying. A device
    /// without a pairing remembers it, and goes on when it is paired.
    ///
    /// - Throws: ``OpenError`` where the link cannot be had. A counterpart that is not there yet is
    ///   no error.
    public func activate() throws(OpenError) {
        let connections = try life.withLock { life throws(OpenError) -> [DeviceConnection] in
            if life.isClosed { throw .closed }
            life.wantsLink = true
            // The end of a pairing or of a change does the same.
            return life.coordinator == nil && life.changes == 0
                ? Array(life.connections.values) : []
        }
        do throws(LinkError) {
            try connections.activate()
        } catch {
            throw .linkUnavailable("\(error)")
        }
    }

    /// Closes the link, and wants none until ``activate()``.
    public func deactivate() {
        let connections = life.withLock { life in
            life.wantsLink = false
            return Array(life.connections.values)
        }
        for connection in connections { connection.driven.deactivate() }
    }

    /// Closes the link and the journal, after everything accepted is durable. A task that waits for
    /// an outcome gets ``TransferOutcome/unknown``. The records stay in the journal, and the next
    /// session on it sends them.
    public func close() async {
        let (connections, coordinator, change) = life.withLock { life in
            life.isClosed = true
            defer {
                life.connections = [:]
                life.coordinator = nil
            }
            return (Array(life.connections.values), life.coordinator, life.change)
        }
        coordinator?.cancel()
        await change?.value
        let unknown = messageTable.closing()
        await Offload.run { [self] in
            coordinator?.close()
            try? store.file?.write(unknown)
            for connection in connections { end(connection) }
            store.close()
        }
        finish()
    }

    /// The events from now on, in order. Each call adds a reader. A slow reader gets the number of
    /// events that it missed.
    public func events() -> SessionSequence<SessionEvent> {
        SessionSequence(feeds.open())
    }

    /// The values that this device's journal had lost and another device returned, until the
    /// application acknowledges each. On a phone, those of every watch. The list survives restarts.
    public var recoveredValues: [RecoveredValue] {
        store.values(.recovered).map { RecoveredValue($0, self) }
    }

    /// The outcome of a record, also of an earlier run of the process, or of a watch that is not
    /// the active one; nil for a record that is not known. Never a guess. *Queued* says here only
    /// that the record is accepted; every later stage, that it is durable. For a record that no
    /// session with a connected watch knows, this waits for the disk; nil also if the journal
    /// cannot be read. Of messages whose outcome was unknown the last 1,024 are known.
    public func outcome(of id: TransferID) -> TransferOutcome? {
        let learnt = messageTable.outcome(of: id)
        if let learnt, learnt != .unknown { return learnt }
        let connections = connections
        var status = connections.status(of: id)
        if status == .unknown, learnt == nil {
            status = (try? statusesElsewhere(of: [id], than: connections))?[id] ?? .unknown
        }
        return switch status {
        case .underWay(let stage): .reached(stage)
        case .settled(let outcome): TransferOutcome(outcome)
        case .lostSince: .unknown
        case .unknown: learnt
        }
    }
}
