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

    /// The present time of the wall clock.
    var wall: WallTime {
        let elapsed = readAt.duration(to: now).nanosecondsClamped / 1_000_000
        return WallTime(milliseconds: clock.time.milliseconds + elapsed)
    }

    /// The reference of the values that this side codes from now on.
    var codingReference: CodingReference {
        let minutes = (wall.milliseconds - Self.codingBase) / 60_000
        return CodingReference(
            minute: Int32(clamping: minutes), offset: clock.zoneOffsetMinutes)
    }

    /// Milliseconds from 1970-01-01T00:00Z to 2020-01-01T00:00Z.
    private static let codingBase: Int64 = 1_577_836_800_000

    /// The moment at which the wall clock shows `time`.
    func instant(of time: WallTime) -> Instant {
        let wait = time.milliseconds - clock.time.milliseconds
        return readAt.advanced(by: .milliseconds(max(0, wait)))
    }
}
