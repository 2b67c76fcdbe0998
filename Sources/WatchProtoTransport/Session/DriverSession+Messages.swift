package import WatchProtoCore
import WatchProtoRecords

extension DriverSession {
    /// Sends an interactive message and waits for the counterpart's reply.
    ///
    /// - Parameters:
    ///   - message: at most the interactive channel's record limit, in bytes.
    ///   - kind: the kind of the bytes, and of the reply's.
    ///   - timeout: how long to wait for the reply. A message that is still queued then is
    ///     cancelled.
    ///   - accepted: called with the record's identity before any event about it.
    /// - Returns: the payload of the reply.
    /// - Throws: ``DeliveryFailure``: not delivered, outcome unknown, or permanent.
    package func sendMessage(
        _ message: [UInt8], kind: ContentKind = .message, timeout: Duration = .seconds(10),
        accepted: (RecordID) -> Void = { _ in }
    ) async throws(DeliveryFailure) -> [UInt8] {
        try await exchange(
            message, kind: kind, expectsReply: true, timeout: timeout, accepted: accepted)
    }

    /// Sends an interactive message that has no reply, and waits until the counterpart's
    /// application has applied it.
    ///
    /// - Throws: ``DeliveryFailure``: not delivered, outcome unknown, or permanent.
    package func sendMessageWithoutReply(
        _ message: [UInt8], timeout: Duration = .seconds(10)
    ) async throws(DeliveryFailure) {
        _ = try await exchange(message, kind: .message, expectsReply: false, timeout: timeout)
    }

    /// Answers an interactive message of the counterpart.
    ///
    /// - Parameters:
    ///   - message: one that expects a reply.
    ///   - payload: at most the interactive channel's record limit, in bytes.
    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    package func reply(
        to message: InboundRecord, with payload: [UInt8]
    ) throws(SendRefusal) -> RecordID {
        try transfer(
            RecordDraft(
                channel: .interactive, kind: message.kind, payload: payload,
                inReplyTo: message.id.number))
    }
}
