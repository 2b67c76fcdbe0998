public import ControlKit
internal import CrashKit
internal import Synchronization
public import WatchJournal
public import WatchProto
internal import WatchSecurity
public import WatchTransport

/// One device as a process: a session, an application, a trace and a control channel.
public final class Simulator: Sendable {
    /// What the command line asked for.
    public let options: SimulatorOptions
    /// The device's own part.
    public let application: any SimulatorApplication
    /// The one session of the process.
    public let session: SimulatorSession
    /// What became of every record.
    public let trace: Trace
    /// Where events are told.
    public let hub: EventHub

    /// What outlives the process; nil where everything is in memory.
    public let file: JournalFile?
    /// The file system under it that fails on purpose, if one does.
    let disk: RecordedDisk?
    let output: ControlOutput
    let ear: SessionEar
    let load = LoadRunner()

    /// The pairing that both simulators speak for; pairing itself comes with the real security.
    static let pairing = PairingID(rawValue: 0x5349_4D55_4C41_544F_5250_4149_5249_4E47)

    /// Runs the device until it is asked to end, and ends the process.
    public static func run(
        _ application: any SimulatorApplication, arguments: [String] = CommandLine.arguments
    ) -> Never {
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
        ear = SessionEar(
            application, hub: hub, trace: trace, file: file, handedBack: opened.handedBack,
            wake: output.changed)
        var session = SessionOptions(
            PeerConfiguration(role: application.role, pairing: Self.pairing), at: options.link)
        session.driver.pinnedCPU = options.cpu
        session.driver.peer.overdueAge = options.overdueAge
        session.eventLimit = 1
        let trace = trace
        do {
            let journal = try file.map { trace.following(try $0.journal(for: Self.pairing)) }
            self.session = try SimulatorSession(
                session, security: Unsealed(), journal: journal ?? MemoryJournal(), delegate: ear)
        } catch {
            throw StartRefusal(.unavailable, "\(error)")
        }
        ear.belongs(to: self.session.currentEpoch)
    }

    // MARK: Sending, followed by the trace

    /// Sends a record and books it; the store's changes become durable together with it. Throws
    /// what the peer refuses; nothing is booked or written then.
    @discardableResult
    public func send(
        _ draft: RecordDraft, _ origin: SendOrigin, writes: [any StoreWrite] = []
    ) throws(SendRefusal) -> RecordID {
        try session.transfer(draft, writes: writes) { id, now in
            trace.accepted(id, origin, at: now)
        }
    }

    /// Waits until everything given so far is durable, where there is a journal. What a command
    /// did is so before its reply says it.
    ///
    /// - Throws: `journal_failed`; the disk is at fault.
    public func keep() throws(ControlError) {
        do throws(JournalError) {
            try file?.flush()
        } catch {
            throw ControlError("journal_failed", ["detail": .string(error.description)])
        }
    }

    /// Shows a new state in the watch's complication and books it. Throws what the peer refuses,
    /// and `tooLarge` (in bytes) for a state over its budget; nothing is booked then.
    @discardableResult
    public func show(
        _ state: ComplicationState, intended: Instant? = nil, isWarmUp: Bool = false
    ) throws(SendRefusal) -> ComplicationUpdate {
        // A state whose texts fit the budget always encodes; one that does not is our caller's.
        guard let payload = try? state.encoded() else {
            throw .tooLarge(bytes: state.encodedSize, limit: ComplicationState.byteBudget)
        }
        let key = ComplicationID.main.recordKey
        let origin = SendOrigin(
            .complication, key: key, revision: LoadComplication.revision(of: state),
            payload: payload, intended: intended, isWarmUp: isWarmUp)
        return try session.updateComplication(key, payload) { update, now in
            trace.decided(update, origin, at: now)
        }
    }

    /// Sends an interactive message that wants an answer.
    func sendMessage(_ shot: LoadShot) throws(SendRefusal) {
        var payload = [UInt8](repeating: 0, count: 16)
        for place in 0..<8 {
            payload[place] = UInt8(truncatingIfNeeded: shot.sequence >> UInt64(8 * place))
        }
        try send(
            RecordDraft(lane: .interactive, kind: .message, payload: payload, expectsReply: true),
            SendOrigin(
                .message, payload: payload, intended: shot.intended, isWarmUp: shot.isWarmUp))
    }

    /// The members of `ready`.
    func ready() -> JSONValue {
        let role = "\(application.role)"
        return ControlMessage.event(
            "ready",
            JSONValue.members([
                "v": .integer(ControlMessage.version), "role": .string(role),
                "pid": .whole(ProcessFacts.pid), "seed": .whole(options.seed),
                "t_ns": .whole(SystemClock.now.nanoseconds), "sealed": .bool(session.isSealed),
                "durable": .bool(session.isDurable), "link": .string(options.link.description),
                "epoch": .string(session.currentEpoch.hex),
                "journal": file.map(describe) ?? .null,
            ]), atNanoseconds: 0)
    }

    private func describe(_ file: JournalFile) -> JSONValue {
        var object = JSONObject()
        object["path"] = .string(file.path)
        object["durable"] = true
        object["sealed"] = .bool(options.journal.isSealed)
        if let fault = options.journal.diskFault {
            object["disk_fault"] = .string(fault.argumentText)
        }
        return .object(object)
    }

    /// What a run does not protect, for the log.
    var plainWords: String {
        guard file != nil else { return "not durable, not sealed" }
        let sealing =
            options.journal.isSealed
            ? "the link is not sealed" : "the link is not sealed, the journal neither"
        guard let fault = options.journal.diskFault else { return sealing }
        return sealing + ", and the journal's disk fails on purpose (\(fault.argumentText))"
    }

    /// Durable records whose fate this process takes with it.
    var unsettledCount: Int {
        session.isDurable ? 0 : session.outstandingTransfers.count { $0.lane.traits.isDurable }
    }
}
