internal import CPosix
package import ControlProtocol
internal import FaultInjection
internal import Locks
package import WatchProto
package import WatchProtoJournal
internal import WatchProtoSecurity
package import WatchProtoTransport

/// One device as a process: a session, an application, a trace and a control channel.
package final class Simulator: Sendable {
    /// The options of the command line.
    package let options: SimulatorOptions
    /// The device's own part.
    package let application: any SimulatorApplication
    /// The session with the device that this one is paired with.
    package var session: any SimulatorSession { life.withLock { $0.session } }
    /// The trace of every record.
    package let trace: Trace
    /// The hub to which events are reported.
    package let hub: EventHub

    /// The journal's file, which outlives the process; nil where everything is in memory.
    package let file: JournalFile?
    /// The file system under it that fails on purpose, if one does.
    let disk: RecordedDisk?
    let output: ControlOutput
    let observer: SessionObserver
    /// The dose events of the wearer.
    package let ledger: DeviceLedger
    /// Decides when complications leave.
    let publisher: ComplicationPublisher
    /// The files that the device sends and receives.
    let files: FileCenter
    /// The commands that are replied to later.
    let late = Mutex<[JSONValue]>([])
    /// The exchange of statuses with the active device.
    var app: AppExchange { observer.exchanges.app }
    /// The acts of a load whose events are not queued yet.
    let shots = Mutex<[DoseEventID: LoadShot]>([:])
    let load = LoadRunner()
    let states = StateWaits()
    /// The rest of the start.
    let loading = Loading()

    /// The state that changes while the process lives. Commands change it on the main thread.
    struct Life {
        var session: any SimulatorSession
        /// The pairing in use; nil without one, and unsealed.
        var device: PairedDevice?
        /// The pairing under way.
        var coordinator: PairingDriver?
        /// The user's answer about the doses of a watch that pairs with another phone.
        var doseAnswer = DoseAnswer()
        /// The records of the pairings that it replaced, until the main thread has reported them.
        var carryOver = CarryOver()
        /// How it ended, until the main thread has seen to that.
        var ending: PairingLink.Ending?
        /// Where devices are met for which that was said; all others where `--link` says.
        var links: [PairingID: LinkAddress] = [:]
        /// The same of the device that the pairing under way is with.
        var coordinatorLink: LinkAddress?
        /// The sessions with watches that are not active.
        var further: [PairingID: FurtherSession] = [:]
        /// The watches that have a link whether they are active or not.
        var wanted: Set<PairingID> = []
        /// When the address of the link is tried again, and until when; nil while nothing waits
        /// for it.
        var addressWait: (next: Instant, until: Instant)?
        /// When the face that the file kept was shown.
        var firstFace: Instant?
        /// The log of packets that nothing is added to any more.
        var packets: PacketLog?
    }

    let life: Mutex<Life>
    /// The keys, journals and kept values of this device.
    package let storage: DeviceStorage
    /// Stands in where there is no session.
    let none = NoSession()

    /// A pairing that no record is of.
    static let unpaired = PairingID(rawValue: 0)

    /// Names the owner of a file beside its role; and the pairing that both speak for unsealed.
    static let pairing = PairingID(rawValue: 0x5349_4D55_4C41_544F_5250_4149_5249_4E47)

    /// Runs the device until it is asked to end, and ends the process.
    package static func run(
        _ application: any SimulatorApplication, arguments: [String] = CommandLine.arguments
    ) -> Never {
        watchproto_save_memory()
        Descriptors.openStandardStreams()
        let options = SimulatorOptions.orExit(application.role, Array(arguments.dropFirst()))
        do throws(StartRefusal) {
            let loop = try ControlLoop(options, name: "\(application.role)")
            let simulator = try Simulator(options, application, loop)
            loop.run(simulator).exit()
        } catch {
            StandardError.write("Error: \(error.text)")
            error.exit.exit()
        }
    }

    private init(
        _ options: SimulatorOptions, _ application: any SimulatorApplication, _ loop: ControlLoop
    ) throws(StartRefusal) {
        self.options = options
        self.application = application
        output = loop.output
        hub = EventHub(output: output)
        let opened = try options.journal.open(application, Self.pairing)
        file = opened.file
        disk = opened.disk
        trace = Trace(limit: options.traceLimit, followsDurability: file != nil)
        do {
            storage = try DeviceStorage(application.role, file)
        } catch {
            throw StartRefusal(error, else: .unavailable)
        }
        ledger = DeviceLedger(application.role, storage.ledger)
        publisher = ComplicationPublisher(
            application.role, storage.plans, clock: HostClock.shared, assumesForeground: true
        ) { [hub] report, now in
            switch report {
            case .left(let left):
                hub.post("complication.budget", ["remaining": .whole(left)], at: now)
            case .demoted(let isUrgent):
                hub.post("complication.demoted", ["urgent": .bool(isUrgent)], at: now)
            }
        }
        files = FileCenter(
            storage, directory: options.inbox, now: { HostClock.shared.now },
            report: { [hub] report in hub.post("file.progress", report.controlMembers) })
        observer = SessionObserver(
            application, hub: hub, trace: trace, file: file, storage: storage, ledger: ledger,
            publisher: publisher, files: files,
            wireVersion: options.isSealed ? SealedSecurity.wireVersion : OpenSecurity.wireVersion,
            wake: output.changed)
        do {
            let device = options.isSealed ? try storage.paired().last : nil
            life = Mutex(Life(session: none, device: device))
        } catch {
            throw StartRefusal(error, else: .unavailable)
        }
        ledger.setObserver(self)
        application.begins(in: self)
        guard isPaired || options.control != .none && options.link.opensAgain else {
            throw StartRefusal(
                .unavailable,
                "it is not paired, and cannot be: that takes a socket as '--link' and a control "
                    + "channel.\n  Try: pair both in files first ('rig pair') and name them after "
                    + "'--journal', or '--unsealed' for development.")
        }
    }

    // MARK: Sending, followed by the trace

    /// Whether the file has not failed.
    package var canWrite: Bool { file?.failure == nil }

    /// Changes the application's tables without a record. They are durable after the next flush.
    package func write(_ writes: [any StoreWrite]) {
        guard file != nil, !session.write(writes) else { return }
        // A failure is the journal's, and the next `keep()` throws it.
        try? file?.reopen()
        try? file?.write(writes)
    }

    /// Keeps the zones that `news` takes: a journey outlives the process, or its doses would be
    /// due anew.
    package func keepZones(_ news: () -> [UInt8]?) {
        guard canWrite, let zones = news() else { return }
        write([StoreChange.note(.zones, zones)])
    }

    /// Sends a record and books it; the store's changes become durable together with it. Throws
    /// what the peer refuses; nothing is booked or written then.
    @discardableResult
    package func send(
        _ draft: RecordDraft, _ origin: SendOrigin, writes: [any StoreWrite] = []
    ) throws(SendRefusal) -> RecordID {
        try session.transfer(draft, writes: writes) { id, now in
            accepted(id, origin, at: now)
        }
    }

    /// Sends records, all of them or none, or with `isPartial` those before the first refused one,
    /// and books them.
    ///
    /// - Parameters:
    ///   - records: the records, each with its origin and the store's changes that become durable
    ///     together with it.
    ///   - isPartial: whether some may be sent alone.
    package func send(
        _ records: [(draft: RecordDraft, origin: SendOrigin, writes: [any StoreWrite])],
        isPartial: Bool
    ) -> TransferBatch {
        session.transfer(records.map(\.draft), isPartial: isPartial) {
            records[$0].writes
        } accepted: { place, id, now in
            accepted(id, records[place].origin, at: now)
        }
    }

    /// Books a record that was accepted, under the driver's lock.
    func accepted(_ id: RecordID, _ origin: SendOrigin, at now: Instant) {
        if id.channel == .interactive { observer.messages.sent(id) }
        trace.accepted(id, origin, at: now)
    }

    /// Waits until everything given so far is durable, where there is a journal. The effect of a
    /// command is durable before its reply is sent.
    ///
    /// - Parameter outcome: what became of the command if that fails; a query has changed nothing.
    /// - Throws: `journal_failed`; the disk is at fault, and whether it is durable is unknown.
    package func keep(orElse outcome: String = "unknown") throws(ControlError) {
        do throws(JournalError) {
            try file?.flush()
        } catch {
            throw .journalFailed(error.description, outcome: outcome)
        }
    }

    /// Sends an interactive message that wants an answer.
    func sendMessage(_ shot: LoadShot) throws(SendRefusal) {
        var payload = [UInt8](repeating: 0, count: 16)
        for place in 0..<8 {
            payload[place] = UInt8(truncatingIfNeeded: shot.sequence >> UInt64(8 * place))
        }
        try send(
            RecordDraft(
                channel: .interactive, kind: .message, payload: payload, expectsReply: true),
            SendOrigin(
                .message, payload: payload, intended: shot.intended, isWarmUp: shot.isWarmUp))
    }

    /// Durable records whose fate this process takes with it, those of inactive watches included.
    var unsettledCount: Int {
        guard file == nil else { return 0 }
        let session = session
        let active = life.withLock { $0.device?.pairing }
        let others = ((try? storage.paired()) ?? []).map(\.pairing).filter { $0 != active }
        return others.reduce(session.outstandingTransfers.count { $0.channel.traits.isDurable }) {
            $0 + ((try? storage.undelivered(to: $1).count) ?? 0)
        }
    }
}
