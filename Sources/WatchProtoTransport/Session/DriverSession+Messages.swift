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
    ///   - outlivesLink: whether the wait goes on if the link is lost while the message may have
    ///     arrived. Its reply may come in a later session.
    ///   - accepted: called with the record's identity before any event about it.
    /// - Returns: the payload of the reply.
    /// - Throws: ``DeliveryFailure``: not delivered, outcome unknown, or permanent.
    package func sendMessage(
        _ message: [UInt8], kind: ContentKind = .message, timeout: Duration = .seconds(10),
        outlivesLink: Bool = false, accepted: (RecordID) -> Void = { _ in }
    ) async throws(DeliveryFailure) -> [UInt8] {
        try await exchange(
            message, kind: kind, expectsReply: true, timeout: timeout, outlivesLink: outlivesLink,
            accepted: accepted)
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
    /// - Throws: `SendRefusal`; nothing has changed then. A counterpart that was restarted since
    ///   it asked waits for no reply: `notReachable`.
    @discardableResult
    package func reply(
        to message: InboundRecord, with payload: [UInt8]
    ) throws(SendRefusal) -> RecordID {
        try transfer(RecordDraft(replyTo: message.id, kind: message.kind, payload: payload))
    }

    /// Answers as ``reply(to:with:)``, over several links if need be: see
    /// ``replyOverLinks(_:accepted:)``.
    ///
    /// - Throws: `SendRefusal`; nothing has changed then.
    package func replyOverLinks(
        to message: InboundRecord, with payload: [UInt8]
    ) throws(SendRefusal) {
        try replyOverLinks(
            RecordDraft(replyTo: message.id, kind: message.kind, payload: payload),
            accepted: { _, _ in })
    }

    /// The counterpart said that a message did not arrive, of which nothing was known. A caller
    /// that waits for its reply learns it. This may be called under the driver's lock.
    package func didNotArrive(_ id: RecordID) { center.replies.settled(id, .notDelivered) }
}
