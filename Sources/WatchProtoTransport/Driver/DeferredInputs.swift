package import WatchProtoCore

/// Inputs that a delegate has for the peer. The driver applies them once the peer has drained, in
/// the order given.
package struct DeferredInputs: Sendable {
    enum Input: Sendable {
        case send(RecordDraft, tag: UInt64, writes: [any StoreWrite])
        case cancel(RecordID)
        case applied(RecordID, writes: [any StoreWrite])
        case rejected(RecordID, code: UInt16, writes: [any StoreWrite])
        case deactivate(CloseCode)
    }

    var inputs: [Input] = []
    /// Changes to the store that go with the next batch of journal entries.
    var writes: [any StoreWrite] = []

    init() {}

    /// Changes the application's store in the transaction of the present call. A record answered
    /// with `applied` and this change become durable together or not at all.
    package mutating func write(_ write: any StoreWrite) { writes.append(write) }

    /// Sends a record. The delegate receives the result under `tag`. The writes become durable
    /// together with the record. If it is refused, none is carried out.
    package mutating func send(
        _ draft: RecordDraft, tag: UInt64 = 0, writes: [any StoreWrite] = []
    ) {
        inputs.append(.send(draft, tag: tag, writes: writes))
    }

    /// Cancels a record if it does not count yet.
    package mutating func cancel(_ id: RecordID) { inputs.append(.cancel(id)) }

    /// Reports that the application has applied a pending record. The writes are carried out in the
    /// same transaction, and not at all if the record is not pending.
    package mutating func applied(_ id: RecordID, writes: [any StoreWrite] = []) {
        inputs.append(.applied(id, writes: writes))
    }

    /// Reports that the application rejects a pending record. Writes are as in
    /// ``applied(_:writes:)``.
    package mutating func rejected(
        _ id: RecordID, code: UInt16, writes: [any StoreWrite] = []
    ) {
        inputs.append(.rejected(id, code: code, writes: writes))
    }

    /// Closes the link and sends the reason to the counterpart.
    package mutating func deactivate(_ code: CloseCode = .normal) {
        inputs.append(.deactivate(code))
    }

    var isEmpty: Bool { inputs.isEmpty && writes.isEmpty }
}
