package import WatchProtoCore
package import WatchProtoTransport

/// The part of a session that a ledger needs. Each method is that of `DriverSession`.
package protocol LedgerLink: AnyObject, Sendable {
    /// Whether the other device can answer.
    var isReachable: Bool { get }

    /// The smoothed round-trip time of the link; nil before the first sample.
    var roundTripTime: Duration? { get }

    /// Gives `body` the own dose events that are not settled, by the names of their records. None
    /// of them settles meanwhile.
    func withEventsUnderWay(_ body: ([RecordID: UInt128]) -> Void)

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

    /// Asks the other device a question about its ledger.
    ///
    /// - Parameters:
    ///   - question: the bytes of the question.
    ///   - answered: called once with the answer; nil if none came within 10 s.
    func ask(_ question: [UInt8], answered: @escaping @Sendable ([UInt8]?) -> Void)

    /// Answers a message.
    ///
    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    func reply(
        to message: InboundRecord, with payload: [UInt8]
    ) throws(SendRefusal) -> RecordID
}

extension LedgerLink {
    package var roundTripTime: Duration? { nil }
}

extension DriverSession: LedgerLink {
    package func withEventsUnderWay(_ body: ([RecordID: UInt128]) -> Void) {
        withRecordsUnderWay(.doseEvent) { records in
            let events = records.compactMap { record in
                record.idempotencyKey.map { (record.id, $0) }
            }
            body(Dictionary(uniqueKeysWithValues: events))
        }
    }

    package func ask(_ question: [UInt8], answered: @escaping @Sendable ([UInt8]?) -> Void) {
        Task.detached { [self] in
            answered(try? await sendMessage(question, kind: .ledger, timeout: .seconds(10)))
        }
    }
}
