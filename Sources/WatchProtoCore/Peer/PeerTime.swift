/// The present moment on both clocks.
struct PeerTime: Sendable {
    /// The present moment on the monotonic clock.
    var now: Instant
    private var clock: WallClock
    private var readAt: Instant

    init(now: Instant, clock: WallClock) {
        self.now = now
        self.clock = clock
        readAt = now
    }

    /// The wall clock was read anew.
    mutating func set(_ clock: WallClock) {
        self.clock = clock
        readAt = now
    }

    /// The present time of the wall clock, clamped.
    var wall: WallTime {
        let elapsed = readAt.duration(to: now).nanosecondsClamped / 1_000_000
        let (sum, overflow) = clock.time.milliseconds.addingReportingOverflow(elapsed)
        return WallTime(milliseconds: overflow ? .max : sum)
    }

    /// The reference of the values that this side codes from now on.
    var codingReference: CodingReference {
        let minutes = wall.milliseconds / 60_000 - Self.codingBaseMinutes
        return CodingReference(
            minute: Int32(clamping: minutes), offset: clock.zoneOffsetMinutes)
    }

    /// Minutes from 1970-01-01T00:00Z to 2020-01-01T00:00Z.
    private static let codingBaseMinutes: Int64 = 26_297_280

    /// The moment at which the wall clock shows `time`.
    func instant(of time: WallTime) -> Instant {
        guard time > clock.time else { return readAt }
        let wait = time.milliseconds.subtractingReportingOverflow(clock.time.milliseconds)
        return readAt.advanced(by: .milliseconds(wait.overflow ? .max : wait.partialValue))
    }
}
