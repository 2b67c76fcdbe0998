import Locks
public import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

/// The state of a session.
public struct SessionState: Hashable, Sendable {
    /// The pairing in use; nil for none. Both applications took part in it, so the other one was
    /// installed.
    public var pairing: PairingID?
    /// Whether a link is wanted, and whether a session is open on it.
    public var activation: ActivationState
    /// Whether the other device can answer now. A link that is dead and idle is noticed as
    /// ``SessionOptions/keepAliveInterval`` says; in the background, and without that, when
    /// something is sent. ``LinkEvidence/sinceAnswered`` tells how old the proof is.
    public var isReachable: Bool
    /// The evidence of that; nil before the first change.
    public var evidence: LinkEvidence?
    /// The quality of the link as it was measured last; nil before anything was.
    public var linkQuality: LinkQuality?
    /// The status that the other application reported in the newest session; nil before it did.
    public var counterpart: AppStatus?
    /// The records that are not settled, channel by channel, oldest first.
    public var outstandingTransfers: [TransferID]
    /// Whether records of a connected device wait for this application. A background task holds on
    /// until none does: ``CompanionSession/drain(within:)``.
    public var hasContentPending: Bool
}

/// The reason for which a device counts as reachable or not, and the newest proof of each
/// direction.
public struct LinkEvidence: Hashable, Sendable {
    /// The cause: `sessionActivated`, `heard`, `linkDown`, `silence`, or `counterpartSaidSo`.
    public var cause: String
    /// The time since a packet arrived, which proves the way here; nil if none came in the newest
    /// session.
    public var sinceHeard: Duration?
    /// The time since an answer to an own packet arrived, which proves the way there; nil if none
    /// came in the newest session.
    public var sinceAnswered: Duration?
    /// The number of times that a link went down shortly after it came up, since the session was
    /// made.
    public var flapCount: Int

    init(_ evidence: ReachabilityEvidence, at now: Instant) {
        cause = "\(evidence.cause)"
        sinceHeard = evidence.inboundProof.map { $0.duration(to: now) }
        sinceAnswered = evidence.outboundProof.map { $0.duration(to: now) }
        flapCount = evidence.flapCount
    }
}

extension CompanionSession {
    /// The state of the session at one moment.
    public var state: SessionState {
        let (active, device) = life.withLock { ($0.active, $0.device) }
        let snapshot = active?.driven.snapshot
        let now = clock.now
        return SessionState(
            pairing: device?.pairing, activation: snapshot?.activation ?? .notActivated,
            isReachable: snapshot?.isReachable ?? false,
            evidence: snapshot?.evidence.map { LinkEvidence($0, at: now) },
            linkQuality: snapshot?.linkQuality, counterpart: active?.exchanges.app.theirs,
            outstandingTransfers: snapshot?.outstandingTransfers ?? [],
            hasContentPending: inbox.hasRecords || connections.contains { $0.driven.hasPending })
    }

    /// Reports the status of this application to the other one, now and in each later session. On a
    /// phone, every connected watch gets it. A background application is quieter: see
    /// ``AppStatus/isForeground``.
    ///
    /// - Throws: ``Refusal/notEncodable(_:)`` for a name that has no bytes or more than 255, and if
    ///   all names and places do not fit 4,096 bytes; nothing has changed then.
    public func report(_ status: AppStatus) throws(Refusal) {
        do throws(EncodingRefusal) {
            _ = try AppMessage.status(status).encoded()
            try reported.withLock { reported throws(EncodingRefusal) in
                reported = status
                for connection in connections { try connection.exchanges.app.report(status) }
            }
        } catch {
            throw .notEncodable(error)
        }
    }

    /// Waits until nothing is left to do for a background task, which then completes: every durable
    /// record of each device is durable on the other one, and this application has answered all
    /// records that came. Updates of complications that wait for their moment are left out.
    ///
    /// - Parameter limit: the longest wait. The platforms grant 30 s.
    /// - Returns: false if something is left, or the other device is not reachable, after that
    ///   time; also for a session that is closed or pairs meanwhile.
    /// - Throws: `CancellationError` if the waiting task was cancelled.
    public func drain(
        within limit: Duration = .seconds(25)
    ) async throws(CancellationError) -> Bool {
        let deadline = clock.now.advanced(by: limit)
        var pause: Duration = .milliseconds(20)
        while true {
            if life.withLock({ $0.isClosed || $0.coordinator != nil }) { return false }
            if isDrained, await isDrainedThere(by: deadline), isDrained { return true }
            if Task.isCancelled { throw CancellationError() }
            let now = clock.now
            // Without a session below, nobody would end the pause.
            guard now < deadline, current != nil else { return false }
            let end = min(now.advanced(by: pause), deadline)
            await pauses.wait(until: end) {
                if let current { current.write([]) } else { pauses.expireAll() }
            }
            pause = min(pause * 2, .milliseconds(500))
        }
    }

    /// Whether nothing waits on this device.
    private var isDrained: Bool {
        !inbox.hasRecords
            && connections.allSatisfy { connection in
                let driven = connection.driven
                // Nobody waits for a watch that is neither the active one nor reachable.
                if driven !== current, !driven.isReachable { return true }
                return !driven.hasPending && !driven.hasUncommitted
                    && connection.exchanges.ledger.isSettled
            }
    }

    /// Whether nothing waits on the other devices, as they say before the deadline.
    private func isDrainedThere(by deadline: Instant) async -> Bool {
        let current = current
        let asked = connections.map(\.driven).filter { $0 === current || $0.isReachable }
        guard let question = try? AppMessage.asksWhetherAnythingWaits.encoded() else {
            return false
        }
        for driven in asked {
            let timeout = min(clock.now.duration(to: deadline), .seconds(10))
            guard timeout > .zero,
                (try? await driven.sendMessage(question, kind: .app, timeout: timeout)) == [0]
            else { return false }
        }
        return true
    }
}
