package import WatchProtoRecords

/// The inputs of a simulated life. Everything else follows from them.
package struct LifeOptions: Hashable, Sendable {
    /// The product, or the product without one of its parts.
    package enum Variant: String, CaseIterable, Sendable {
        /// The planner and the timeline.
        case product
        /// Each change of the phone's face is a push.
        case unplanned
        /// The watch shows the newest state that the phone pushed, until the next one.
        case frozen
    }

    /// A planted bug, to see that it is caught.
    package enum Fault: String, CaseIterable, Sendable {
        /// The planner believes that 200 pushes a day are allowed.
        case ignoresBudget = "ignores-budget"
        /// The account of pushes is lost when the phone restarts.
        case forgetsPushes = "forgets-pushes"
        /// The watch makes its timeline anew only when its list changes.
        case keepsTimeline = "keeps-timeline"
        /// The planner believes that the watch is awake whenever it is asked.
        case ridesAlways = "rides-always"
        /// A state that waited is lost when its moment comes.
        case losesWaiting = "loses-waiting"
        /// The watch's face never says that a dose is not checked.
        case hidesUnchecked = "hides-unchecked"
        /// A device forgets journeys when it restarts.
        case forgetsJourney = "forgets-journey"
        /// The watch looks at its face 200 ms after a change.
        case looksLate = "looks-late"
        /// The watch looks at its face only when an entry or a change is due.
        case skipsRefresh = "skips-refresh"
        /// The phone offers a state each half an hour as an urgent one.
        case urgesAlways = "urges-always"

        /// The promise that it breaks.
        package var breaks: LifePromise {
            switch self {
            case .ignoresBudget, .forgetsPushes, .ridesAlways: .budget
            case .keepsTimeline, .hidesUnchecked, .forgetsJourney: .wrong
            case .losesWaiting: .states
            case .looksLate: .held
            case .skipsRefresh: .zone
            case .urgesAlways: .median
            }
        }
    }

    /// The seed of every random choice.
    package var seed: UInt64
    /// Days that pass.
    package var days = 30
    /// The parts of the product.
    package var variant = Variant.product
    /// The planted bug; nil for none.
    package var fault: Fault?
    /// Pushes that the platform allows in 24 hours.
    package var pushes = 50
    /// Minutes by which the watch's wall clock is ahead of the true time.
    package var clockError = 0
    /// The offset of home from UTC in winter, in minutes.
    package var zone = 60

    /// The medications from which each life draws its list; those of ``CodecFixtures`` if there are
    /// none.
    package var medications: [LightweightMedication] = []

    /// A life of 30 days with `seed`.
    package init(seed: UInt64) { self.seed = seed }

    /// The values that ``days``, ``pushes``, ``clockError`` and ``zone`` may have.
    package static let allowedDays = 1...365
    package static let allowedPushes = 0...50
    package static let allowedClockErrors = -1440...1440
    package static let allowedZones = -720...840
}
