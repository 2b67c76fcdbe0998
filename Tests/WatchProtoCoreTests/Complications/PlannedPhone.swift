@testable import WatchProtoCore

/// A phone whose planner runs on clocks that the test moves. It begins at 2026-01-01, 12:00 UTC,
/// with a reachable watch in the background.
struct PlannedPhone {
    var planner: ComplicationPlanner
    private(set) var now = Instant(nanoseconds: 5_000_000_000)
    var wall = PlannedPhone.noon
    var zone: Int16 = 0
    /// The milliseconds since the beginning, and the places, of what left by itself.
    private(set) var released: [(at: Int64, places: [UInt32])] = []

    static let noon: Int64 = 1_767_268_800_000
    static let minute: Int64 = 60_000
    static let hour: Int64 = 60 * minute

    var clock: WallClock {
        WallClock(time: WallTime(milliseconds: wall), zoneOffsetMinutes: zone)
    }

    /// Milliseconds since the beginning.
    var elapsed: Int64 { Int64(now.nanoseconds / 1_000_000) - 5000 }

    init(_ profile: ComplicationProfile = .watchConnectivity, isReachable: Bool = true) {
        let clock = WallClock(time: WallTime(milliseconds: Self.noon))
        planner = ComplicationPlanner(profile, ComplicationAccount(at: now, clock))
        planner.setReachable(isReachable)
    }

    var pushes: UInt64 { planner.count(.pushed) }

    /// Whether the reasons sum to the offers.
    var sumsUp: Bool {
        ComplicationReason.allCases.reduce(0) { $0 + planner.count($1) } == planner.offered
    }

    @discardableResult
    mutating func offer(_ offer: ComplicationOffer) -> ComplicationReason {
        let reason = planner.offer(offer, at: now, clock)
        noteReleased()
        return reason
    }

    @discardableResult
    mutating func urgent(_ place: UInt32 = 0) -> ComplicationReason {
        offer(ComplicationOffer(place: place, isUrgent: true))
    }

    @discardableResult
    mutating func routine(_ place: UInt32 = 0, slotsLeft: Int = 0) -> ComplicationReason {
        offer(ComplicationOffer(place: place, isUrgent: false, slotsLeft: slotsLeft))
    }

    mutating func noteReleased() {
        let places = planner.takeReleased()
        if !places.isEmpty { released.append((elapsed, places)) }
    }

    /// Lets time pass on both clocks, and wakes the planner at its deadlines.
    mutating func pass(_ milliseconds: Int64) {
        let end = now.advanced(by: .milliseconds(milliseconds))
        while let deadline = planner.nextDeadline(at: now, clock), deadline <= end {
            let step = max(.zero, now.duration(to: deadline))
            move(step)
            planner.wake(at: now, clock)
            noteReleased()
        }
        move(now.duration(to: end))
    }

    /// Moves both clocks without a word to the planner.
    private mutating func move(_ step: Duration) {
        // The wall clock has milliseconds.
        let former = now.nanoseconds / 1_000_000
        now = now.advanced(by: step)
        wall += Int64(now.nanoseconds / 1_000_000 - former)
    }

    /// Ends the process and starts it again on the account's bytes; a reboot sets the monotonic
    /// clock back.
    mutating func restart(isReboot: Bool = false, off milliseconds: Int64 = 0) throws(WireError) {
        var writer = WireWriter()
        planner.account.write(to: &writer)
        let bytes = writer.bytes
        var reader = WireReader(bytes.span)
        let account = try ComplicationAccount(&reader)
        try reader.finish("the end of an account")
        planner = ComplicationPlanner(planner.profile, account)
        planner.setReachable(true)
        move(.milliseconds(milliseconds))
        if isReboot { now = Instant(nanoseconds: 1_000_000_000) }
    }
}
