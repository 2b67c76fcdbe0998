import Locks
package import WatchProtoCore
package import WatchProtoRecords
package import WatchProtoTransport

/// The part of a session that the exchange of statuses needs. Each method is that of
/// `DriverSession`.
package protocol AppLink: LedgerLink {
    /// The application is in the foreground, or not.
    func setForeground(_ isForeground: Bool)

    /// Whether a durable record of this side is not committed there.
    var hasUncommitted: Bool { get }
}

extension DriverSession: AppLink {}

/// Sends the status of this device's application to the other one, and keeps the status of that
/// one. Methods with `later` are called under the driver's lock.
package final class AppExchange: Sendable {
    private struct State {
        var link: (any AppLink)?
        /// The status of this device's application; nil before it reported any.
        var own: AppStatus?
        /// The status of the other one in the newest session.
        var theirs: AppStatus?
        /// The number of questions whose answer is under way.
        var answerCount = 0
    }

    private let state = Mutex(State())
    /// One report at a time, so that the newest one counts everywhere. Never taken under the
    /// driver's lock.
    private let reports = Mutex<Void>(())
    /// Whether the ledger has events that are not records yet.
    private let hasMore: @Sendable () -> Bool

    /// An exchange without a session. `hasMore` says whether content waits that is no record yet.
    package init(hasMore: @escaping @Sendable () -> Bool = { false }) { self.hasMore = hasMore }

    /// The status that the application of this device reported last; nil before it did.
    package var own: AppStatus? { state.withLock { $0.own } }

    /// The status that the other application reported last in the newest session; nil before it
    /// did.
    package var theirs: AppStatus? { state.withLock { $0.theirs } }

    /// Whether no question waits for its answer. For tests that move the clock.
    package var isIdle: Bool { state.withLock { $0.answerCount == 0 } }

    /// The session with the other device begins.
    package func begin(_ link: any AppLink) {
        reports.withLock { _ in
            let own = state.withLock { state in
                state.link = link
                state.theirs = nil
                return state.own
            }
            if let own { link.setForeground(own.isForeground) }
        }
    }

    /// The session has ended.
    package func end() {
        state.withLock { state in
            state.link = nil
            state.theirs = nil
        }
    }

    /// Reports the status of this application, now and in each later session.
    ///
    /// - Throws: `EncodingRefusal` for names that do not fit a message; nothing has changed then.
    package func report(_ status: AppStatus) throws(EncodingRefusal) {
        let draft = try Self.draft(status)
        reports.withLock { _ in
            let link = state.withLock { state in
                state.own = status
                return state.link
            }
            link?.setForeground(status.isForeground)
            // A device that is not reachable hears of it in the next session.
            _ = try? link?.transfer(draft, writes: [], accepted: { _, _ in })
        }
    }

    /// A session opened: the other application has reported nothing in it.
    package func opened() { state.withLock { $0.theirs = nil } }

    /// The other device became reachable.
    package func reachable(later: inout DeferredInputs) {
        guard let own, let draft = try? Self.draft(own) else { return }
        later.send(draft, tag: ComplicationPublisher.unreportedTag)
    }

    /// A message of the kind `ContentKind.app` came. Gives the status of the other application, if
    /// it is one, and whether it differs from the one before.
    package func received(_ record: InboundRecord) -> (status: AppStatus, isNew: Bool)? {
        switch try? AppMessage(record.payload) {
        case .status(let status):
            return state.withLock { state in
                defer { state.theirs = status }
                return (status, state.theirs != status)
            }
        case .asksWhetherAnythingWaits:
            let link = state.withLock { state in
                if state.link != nil { state.answerCount += 1 }
                return state.link
            }
            guard let link else { return nil }
            // Not under the driver's lock, which the calls take.
            Task.detached { [self] in
                let waits = link.hasUncommitted || hasMore()
                _ = try? link.reply(to: record, with: [waits ? 1 : 0])
                state.withLock { $0.answerCount -= 1 }
            }
            return nil
        case .messages, nil: return nil
        }
    }

    /// The message to a capability in a record of the kind `ContentKind.request`; nil if this
    /// application does not answer that capability.
    package func request(_ record: InboundRecord) -> AppRequest? {
        guard let request = try? AppRequest(record.payload) else { return nil }
        return own?.capabilities.contains(request.capability) == true ? request : nil
    }

    private static func draft(_ status: AppStatus) throws(EncodingRefusal) -> RecordDraft {
        RecordDraft(
            channel: .interactive, kind: .app, payload: try AppMessage.status(status).encoded())
    }
}
