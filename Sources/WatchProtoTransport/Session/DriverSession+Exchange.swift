internal import WatchProtoCore
internal import WatchProtoRecords

extension DriverSession {
    /// Sends an interactive message and waits for its outcome.
    func exchange(
        _ message: [UInt8], kind: ContentKind, expectsReply: Bool, timeout: Duration,
        outlivesLink: Bool = false, accepted: (RecordID) -> Void = { _ in }
    ) async throws(DeliveryFailure) -> [UInt8] {
        let ticket = ReplyTicket()
        let draft = RecordDraft(
            channel: .interactive, kind: kind, payload: message, expectsReply: expectsReply)
        let answer = await withTaskCancellationHandler {
            do throws(SendRefusal) {
                let id = try driver.send(draft) { id, now in
                    // Under the driver's lock: nothing can have come of the record before.
                    _ = ticket.assign(id)
                    accepted(id)
                    center.replies.add(
                        ticket, for: id, expectsReply: expectsReply, outlivesLink: outlivesLink,
                        until: now.advanced(by: timeout))
                }
                if ticket.assign(id) { takeBack(id) }
            } catch {
                ticket.resolve(.failure(Self.failure(of: error)))
            }
            return await ticket.answer()
        } onCancel: {
            if let id = ticket.cancel() { takeBack(id) }
        }
        return try answer.get()
    }

    private func takeBack(_ id: RecordID) {
        // First the wait, so that the peer's word on the cancellation finds nobody.
        center.replies.cancel(id.number)
        driver.cancel(id)
    }

    private static func failure(of refusal: SendRefusal) -> DeliveryFailure {
        switch refusal {
        case .notReachable, .queueFull, .tooManyKeys: .notDelivered(.refused(refusal))
        default: .permanent(.refused(refusal))
        }
    }
}
