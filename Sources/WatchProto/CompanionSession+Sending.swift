import Locks
import WatchProtoCore
import WatchProtoJournal
public import WatchProtoRecords
import WatchProtoSecurity
import WatchProtoTransport

extension CompanionSession {
    /// Sends a record: it is in the journal's hands when this returns, leaves when the link allows,
    /// and counts once.
    ///
    /// - Parameters:
    ///   - record: a medication, user information, or a type of the application.
    ///   - options: its time to live, and the caller's own name for the act.
    /// - Returns: its course, which one can await, watch and cancel.
    /// - Throws: ``Refusal``; nothing has changed then.
    @discardableResult
    public func send<Record: CompanionRecord>(
        _ record: Record, _ options: SendOptions = SendOptions()
    ) throws(Refusal) -> Transfer {
        try send(record.draft(options))
    }

    private static var contextKey: RecordKey { .context.mixed(with: .applicationContext) }

    /// The newest context that this application sent, whether it arrived or not; nil for none.
    /// Readable without a link and after a restart.
    public var applicationContext: ApplicationContext? {
        guard let value = current?.newestValue(.context, of: Self.contextKey),
            value.kind == .applicationContext
        else { return nil }
        return ApplicationContext(value.payload)
    }

    /// The newest context of the other application that this one has taken; nil for none. Readable
    /// without a link and after a restart.
    public var receivedApplicationContext: ApplicationContext? {
        guard let value = current?.heldValue(.context, of: Self.contextKey),
            value.kind == .applicationContext
        else { return nil }
        return ApplicationContext(value.payload)
    }

    /// Makes the other device hold exactly these medications, sending what it lacks and removing
    /// what is not among them; nothing at all where it holds this very set.
    ///
    /// - Returns: a transfer for each medication that is sent or removed.
    /// - Throws: ``Refusal``; nothing has changed then.
    @discardableResult
    public func synchronize(
        _ medications: [LightweightMedication]
    ) throws(Refusal) -> [Transfer] {
        var values: [SyncValue] = []
        for medication in medications {
            let draft = try medication.draft(SendOptions())
            values.append(
                SyncValue(
                    key: medication.id.recordKey, kind: .medication, payload: draft.payload))
        }
        let driven = try driven()
        do throws(SendRefusal) {
            var made: [Transfer] = []
            _ = try driven.synchronize(
                .context, values, kinds: [.medication], removalKind: .medicationRemoval
            ) { result, _ in
                guard case .queued(let ids) = result else { return }
                made = ids.map { Transfer(transfers.course(of: $0), self) }
            }
            return made
        } catch {
            throw .notTaken(error)
        }
    }

