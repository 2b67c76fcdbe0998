internal import CommandLine
internal import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoJournal
internal import WatchProtoSecurity
internal import WatchProtoTransport

/// Receives what a session reports: hands records to the device's application, books them in the
/// trace and posts events. Called inline under the driver's lock.
final class SessionObserver: SessionDelegate {
    let application: any SimulatorApplication
    let hub: EventHub
    let trace: Trace
    let file: JournalFile?
    /// The exchanges with the session's device.
    let exchanges: DeviceExchanges
    let publisher: ComplicationPublisher
    /// The version of this side's packets.
    let wireVersion: UInt8
    /// Whether events of single records are left out while a load is measured.
    let isLoadQuiet = Atomic<Bool>(false)
    /// Whether they are left out because somebody asked for it.
    let isAskedQuiet = Atomic<Bool>(false)
    /// Set when no link will ever come again.
    let linkHasEnded = Atomic<Bool>(false)
    /// Whether it was reported that the journal failed, and not yet that it is open again.
    let hasToldFailure = Atomic<Bool>(false)
    let wake: WakeDescriptor
    /// The device of the session; nil without sealing.
    private let device = Mutex<PairedDevice?>(nil)
    let storage: DeviceStorage
    let recovery: Recovery
    let messages = MessageBook()
    /// The messages whose outcome is unknown here, or on the other device.
    let messageTable: MessageTable
    let files: FileCenter
    /// Records this device could not read, and own records the counterpart refused.
    private let unreadable = Atomic<Int>(0)
    let refusedThere = Atomic<Int>(0)

    /// The events of content without a meaning for the device. They tell from which one it came.
    private static let tellingPairing = ["message.arrived", "record.arrived"]
    /// The tag of deferred sends that are echoes.
    static let echoTag: UInt64 = 1

    init(
        _ application: any SimulatorApplication, hub: EventHub, trace: Trace, file: JournalFile?,
        storage: DeviceStorage, ledger: DeviceLedger, publisher: ComplicationPublisher,
        files: FileCenter, wireVersion: UInt8, wake: WakeDescriptor
    ) {
        self.application = application
        self.hub = hub
        self.trace = trace
        self.file = file
        self.publisher = publisher
        self.files = files
        self.wireVersion = wireVersion
        self.wake = wake
        self.storage = storage
        messageTable = MessageTable(storage)
        exchanges = DeviceExchanges(ledger, messageTable, files)
        recovery = Recovery { wake.signal() }
        // Some values may wait since an earlier run.
        wake.signal()
    }

    var isQuiet: Bool {
        isLoadQuiet.load(ordering: .relaxed) || isAskedQuiet.load(ordering: .relaxed)
    }

    /// The session has ended.
    func sessionEnded() {
        exchanges.end()
        publisher.end()
        exchanges.messages.sessionEnded()
    }

    /// The session is with this device.
    func belongs(to device: PairedDevice?) { self.device.withLock { $0 = device } }

    var pairing: PairingID? { device.withLock { $0?.pairing } }
    var counterpart: UInt128 { device.withLock { $0?.counterpartNumber } ?? 0 }

    // MARK: Records

    func deliver(
        _ record: InboundRecord, at now: Instant, later: inout DeferredInputs
    ) -> Disposition {
        let isStatement = record.kind == .app && record.inReplyTo == nil
        let reported = isStatement ? exchanges.app.received(record) : nil
        publisher.received(reported?.status, at: now, later: &later)
        if let reported, reported.isNew {
            hub.post("app.status", reported.status.controlMembers, at: now)
        }
        if isStatement { learn(record, exchanges.messages, at: now, later: &later) }
        return deliver(record, later: &later, exchanges, pairing)
    }

