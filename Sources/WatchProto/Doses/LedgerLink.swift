package import WatchProtoCore
package import WatchProtoTransport

/// The part of a session that a ledger needs. Each method is that of `DriverSession`.
package protocol LedgerLink: AnyObject, Sendable {
    /// Whether the other device can answer.
    var isReachable: Bool { get }

    /// Sends a record.
    ///
    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    func transfer(
        _ draft: RecordDraft, writes: [any StoreWrite], accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID

    /// Reports that a record is applied.
    @discardableResult
    func applied(_ id: RecordID, writes: [any StoreWrite]) -> Bool

    /// Rejects a record.
    @discardableResult
    func rejected(_ id: RecordID, code: UInt16, writes: [any StoreWrite]) -> Bool

    /// Changes the application's store; false for a closed session.
    @discardableResult
    func write(_ writes: [any StoreWrite]) -> Bool

    /// Sends a message and waits for the reply.
    ///
    /// - Throws: `DeliveryFailure`.
    func sendMessage(
        _ message: [UInt8], kind: ContentKind, timeout: Duration
    ) async throws(DeliveryFailure) -> [UInt8]

    /// Answers a message.
    ///
    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    func reply(
        to message: InboundRecord, with payload: [UInt8]
    ) throws(SendRefusal) -> RecordID
}

extension DriverSession: LedgerLink {}
