package import WatchProtoCore

/// What a delegate wants done to the peer once it has drained, in the order given.
package struct DeferredInputs: Sendable {
    enum Input: Sendable {
        case send(RecordDraft, tag: UInt64, writes: [any StoreWrite])
        case updateComplication(RecordKey, [UInt8])
        case cancel(RecordID)
        case applied(RecordID, writes: [any StoreWrite])
        case rejected(RecordID, code: UInt16, writes: [any StoreWrite])
        case deactivate(CloseCode)
    }

    var inputs: [Input] = []
    /// Changes to the store that go with the next batch of journal entries.
    var writes: [any StoreWrite] = []

    init() {}

    /// Changes the application's store in the same transaction as what the delegate is being told:
    /// a record answered with `applied` and this change become durable together or not at all.
    package mutating func write(_ write: any StoreWrite) { writes.append(write) }

    /// Sends a record; the delegate hears what became of it under `tag`. The writes become durable
    /// together with the record; when it is refused, none is carried out.
    package mutating func send(
        _ draft: RecordDraft, tag: UInt64 = 0, writes: [any StoreWrite] = []
    ) {
        inputs.append(.send(draft, tag: tag, writes: writes))
    }

    /// Shows a new state in the complication. A refusal is reported as of tag `UInt64.max`.
    package mutating func updateComplication(_ key: RecordKey, _ payload: [UInt8]) {
        inputs.append(.updateComplication(key, payload))
    }

    /// Takes a record back if it does not count yet.
    package mutating func cancel(_ id: RecordID) { inputs.append(.cancel(id)) }

    /// The application has taken over a record it had left pending. The writes are carried out in
    /// the same transaction, and not at all when the record is not pending.
    package mutating func applied(_ id: RecordID, writes: [any StoreWrite] = []) {
        inputs.append(.applied(id, writes: writes))
    }

    /// The application refuses a record it had left pending; writes as in ``applied(_:writes:)``.
    package mutating func rejected(
        _ id: RecordID, code: UInt16, writes: [any StoreWrite] = []
    ) {
        inputs.append(.rejected(id, code: code, writes: writes))
    }

    /// Closes the link, telling the counterpart why.
    package mutating func deactivate(_ code: CloseCode = .normal) {
        inputs.append(.deactivate(code))
    }

    var isEmpty: Bool { inputs.isEmpty && writes.isEmpty }
}