    /// Sends a file, which holds back nothing else: the other device fetches it block by block, and
    /// goes on where it was after a cut or a restart of either device. The file has to stay as it
    /// is until the transfer is settled.
    ///
    /// - Parameters:
    ///   - path: the file. It is read once now, for its hash, and again as its blocks leave.
    ///   - metadata: bytes for the other application, at most 4,096.
    ///   - options: the time to live, and the caller's own name for the act. A file has low
    ///     priority. While a transfer with that name is under way, it is returned, and no other
    ///     file is sent.
    /// - Returns: its course, which ends when the other application has accepted the whole file.
    ///   ``SessionEvent/fileProgress(_:done:of:problem:)`` tells how far it is. It is rejected with
    ///   code 65,526 where 1,024 files wait for the other application already.
    /// - Throws: ``Refusal``; nothing has changed then. ``Refusal/unreadableFile(_:)`` where the
    ///   file cannot be read, or its name has a control character or begins with a dot; also where
    ///   the task is cancelled while the file is read. ``Refusal/notEncodable(_:)`` for too many
    ///   bytes of metadata.
    @discardableResult
    public func transferFile(
        at path: String, metadata: [UInt8] = [], _ options: SendOptions = SendOptions()
    ) async throws(Refusal) -> Transfer {
        // A long file is not read in vain.
        _ = try driven()
        let isCancelled = Atomic(false)
        let read = await withTaskCancellationHandler {
            await Offload.run(in: fileReads) {
                Result { () throws(Refusal) in
                    try FileCenter.read(path, metadata: metadata) {
                        isCancelled.load(ordering: .relaxed)
                    }
                }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
        let source = try read.get()
        let file = options.idempotencyKey ?? .random(in: 0 ... .max)
        guard let counterpart = life.withLock({ $0.device?.counterpartNumber }) else {
            throw .notPaired
        }
        let draft = RecordDraft(
            channel: .bulk, kind: .file, payload: source.offer.bytes,
            expiresAt: options.expiresAt, idempotencyKey: file)
        return try files.offering.withLock { _ throws(Refusal) in
            // The act is under way already.
            if let id = files.offer(of: file, for: counterpart), let known = transfer(id) {
                return known
            }
            let former = files.sent(FileCenter.Name(file: file, counterpart: counterpart))
            let writes = files.keep(source, as: file, for: counterpart)
            do throws(Refusal) {
                return try send(draft, writes: writes) { [files] id in
                    files.offered(file, for: counterpart, as: id)
                }
            } catch {
                files.notOffered(file, for: counterpart, keeping: former)
                throw error
            }
        }
    }

    /// Pauses or resumes the transfer of a file, or cancels it.
    func change(_ id: TransferID, to state: FileState) -> Bool { files.change(id, to: state) }

    /// The course of a record, for instance of one of ``SessionState/outstandingTransfers`` that an
    /// earlier run of the process sent; nil for a record that is not known, as of ``outcome(of:)``.
    public func transfer(_ id: TransferID) -> Transfer? {
        guard outcome(of: id) != nil else { return nil }
        let isOfEarlierRun = !transfers.has(id)
        let transfer = Transfer(transfers.course(of: id), self)
        // Nobody tells the end of a record that was settled before its course was made.
        switch outcome(of: id) ?? .unknown {
        case .reached(.applied): transfers.settle(id, .reached(.applied))
        case .reached(let stage):
            if stage > .queued || isOfEarlierRun { transfers.reach(id, stage) }
        case let outcome: transfers.settle(id, outcome)
        }
        return transfer
    }

    /// Cancels a record that does not count yet.
    func cancel(_ id: TransferID) -> Bool {
        let isFile = files.change(id, to: .cancelled)
        // An offer that has not left is over at once.
        let isRecord = connections.contains { $0.driven.cancel(id) }
        return isFile || isRecord
    }

    /// Compares the course of a record with what the peer knows.
    func compare(_ id: TransferID, with driven: DriverSession) {
        compare(id, driven.status(of: id))
    }

    private func compare(_ id: TransferID, _ status: RecordStatus) {
        switch status {
        case .underWay(let stage): if stage > .queued { transfers.reach(id, stage) }
        case .settled(let outcome):
            if let outcome = TransferOutcome(outcome) { transfers.settle(id, outcome) }
        case .lostSince, .unknown:
            guard transfers.has(id) else { return }
            transfers.settle(id, .unknown)
            feeds.add(.settled(id, .unknown))
        }
    }

    /// Compares all courses: a journal that was opened again, or a new pairing, may have lost
    /// records. Those of a watch that is not connected go on when it is.
    func compareAll() {
        let ids = transfers.all
        let (connections, driven, isPaired) = life.withLock {
            (Array($0.connections.values), $0.active?.driven, $0.device != nil)
        }
        guard driven != nil || !isPaired else { return }
        var unknown: [TransferID] = []
        for id in ids {
            let status = connections.status(of: id)
            if status == .unknown { unknown.append(id) } else { compare(id, status) }
        }
        // If the journal cannot be read, nothing is said of them.
        guard let elsewhere = try? statusesElsewhere(of: unknown, than: connections),
            // Otherwise the change of the watch compares them.
            current === driven
        else { return }
        for id in unknown {
            // A former session may not have said that a record is durable.
            if case .underWay(.queued)? = elsewhere[id] { transfers.reach(id, .queued) }
            compare(id, elsewhere[id] ?? .unknown)
        }
    }

    func send(
        _ draft: RecordDraft, writes: [SQLWrite] = [],
        accepted: (TransferID) -> Void = { _ in }
    ) throws(Refusal) -> Transfer {
        let driven = try driven()
        do throws(SendRefusal) {
            var course: TransferCourse?
            let id = try driven.transfer(draft, writes: writes) { id, _ in
                course = transfers.course(of: id)
                accepted(id)
            }
            // The record may have joined an earlier one, of which no further event comes.
            compare(id, with: driven)
            return Transfer(course ?? transfers.course(of: id), self)
        } catch {
            throw .notTaken(error)
        }
    }
}
