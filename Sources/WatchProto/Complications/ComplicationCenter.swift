public import WatchProtoCore
public import WatchProtoRecords
import WatchProtoTransport

/// The complications on the watch's face.
///
/// The phone publishes states; a planner decides when each leaves, so that the pushes of a day
/// last (<doc:planned-complications>). The watch says whether it is in the foreground.
///
/// ```swift
/// try session.complications.update(state)
/// for decision in session.complications.why() { print(decision.reason) }
/// ```
public struct ComplicationCenter: Sendable {
    let session: CompanionSession

    /// Offers a new state to the planner. The newest state of a place arrives, whatever the reason.
    ///
    /// - Parameters:
    ///   - state: what the face shows.
    ///   - place: which of the face's places shows it.
    ///   - isUrgent: whether it leaves at once while any push is left: a dose was closed or undone,
    ///     a strength or a schedule changed. Other states wait for their moment.
    /// - Returns: the decision, and the transfer of a state that leaves now.
    /// - Throws: ``Refusal``; nothing has changed then.
    @discardableResult
    public func update(
        _ state: ComplicationState, for place: ComplicationID = .main, isUrgent: Bool = true
    ) throws(Refusal) -> PublishDecision {
        let (publisher, transfers) = (session.publisher, session.transfers)
        let driven = try session.driven()
        do throws(SendRefusal) {
            let (reason, id) = try publisher.offer(state, at: place, isUrgent: isUrgent) { id, _ in
                _ = transfers.course(of: id)
            }
            let transfer = id.map { Transfer(transfers.course(of: $0), session) }
            // The state may equal an earlier one, of which no further event comes.
            if let id { session.compare(id, with: driven) }
            return PublishDecision(
                time: session.clock.wall.time, isUrgent: isUrgent, reason: "\(reason)",
                transfer: transfer)
        } catch {
            throw .notTaken(error)
        }
    }

    /// The decisions on the newest states of a place, at most 128, the oldest first. Also tells
    /// what became of a state that waited.
    public func why(_ place: ComplicationID = .main) -> [PublishDecision] {
        session.publisher.why(place).map { decision in
            PublishDecision(
                time: decision.time, isUrgent: decision.isUrgent, reason: "\(decision.reason)")
        }
    }

    /// The pushes that are left now, of 50 in any 24 hours.
    public var remainingPushes: Int { session.publisher.planner.left }

    /// On a watch: tells the phone whether somebody looks at the app, in which case updates cost no
    /// push, and which places the face in use shows; nil for all. Until then, and in the
    /// background, a watch counts as asleep.
    public func report(isForeground: Bool, activePlaces: Set<ComplicationID>? = nil) {
        session.publisher.report(
            FaceMessage(isForeground: isForeground, activePlaces: activePlaces))
    }

    /// On a phone: the platform says how many pushes remain today
    /// (`remainingComplicationUserInfoTransfers`), which overrides the own count.
    public func report(remainingPushes: Int) {
        session.publisher.report(remaining: remainingPushes)
    }
}

/// The decision of the planner on one state of a complication.
public struct PublishDecision: Sendable {
    /// The time of the offer.
    public let time: WallTime
    /// Whether the state was to leave at once.
    public let isUrgent: Bool
    /// The reason: `pushed`, `foreground`, `riding`, `unreachable`, `equal`, `merged`, `demoted`,
    /// `inactive` or `waiting`; <doc:planned-complications> explains them.
    public let reason: String
    /// The transfer of a state that leaves now; nil for others.
    public var transfer: Transfer?
}
