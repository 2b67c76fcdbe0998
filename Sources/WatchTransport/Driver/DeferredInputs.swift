public import WatchProto

/// What a delegate wants done to the peer once it has drained, in the order given.
public struct DeferredInputs: Sendable {
    enum Input: Sendable {
        case send(RecordDraft, tag: UInt64)
        case updateComplication(RecordKey, [UInt8])
        case cancel(RecordID)
        case applied(RecordID)
        case rejected(RecordID, code: UInt16)
        case deactivate(CloseCode)
    }

    var inputs: [Input] = []

    init() {}

    /// Sends a record; the delegate hears what became of it under `tag`.
    public mutating func send(_ draft: RecordDraft, tag: UInt64 = 0) {
        inputs.append(.send(draft, tag: tag))
    }

    /// Shows a new state in the complication. A refusal is reported as of tag `UInt64.max`.
    public mutating func updateComplication(_ key: RecordKey, _ payload: [UInt8]) {
        inputs.append(.updateComplication(key, payload))
    }

    /// Takes a record back if it does not count yet.
    public mutating func cancel(_ id: RecordID) { inputs.append(.cancel(id)) }

    /// The application has taken over a record it had left pending.
    public mutating func applied(_ id: RecordID) { inputs.append(.applied(id)) }

    /// The application refuses a record it had left pending.
    public mutating func rejected(_ id: RecordID, code: UInt16) {
        inputs.append(.rejected(id, code: code))
    }

    /// Closes the link, telling the counterpart why.
    public mutating func deactivate(_ code: CloseCode = .normal) {
        inputs.append(.deactivate(code))
    }

    var isEmpty: Bool { inputs.isEmpty }
}