    /// Receives a record of the session that has these exchanges, with the device of a pairing.
    func deliver(
        _ record: InboundRecord, later: inout DeferredInputs, _ exchanges: DeviceExchanges,
        _ pairing: PairingID?
    ) -> Disposition {
        let delivered = SystemClock.now
        if let number = record.inReplyTo {
            trace.replied(to: number, at: delivered)
            return .applied
        }
        if record.kind == .ledger { exchanges.ledger.receiveQuestion(record) }
        if record.kind == .filePart { exchanges.files.received(record.payload) }
        if [.ledger, .app, .filePart].contains(record.kind) { return .applied }
        if record.kind == .doseEvent {
            exchanges.ledger.receive(record, at: delivered)
            return .pending
        }
        if record.kind == .file {
            return exchanges.files.receive(record) { [weak self] whole in
                self?.arrived(file: whole, exchanges.files, pairing, at: delivered)
            }
        }
        let arrival: Arrival
        if record.id.channel == .interactive {
            arrival = take(message: record, pairing, later: &later)
        } else {
            arrival = application.take(record)
            for write in arrival.writes { later.write(write) }
        }
        // Before the event is told: a client that asks for the face then gets the new one.
        let wakes = arrival.cause.map { application.faceMayChange($0) } ?? false
        note(arrival, of: record, in: pairing, deliveredAt: delivered)
        if wakes { wake.signal() }
        return arrival.disposition
    }

    /// A dose event is durable in the ledger, or was refused. Called on the ledger's thread.
    func arrived(_ dose: LedgerArrival) {
        let key = dose.event?.medication.recordKey.hex ?? ""
        let id = dose.event?.id.recordKey.hex ?? ""
        let isNew = !dose.isKnown
        let arrival =
            dose.event == nil
            ? .unreadable
            : Arrival(.applied, event: "dose.arrived") {
                ["key": .string(key), "dose": .string(id), "new": .bool(isNew)]
            }
        note(
            arrival, of: dose.record, deliveredAt: dose.receivedAt, isDurable: file != nil)
    }

    /// - Parameters:
    ///   - arrival: the result of the record.
    ///   - record: the record.
    ///   - pairing: the pairing of its session; nil without sealing, and if no event tells it.
    ///   - delivered: when it came.
    ///   - isDurable: whether the journal has it already.
    func note(
        _ arrival: Arrival, of record: InboundRecord, in pairing: PairingID? = nil,
        deliveredAt delivered: Instant, isDurable: Bool = false
    ) {
        let visible = SystemClock.now
        var wasRejected = false
        if case .rejected = arrival.disposition { wasRejected = true }
        trace.delivered(
            Trace.Delivery(
                id: record.id, kind: record.kind, key: record.key, revision: arrival.revision,
                content: ContentHash.of(record.payload), deliveredNs: delivered.nanoseconds,
                visibleNs: visible.nanoseconds, wasRejected: wasRejected,
                durableNs: isDurable ? visible.nanoseconds : 0))
        // A capability that was withdrawn is no fault of the bytes.
        if wasRejected, record.kind != .request {
            // Reported even under load: a refused record is missing from the device.
            var members = record.id.controlMembers
            members["kind"] = .string(record.kind.controlName)
            members["bytes"] = .whole(record.payload.count)
            hub.post("record.unreadable", .object(members), at: visible)
            log(unreadable, "records that could not be read were refused and are missing here")
        }
        if let event = arrival.event, !isQuiet {
            var members = JSONValue.members(["msg": .whole(record.id.number.rawValue)])
            for member in JSONValue.members(arrival.members()).members {
                members[member.name] = member.value
            }
            if let pairing, Self.tellingPairing.contains(event) {
                members["pairing"] = .string(pairing.hex)
            }
            hub.post(event, .object(members), at: visible)
        }
    }

    func deferredSend(
        _ tag: UInt64, _ result: Result<RecordID, SendRefusal>, at now: Instant,
        later: inout DeferredInputs
    ) {
        guard !publisher.deferredSend(tag, result, at: now),
            case .failure(let refusal) = result
        else { return }
        hub.post(
            "error",
            ["error": ["code": "echo_refused", "reason": .string(refusal.controlName)]], at: now)
    }

    var nextDeadline: Instant? {
        .earlier(publisher.nextDeadline, exchanges.files.nextDeadline)
    }

    func wake(at now: Instant, later: inout DeferredInputs) {
        exchanges.files.wake(at: now)
        publisher.wake(at: now, later: &later)
    }

    // MARK: The log

    func log(_ text: String) { StandardError.write("\(application.role): \(text)") }

    /// Writes a line for the first and then for every doubling, so that a flood stays readable.
    func log(_ counter: borrowing Atomic<Int>, _ text: String) {
        let count = counter.wrappingAdd(1, ordering: .relaxed).newValue
        if count & (count - 1) == 0 { log("\(text): \(count)") }
    }
}
