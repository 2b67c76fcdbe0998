public import WatchProtoCore
public import WatchProtoRecords
import WatchProtoTransport

/// The complications on the watch's face.
///
/// The phone publishes states; a planner decides when each leaves, so that the pushes of a day
/// last (<doc:planned-complications>). The watch says by ``CompanionSession/report(_:)`` whether it
/// is in the foreground, in which case updates cost no push, and which places its face shows.
/// Until then, and in the background, a watch counts as asleep.
///
/// ```swift
/// try session.complications.update(state)
/// for decision in session.complications.why() { print(decision.reason) }
/// ```
public struct ComplicationCenter: Sendable {
    let session: CompanionSession

    /// Offers a new state to the planner. The newest state of a place arrives, except one that the
    /// watch shows by itself or whose change is below its threshold.
    ///
    /// - Parameters:
    ///   - state: what the face shows.
    ///   - place: which of the face's places shows it.
    ///   - cause: why it is offered.
    ///   - change: the size of the change since the newest state that left, in a unit of the
    ///     caller: minutes, percent.
    ///   - threshold: the least size that counts, in the same unit. A smaller change is dropped.
    /// - Returns: the decision, and the transfer of a state that leaves now.
    /// - Throws: ``Refusal``; nothing has changed then.
    @discardableResult
    public func update(
        _ state: ComplicationState, for place: ComplicationID = .main,
        cause: UpdateCause = .urgentChange, change: UInt32 = .max, threshold: UInt32 = 0
    ) throws(Refusal) -> PublishDecision {
        let (publisher, transfers) = (session.publisher, session.transfers)
        let driven = try session.driven()
        var offer = ComplicationOffer(place: place.rawValue, cause)
        (offer.change, offer.threshold) = (change, threshold)
        do throws(SendRefusal) {
            let (reason, id) = try publisher.offer(state, offer) { id, _ in
                _ = transfers.course(of: id)
            }
            let transfer = id.map { Transfer(transfers.course(of: $0), session) }
            // The state may equal an earlier one, of which no further event comes.
            if let id { session.compare(id, with: driven) }
            return PublishDecision(
                time: session.clock.wall.time, isUrgent: offer.isUrgent, reason: "\(reason)",
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

    /// On a phone: whether the face in use shows a complication, as the watch told last; true until
    /// it tells. WatchConnectivity has the same under this name.
    public var isComplicationEnabled: Bool { session.publisher.isEnabled }

    /// The pushes that are left now, of those that the platform allows in any 24 hours.
    public var remainingPushes: Int { session.publisher.planner.left }

    /// On a phone: the platform says how many pushes remain today
    /// (`remainingComplicationUserInfoTransfers`), which overrides the own count.
    public func report(remainingPushes: Int) {
        session.publisher.report(remaining: remainingPushes)
    }
}

/// The platform of a watch: the limits of its pushes to complications.
public struct ComplicationPlatform: Hashable, Sendable {
    let profile: ComplicationProfile

    /// WatchConnectivity: 50 pushes a day.
    public static let watchConnectivity = ComplicationPlatform(profile: .watchConnectivity)
    /// WidgetKit: 40 reloads a day, which are sure, 5 minutes apart.
    public static let widgetKit = ComplicationPlatform(profile: .widgetKit)
    /// Wear OS: 50 a day by our own count, as there is no other, and routine ones 5 minutes apart.
    public static let wear = ComplicationPlatform(profile: .wear)
}

/// Why an application offers a state of a complication.
public enum UpdateCause: Sendable {
    /// A dose was closed or undone away from the watch, or a strength or a schedule changed. The
    /// state leaves at once while any push is left.
    case urgentChange
    /// Something else changed. The state waits for its moment.
    case change
    /// Time passed, and the watch's application shows the change by itself. The state leaves only
    /// if it takes the place of one that waits.
    case passingTime
    /// The watch recorded an event, and shows it already. The state leaves only if it takes the
    /// place of one that waits.
    case watchEvent
}

extension ComplicationOffer {
    package init(place: UInt32 = ComplicationID.main.rawValue, _ cause: UpdateCause) {
        let origin: Cause =
            switch cause {
            case .urgentChange, .change: .change
            case .passingTime: .timeline
            case .watchEvent: .watch
            }
        self.init(place: place, isUrgent: cause == .urgentChange, cause: origin)
    }
}

/// The decision of the planner on one state of a complication.
public struct PublishDecision: Sendable {
    /// The time of the offer.
    public let time: WallTime
    /// Whether the state was to leave at once.
    public let isUrgent: Bool
    /// The reason, such as `pushed` or `equal`; <doc:planned-complications> explains all.
    public let reason: String
    /// The transfer of a state that leaves now; nil for others.
    public var transfer: Transfer?
}
