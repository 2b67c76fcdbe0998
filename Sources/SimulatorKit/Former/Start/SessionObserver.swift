internal import ControlKit
internal import DeviceStore
internal import Synchronization
internal import WatchJournal
internal import WatchProto
internal import WatchProtoRecords
internal import WatchTransport

/// What hears the session: hands records to the device's application, books them in the trace and
/// tells events. Called inline under the driver's lock.
final class SessionObserver: SessionDelegate {
    let application: any SimulatorApplication
    let hub: EventHub
    private let trace: Trace
    private let file: JournalFile?
    /// The version that this side's packets are of.
    let wireVersion: UInt8
    /// Whether events of single records are held back while a load is measured.
    let isLoadQuiet = Atomic<Bool>(false)
    /// Whether they are held back because somebody asked for it.
    let isAskedQuiet = Atomic<Bool>(false)
    /// Set when no link will ever come again.
    let linkHasEnded = Atomic<Bool>(false)
    let wake: WakeDescriptor
    private let ownEpoch = Atomic<UInt64>(0)
    let pairing = Mutex<PairingID?>(nil)
    /// Values handed back that the application has not taken up yet.
    let takeUps: TakeUps
    /// Records this device could not read, and own records the counterpart refused.
    private let unreadable = Atomic<Int>(0)
    private let refusedThere = Atomic<Int>(0)

    /// What deferred sends that are echoes are tagged with.
    private static let echoTag: UInt64 = 1

    init(
        _ application: any SimulatorApplication, hub: EventHub, trace: Trace, file: JournalFile?,
        wireVersion: UInt8, handedBack: [HandedBack], wake: WakeDescriptor
    ) {
        self.application = application
        self.hub = hub
        self.trace = trace
        self.file = file
        self.wireVersion = wireVersion
        self.wake = wake
        // The application's word on these went with the process before.
        takeUps = TakeUps(handedBack) { wake.signal() }
    }

    private var isQuiet: Bool {
        isLoadQuiet.load(ordering: .relaxed) || isAskedQuiet.load(ordering: .relaxed)
    }

    /// The session's epoch, under which answers are booked, and whom it is with.
    func belongs(to epoch: EpochID, of pairing: PairingID?) {
        ownEpoch.store(epoch.rawValue, ordering: .relaxed)
        self.pairing.withLock { $0 = pairing }
    }

    func deliver(
        _ record: InboundRecord, at now: Instant, later: inout DeferredInputs
    ) -> Disposition {
        let delivered = SystemClock.now
        if let number = record.inReplyTo {
            let epoch = EpochID(rawValue: ownEpoch.load(ordering: .relaxed))
            trace.replied(to: number, epoch: epoch, at: delivered)
            return .applied
        }
        let arrival: Arrival
        if record.id.channel == .interactive {
            if record.expectsReply {
                later.send(
                    RecordDraft(
                        channel: .interactive, kind: .message, payload: record.payload,
                        inReplyTo: record.id.number), tag: Self.echoTag)
            }
            let id = record.id
            let count = record.payload.count
            arrival = Arrival(.applied, event: "message.arrived") {
                ["lane": .string(id.channel.controlName), "bytes": .whole(count)]
            }
        } else {
            arrival = application.take(record)
            for write in arrival.writes { later.write(write) }
        }
        let visible = SystemClock.now
        var wasRejected = false
        if case .rejected = arrival.disposition { wasRejected = true }
        trace.delivered(
            Trace.Delivery(
                id: record.id, kind: record.kind, key: record.key, revision: arrival.revision,
                content: ContentHash.of(record.payload), deliveredNs: delivered.nanoseconds,
                visibleNs: visible.nanoseconds, wasRejected: wasRejected))
        if wasRejected {
            // Told even under load: what is refused is missing from the device.
            hub.post(
                "record.unreadable",
                [
                    "msg": .whole(record.id.number.rawValue),
                    "lane": .string(record.id.channel.controlName),
                    "epoch": .string(record.id.epoch.hex),
                    "kind": .string(record.kind.controlName),
                    "bytes": .whole(record.payload.count),
                ], at: visible)
            log(unreadable, "records that could not be read were refused and are missing here")
        }
        if let event = arrival.event, !isQuiet {
            var members = JSONValue.members(["msg": .whole(record.id.number.rawValue)])
            for member in JSONValue.members(arrival.members()).members {
                members[member.name] = member.value
            }
            hub.post(event, .object(members), at: visible)
        }
        return arrival.disposition
    }

    func departed(_ id: RecordID, at now: Instant) { trace.progress(id, .sent, at: now) }

