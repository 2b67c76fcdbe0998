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
    public let options: SessionOptions
    /// The watch's complications.
    public var complications: ComplicationCenter { ComplicationCenter(session: self) }
    typealias Driven = DriverSession<NoiseSecurity>

    /// The mutable state of the session.
    struct Life {
        var driven: Driven?
        /// The pairing in use.
        var device: PairedDevice?
        /// The pairing under way.
        var desk: PairingProcess?
        /// The beginning of the newest pairing, or the newest change of the watch. Each waits for
        /// the one before.
        var change: Task<Void, Never>?
        /// Whether the watch is being changed.
        var changesWatch = false
        /// The links that differ from that of the options.
        var links: [PairingID: SessionLinks] = [:]
        /// Whether the application wants a link.
        var wantsLink = false
        var isClosed = false
    }

    /// The links with a device that has none of its own.
    let usualLinks: SessionLinks
    let clock: any DriverClock
    let store: DeviceStorage
    let life = Mutex(Life())
    let transfers = TransferTable()
    let inbox = Inbox()
    let feeds: EventReaders
    let ledger: DeviceLedger
    let publisher: ComplicationPublisher
    let app: AppExchange
    let pauses = Pauses()
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
        ledger = DeviceLedger(options.role, store.ledger)
        app = AppExchange { [ledger] in ledger.isSending }
        publisher = ComplicationPublisher(
            options.role, store.plans, profile: options.complicationPlatform.profile, clock: clock)
        try await Offload.run { [self] () throws(OpenError) in try openDriven() }
    }

    deinit {
        // Perhaps on the driver's own thread, which cannot wait for its end.
        let (driven, desk) = life.withLock { ($0.driven, $0.desk) }
        if driven != nil || desk != nil {
            Offload.start {
                driven?.abandon()
                desk?.close()
            }
        }
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
        let driven = try life.withLock { life throws(OpenError) -> Driven? in
            if life.isClosed { throw .closed }
            life.wantsLink = true
            return life.desk == nil ? life.driven : nil
        }
        do throws(LinkError) {
            try driven?.activate()
        } catch {
            throw .linkUnavailable("\(error)")
        }
    }

    /// Closes the link, and wants none until ``activate()``.
    public func deactivate() {
        life.withLock { life in
            life.wantsLink = false
            return life.driven
        }?.deactivate()
    }

    /// Closes the link and the journal, after everything accepted is durable. A task that waits for
    /// an outcome gets ``TransferOutcome/unknown``. The records stay in the journal, and the next
    /// session on it sends them.
    public func close() async {
        let (driven, desk, change) = life.withLock { life in
            life.isClosed = true
            defer {
                life.driven = nil
                life.desk = nil
            }
            return (life.driven, life.desk, life.change)
        }
        desk?.cancel()
        await change?.value
        let (store, ledger, publisher, app) = (store, ledger, publisher, app)
        await Offload.run {
            desk?.close()
            driven?.close()
            ledger.endExchanges()
            publisher.end()
            app.end()
            store.close()
        }
        inbox.finish()
        pauses.finish()
        ledger.finish()
        transfers.finish()
        feeds.finish()
    }

    /// The events from now on, in order. Each call adds a reader. A slow reader gets the number of
    /// events that it missed.
    public func events() -> SessionSequence<SessionEvent> {
        SessionSequence(feeds.open())
    }

    /// The values that this device's journal had lost and the counterpart returned, until the
    /// application acknowledges each. The list survives restarts.
    public var recoveredValues: [RecoveredValue] {
        guard let device = life.withLock({ $0.device }) else { return [] }
        let values = store.values(.recovered, of: device.counterpartNumber)
        return values.map { RecoveredValue($0, self) }
    }

    /// The outcome of a record, also of an earlier run of the process, or of a watch that is not
    /// the active one; nil for a record that is not known. Never a guess. For a record that the
    /// session with the active watch does not know, this waits for the disk; nil also if the
    /// journal cannot be read.
    public func outcome(of id: TransferID) -> TransferOutcome? {
        let (driven, device) = life.withLock { ($0.driven, $0.device) }
        var status = driven?.status(of: id) ?? .unknown
        if status == .unknown {
            let active = driven == nil ? nil : device?.pairing
            status = (try? statusesElsewhere(of: [id], than: active))?[id] ?? .unknown
        }
        return switch status {
        case .underWay(let stage): .reached(stage)
        case .settled(let outcome): TransferOutcome(outcome)
        case .lostSince: .unknown
        case .unknown: nil
        }
    }
}
