public import WatchProtoCore
import WatchProtoJournal
import WatchProtoTransport

/// A record of the other device.
public struct Received<Record: CompanionRecord>: Sendable {
    /// The record's identity, the same on both devices.
    public let id: TransferID
    /// The value.
    public let value: Record
    /// The pairing with the device that sent it.
    public let pairing: PairingID
    /// Whether the record is delivered again: an earlier run of the process did not answer it.
    public let isRedelivery: Bool
    /// The sender's own name for the act, if it gave one.
    public let idempotencyKey: UInt128?
}

/// A record that waits for the application's answer.
public struct Delivery<Record: CompanionRecord>: Sendable {
    /// The record.
    public let received: Received<Record>
    /// The value.
    public var value: Record { received.value }
    let answer: @Sendable (Rejection?) -> Void

    /// The record counts as applied, and the sender gets that outcome. A second answer has no
    /// effect.
    public func accept() { answer(nil) }

    /// The application does not want the record. The sender gets the code.
    public func reject(_ rejection: Rejection) { answer(rejection) }
}

/// A registered handler of one type. Without one, records of the type wait.
public struct Registration: Sendable {
    let end: @Sendable () -> Void

    /// Ends the registration. Records that arrive later wait for the next one.
    public func cancel() { end() }
}

extension CompanionSession {
    /// Applies each record of a type exactly once: the statements of `body` become durable together
    /// with the fact that the record is applied, or neither does.
    ///
    /// `body` runs for one record after the other, in the order of arrival, also for records of an
    /// earlier run of the process. All handlers of a session run on one task. `body` may call the
    /// session. A type has one `apply` or one reader of `deliveries`: the newest replaces the
    /// other. A new pairing may bring a record again that the former one applied.
    ///
    /// - Parameters:
    ///   - type: the type of the records.
    ///   - body: gets the record, and a transaction for its statements. An error rejects the
    ///     record, and no statement is executed. A statement that fails rejects it as well.
    @discardableResult
    public func apply<Record: CompanionRecord>(
        _ type: Record.Type,
        _ body:
            @escaping @Sendable (
                Received<Record>, inout JournalTransaction
            ) throws(Rejection) -> Void
    ) -> Registration {
        let inbox = inbox
        let token = inbox.handle(Record.kind) { [weak self, weak inbox] pending in
            guard let self, let inbox, let received = read(pending, as: Record.self) else {
                return
            }
            var transaction = JournalTransaction()
            do throws(Rejection) {
                if inbox.hasFailed(received.id) { throw .statementFailed }
                try body(received, &transaction)
                guard !transaction.isEmpty else { return answer(pending, nil) }
                guard store.isDurable else { throw .statementFailed }
                let write = transaction.write.ofApplication(deciding: true) { [feeds] failure in
                    inbox.failed(received.id)
                    feeds.add(.journalFailed("\(failure)"))
                }
                answer(pending, nil, [write])
            } catch {
                answer(pending, error)
            }
        }
        return Registration { inbox.end(Record.kind, token) }
    }

    /// The records of a type, for one reader: each at least once, also those of an earlier run of
    /// the process. A record that the reader does not answer is delivered again after a restart.
    /// Records that nobody reads wait in the journal and in memory, 65,536 at most; then the sender
    /// waits. Of files, 1,024 at most wait; further ones are rejected with code 65,526.
    public func deliveries<Record: CompanionRecord>(
        of type: Record.Type
    ) -> SessionSequence<Delivery<Record>> {
        let token = inbox.read(Record.kind)
        let inbox = inbox
        return SessionSequence(
            SessionSequence.Source(
                next: { [weak self] in
                    while let pending = await inbox.next(Record.kind, token) {
                        guard let received = self?.read(pending, as: Record.self) else { continue }
                        return Delivery(received: received) { [weak self] rejection in
                            self?.answer(pending, rejection)
                        }
                    }
                    return nil
                }, end: { inbox.end(Record.kind, token) }))
    }

    private func read<Record: CompanionRecord>(
        _ pending: PendingRecord, as type: Record.Type
    ) -> Received<Record>? {
        let record = pending.record
        guard
            let value = try? Record(
                decoding: record.payload, key: record.key?.mixed(with: Record.kind))
        else {
            answer(pending, .unreadable)
            return nil
        }
        return Received(
            id: record.id, value: value, pairing: pending.pairing,
            isRedelivery: pending.isRedelivery,
            idempotencyKey: record.idempotencyKey.map(Record.kind.mixed))
    }

    private func answer(
        _ pending: PendingRecord, _ rejection: Rejection?, _ writes: [SQLWrite] = []
    ) {
        let (id, isFile) = (pending.record.id, pending.kind == .file)
        var writes = writes
        if isFile { writes += files.removal(of: id).map { $0.ofApplication(deciding: true) } }
        let isTaken =
            rejection.map { pending.driven?.rejected(id, code: $0.code, writes: writes) }
            ?? pending.driven?.applied(id, writes: writes)
        if isFile, isTaken == true { files.forget(id) }
    }
}