    func event(_ event: PeerEvent, at now: Instant, later: inout DeferredInputs) {
        switch event {
        case .progress(let id, let stage): trace.progress(id, stage, at: now)
        case .settled(let id, let outcome):
            trace.settled(id, outcome, at: now)
            takeUps.recordEnded()
            if case .rejected(let code) = outcome { tellRejected(id, code: code, at: now) }
        case .overdue(let id, let age):
            hub.post(
                "overdue",
                [
                    "msg": .whole(id.number.rawValue), "lane": .string(id.channel.controlName),
                    "epoch": .string(id.epoch.hex), "age_ns": .whole(age.nanosecondsClamped),
                ], at: now)
        case .overdueEnded: hub.post("overdue.ended", at: now)
        case .activation(let state):
            hub.post("activation", activation(state), at: now)
        case .reachability(let isReachable, let evidence):
            hub.post(
                "reachability",
                ["reachable": .bool(isReachable), "evidence": .string(evidence.controlName)],
                at: now)
        case .linkClosed(let reason): tellClosed(reason, at: now)
        case .counterpartChanged(let change):
            tellChanged(change, at: now, later: &later)
        case .catchUp(let settled, let total):
            hub.post("synced", ["settled": .whole(settled), "of": .whole(total)], at: now)
        case .journalFailed:
            let detail = file?.failure?.description ?? ""
            hub.post(
                "error", ["error": ["code": "journal_failed", "detail": .string(detail)]], at: now)
            StandardError.write("\(application.role): nothing more is taken: \(detail)")
        case .notice(let version, let code):
            tellNotice(code, of: version, at: now)
        case .remainingComplicationTransfers(let count):
            if !isQuiet {
                hub.post("complication.budget", ["remaining": .whole(count)], at: now)
            }
        case .linkQuality(let quality):
            hub.post("link.quality", ["quality": .string("\(quality)")], at: now)
        case .synchronized(let channel, let result):
            application.synchronized(result.queued, trace, at: now)
            var members = JSONValue.members([
                "lane": .string(channel.controlName), "records": .whole(result.queued.count),
            ])
            if let state = result.controlState { members["state"] = .string(state) }
            hub.post("set.synchronized", .object(members), at: now)
        case .synchronizeRefused(let channel, let refusal):
            application.synchronized([], trace, at: now)
            hub.post(
                "set.synchronized",
                [
                    "lane": .string(channel.controlName), "records": 0,
                    "refused": .string(refusal.controlName),
                ], at: now)
        case .handedBack(let channel, let key, let kind, let payload):
            takeBack(
                HandedBack(channel: channel, key: key, kind: kind, payload: payload), later: &later)
            hub.post(
                "value.handed_back",
                [
                    "lane": .string(channel.controlName), "key": .string(key.hex),
                    "kind": .whole(kind.rawValue), "bytes": .whole(payload.count),
                ], at: now)
        case .linkWanted: break
        }
    }

    /// Keeps a value for the application to take up on the main thread, also in the file: what is
    /// written here joins the transaction in which the journal takes the value for its own. After
    /// that the counterpart never hands it back again, so a process that ended before the
    /// application had its word would leave the two sides apart for ever.
    private func takeBack(_ value: HandedBack, later: inout DeferredInputs) {
        guard application.takesUp(value) else { return }
        if file != nil { later.write(StoreChange.keep(value)) }
        takeUps.add(value)
    }

    /// The counterpart refused a record for good: what it carried is missing there.
    private func tellRejected(_ id: RecordID, code: UInt16, at now: Instant) {
        hub.post(
            "record.rejected",
            [
                "msg": .whole(id.number.rawValue), "lane": .string(id.channel.controlName),
                "epoch": .string(id.epoch.hex), "code": .whole(code),
            ], at: now)
        log(refusedThere, "records were refused by the counterpart and are missing there")
    }

    /// Writes a line for the first and then for every doubling, so that a flood stays readable.
    private func log(_ counter: borrowing Atomic<Int>, _ text: String) {
        let count = counter.wrappingAdd(1, ordering: .relaxed).newValue
        guard count & (count - 1) == 0 else { return }
        StandardError.write("\(application.role): \(text): \(count)")
    }

    func transport(_ event: TransportEvent, at now: Instant, later: inout DeferredInputs) {
        switch event {
        case .linkOpened: hub.post("link.opened", at: now)
        case .linkLost: break
        case .linkNotOpened(let failure):
            hub.post("link.not_opened", ["detail": .string(failure.text)], at: now)
            StandardError.write("\(application.role): link not opened: \(failure.text)")
        case .connectionRefused(let count):
            hub.post("link.refused", ["count": .whole(count)], at: now)
            StandardError.write(
                "\(application.role): newcomers turned away while a link is open: \(count)")
        case .datagramIgnored: break
        case .noFurtherLink:
            hub.post("link.ended", at: now)
            linkHasEnded.store(true, ordering: .releasing)
            wake.signal()
        }
    }

    func deferredSend(
        _ tag: UInt64, _ result: Result<RecordID, SendRefusal>, at now: Instant,
        later: inout DeferredInputs
    ) {
        guard case .failure(let refusal) = result else { return }
        hub.post(
            "error",
            ["error": ["code": "echo_refused", "reason": .string(refusal.controlName)]], at: now)
    }
}
