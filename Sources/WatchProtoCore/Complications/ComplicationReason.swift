/// Why an update of a complication left, or did not. Each offered update has exactly one reason,
/// and the counts of all reasons together are the count of the offers.
package enum ComplicationReason: UInt8, Hashable, Sendable, CaseIterable {
    /// It woke the watch, and cost one push.
    case pushed = 0
    /// It left at no cost: the watch is in the foreground.
    case foreground = 1
    /// It left at no cost with a push or a durable record, or because the watch had just sent one.
    case riding = 2
    /// The watch is not reachable: it leaves with the next session, at no cost.
    case unreachable = 3
    /// It equals the newest update.
    case equal = 4
    /// Its change is below the threshold.
    case belowThreshold = 5
    /// The watch's timeline shows it by itself.
    case shownByTimeline = 6
    /// It is an event of the watch itself, which shows it already.
    case ownEvent = 7
    /// A newer update took its place before it left.
    case merged = 8
    /// No push is left: it leaves when the watch is awake for another reason.
    case demoted = 9
    /// The face in use does not show its place: it leaves as a demoted one does.
    case inactive = 10
    /// It waits for an urgent update, for the foreground, or for its moment. Not the last word.
    case waiting = 11

    /// The number of reasons.
    package static let count = 12
}

/// An update of a complication as the planner sees it. Contents stay with the caller.
package struct ComplicationOffer: Hashable, Sendable {
    /// The origin of a change.
    package enum Cause: Sendable {
        /// Something changed on this device.
        case change
        /// Time passed: the watch's timeline shows the change by itself.
        case timeline
        /// The watch itself recorded an event.
        case watch
    }

    /// The update that the new one equals.
    package enum Equality: Sendable {
        /// None.
        case none
        /// The newest one that left.
        case newest
        /// The one that waits.
        case waiting
    }

    /// The place of the face.
    package var place: UInt32
    /// Whether it is to leave at once while any push is left: a dose was closed or undone
    /// elsewhere, a strength or a schedule changed.
    package var isUrgent: Bool
    /// The origin of the change.
    package var cause: Cause
    /// The update that it equals.
    package var equality: Equality
    /// Whether the newest one that left is not settled: it would undo what the watch shows by
    /// itself, and an update that is no push takes its place at no cost.
    package var isUnderWay = false
    /// The size of the change, and the least size that counts, in one unit of the caller.
    package var change: UInt32
    package var threshold: UInt32
    /// The planned doses that are left today.
    package var slotsLeft: Int

    /// An update whose change counts whatever its size.
    package init(
        place: UInt32 = 0, isUrgent: Bool, cause: Cause = .change, equality: Equality = .none,
        change: UInt32 = .max, threshold: UInt32 = 0, slotsLeft: Int = 0
    ) {
        self.place = place
        self.isUrgent = isUrgent
        self.cause = cause
        self.equality = equality
        self.change = change
        self.threshold = threshold
        self.slotsLeft = slotsLeft
    }
}

/// The planner's word on one offered update.
package struct ComplicationDecision: Hashable, Sendable {
    /// Counts the offers, from 1.
    package var number: UInt64
    /// The place of the face.
    package var place: UInt32
    /// The time of the offer.
    package var time: WallTime
    /// Whether the update, or one whose place it took, is urgent.
    package var isUrgent: Bool
    /// The reason.
    package var reason: ComplicationReason
}
