import WatchProtoCore

/// The figures of one life.
package struct LifeFigures: Hashable, Sendable {
    /// The times of pushes, in milliseconds since the life began.
    package internal(set) var pushes: [Int64] = []
    /// For each day: planned doses, pushes, radio wake-ups, and millijoules without maintenance.
    package internal(set) var doses: [Int]
    package internal(set) var pushesOfDay: [Int]
    package internal(set) var wakeUps: [Int]
    package internal(set) var millijoules: [Double]
    /// For each day: millijoules of an idle connection while there is a link.
    package internal(set) var maintenance: [Double]
    /// Milliseconds from a change to its display: made on the phone with a link all the while, made
    /// on the phone otherwise, and made on the watch.
    package internal(set) var linkedAges: [Int64] = []
    package internal(set) var unlinkedAges: [Int64] = []
    package internal(set) var ownAges: [Int64] = []
    /// Milliseconds from a state that the watch needs to its arrival, or that of a newer one.
    package internal(set) var stateAges: [Int64] = []
    /// Minutes in which such a state neither waited nor was under way, and had not arrived.
    package internal(set) var lostStates = 0
    /// Milliseconds of each time for which the face was wrong after a message or an act.
    package internal(set) var wrong: [Int64] = []
    /// The same after a change of the zone, or by a clock that the watch is not told about.
    package internal(set) var wrongByZone: [Int64] = []
    /// The longest time that a linked change waited on a device, without the link's own time.
    package internal(set) var longestHeld: Int64 = 0
    /// Milliseconds with the mark *as of*, and with a dose that is marked as not checked.
    package internal(set) var asOf: Int64 = 0
    package internal(set) var unchecked: Int64 = 0
    /// Milliseconds for which the watch was on, and for which there was a link.
    package internal(set) var watchOn: Int64 = 0
    package internal(set) var linked: Int64 = 0
    /// Milliseconds for which the phone was dead.
    package internal(set) var phoneDead: Int64 = 0
    /// Updates by the planner's reason, and urgent ones that found no push left.
    package internal(set) var reasons = [UInt64](repeating: 0, count: ComplicationReason.count)
    package internal(set) var missed: UInt64 = 0
    /// Dose events in the phone's ledger.
    package internal(set) var events = 0

    init(days: Int) {
        doses = [Int](repeating: 0, count: days)
        pushesOfDay = doses
        wakeUps = doses
        millijoules = [Double](repeating: 0, count: days)
        maintenance = millijoules
    }

    /// The most pushes in any 24 hours.
    package var mostPushes: Int {
        var most = 0
        var first = 0
        for (place, push) in pushes.enumerated() {
            while push - pushes[first] >= LifeZones.day { first += 1 }
            most = max(most, place - first + 1)
        }
        return most
    }

    /// The pushes of the median day.
    package var medianPushes: Int { pushesOfDay.sorted()[pushesOfDay.count / 2] }

    /// The wake-ups of the days with four doses.
    package var wakeUpsOfFour: [Int] {
        zip(doses, wakeUps).filter { $0.0 == 4 }.map(\.1)
    }
}

/// The promises of the product about one life.
package enum LifePromise: String, CaseIterable, Sendable {
    /// Pushes in any 24 hours stay within the budget.
    case budget = "pushes in 24 h within the budget"
    /// A median day takes at most 20 pushes.
    case median = "at most 20 pushes on a median day"
    /// A face contradicts what its device was told for no longer than the time between two looks.
    case wrong = "no dose shown wrong for longer than 40 ms"
    /// After a change of the zone, a face is wrong until the next refresh at the latest.
    case zone = "right again 15 minutes after a change of the zone"
    /// A watch that is on never shows *as of*: it extends its timeline.
    case extended = "the timeline is extended without a link"
    /// A change is shown as soon as the link has carried it.
    case held = "a linked change is shown within 40 ms of its arrival"
    /// A state that the watch needs waits, is under way, or has arrived.
    case states = "no state of the face is lost"

    /// The most pushes on a median day.
    package static let medianPushes = 20
    /// The goal of wake-ups on a day of four doses.
    package static let wakeUps = 30

    /// Whether a life keeps the promise.
    package func isKept(by figures: LifeFigures, _ options: LifeOptions) -> Bool {
        switch self {
        case .budget: figures.mostPushes <= options.pushes
        case .median: figures.medianPushes <= Self.medianPushes
        case .wrong: (figures.wrong.max() ?? 0) <= LifeRun.pause
        case .zone: (figures.wrongByZone.max() ?? 0) <= 15 * LifeZones.minute
        case .extended: figures.asOf == 0
        case .held: figures.longestHeld <= LifeRun.pause
        case .states: figures.lostStates == 0
        }
    }
}
