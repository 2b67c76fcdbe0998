import WatchProtoCore
import WatchProtoRecords

/// A simulated life: a wearer, a phone and a watch, in virtual time.
///
/// The devices use the planner, the account, the timeline and the dose events of the product. The
/// link and the wearer are models.
package struct LifeRun {
    /// The least time between two looks of the watch, as in WatchSim.
    static let pause: LifeMoment = 40
    /// The time after a record in which the watch is still awake.
    static let rideTime: LifeMoment = 30

    let options: LifeOptions
    let plan: LifePlan
    var random: SeededGenerator
    var queue = LifeQueue()
    var now: LifeMoment = 0
    var link: LifeLink
    var figures: LifeFigures

    // The phone.
    var phone: LifeDevice
    var planner: ComplicationPlanner
    var isPhoneAlive = true
    var bootedAt: LifeMoment = 0
    var notices = 0
    var revisions = 0
    /// The decisions of the planners before the last restart.
    var lostReasons = [UInt64](repeating: 0, count: ComplicationReason.count)
    var offered: LifeContent?
    var sent: LifeContent?
    /// The numbers of those contents, and of the newest one that the watch needs.
    var offeredNumber = 0
    var sentNumber = 0
    var neededNumber = 0
    var neededSince: LifeMoment?
    /// Whether the watch left the newest one that was sent by itself.
    var isShownThere = false
    /// When a record last passed.
    var lastRecord: LifeMoment = 0
    /// Changes whose display the face without a timeline waits for.
    var changes: [(since: LifeMoment, session: Int)] = []

    // The watch.
    var watch: LifeDevice
    var isWatchOn = true
    var foregrounds = 0
    var lastForeground: LifeMoment = 0
    /// The number of the newest state that arrived.
    var heldNumber = 0
    /// When the ledgers were found equal last, by the watch's clock.
    var compared: WallMinute?
    var skippedGlances = 0
    var lastLook: LifeMoment = -1000
    var nextLook = WallMinute(minutes: .min)
    var isLookPending = false
    var askedAt: WallMinute?
    var lastAsked: WallMinute?
    var arrived: [(since: LifeMoment, at: LifeMoment, isDelayed: Bool)] = []
    var pushed: (entry: FaceEntry, changes: Int)?
    var shownChanges = 0
    var madeVersion: Int?

    // The evaluation of the face.
    var oracle = LifeOracle()
    var oracleZones = ZoneLog()
    var view = LifeView()

    init(_ options: LifeOptions) {
        self.options = options
        var random = SeededGenerator(seed: options.seed &* 0x9E37_79B9_7F4A_7C15 ^ 0x11FE)
        plan = LifePlan(options, &random)
        let list = LifeMedications.list(options.medications, &random)
        phone = LifeDevice(list)
        watch = LifeDevice(list)
        link = LifeLink(seed: random.next())
        figures = LifeFigures(days: options.days)
        let clock = WallClock(time: plan.zones.wall(at: 0))
        planner = ComplicationPlanner(
            Self.profile(options), ComplicationAccount(at: .zero, clock))
        self.random = random
        addSteps()
    }

    static func profile(_ options: LifeOptions) -> ComplicationProfile {
        ComplicationProfile(perDay: options.fault == .ignoresBudget ? 200 : options.pushes)
    }

    /// Lives the life.
    package static func figures(_ options: LifeOptions) -> LifeFigures {
        var run = LifeRun(options)
        run.live()
        return run.figures
    }

    private mutating func addSteps() {
        for number in 0..<options.days {
            queue.add(.day(number), at: plan.zones.moment(number, 180))
        }
        add(plan.linkDown) { .link($0) }
        add(plan.phoneDead) { .phone($0) }
        add(plan.watchOff) { .watch($0) }
        for glance in plan.glances {
            queue.add(.foreground(true), at: glance.lowerBound)
            queue.add(.foreground(false), at: glance.upperBound)
        }
        for (at, edit) in plan.edits { queue.add(.edit(edit), at: at) }
        for at in plan.notices { queue.add(.notice, at: at) }
        for journey in plan.zones.journeys {
            queue.add(.zone, at: journey.lowerBound)
            queue.add(.zone, at: journey.upperBound)
        }
    }

    private mutating func add(_ times: [Range<LifeMoment>], _ step: (Bool) -> LifeStep) {
        for time in times {
            queue.add(step(false), at: time.lowerBound)
            queue.add(step(true), at: time.upperBound)
        }
    }
}
