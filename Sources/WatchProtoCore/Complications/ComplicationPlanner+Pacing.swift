/// The moments of pushes.
extension ComplicationPlanner {
    /// The minutes of the local day in which routine updates are pushed: from 7 to 23 o'clock.
    static let wakingMinutes = 420..<1380
    /// The least reserve for urgent updates.
    private static let leastReserve = 10
    private static let minute: Int64 = 60_000
    private static let dayMinutes: Int64 = 1440

    /// The pushes that routine updates leave to urgent ones: two for each dose left today.
    package var reserve: Int { max(Self.leastReserve, slotsLeft > 1000 ? 2000 : 2 * slotsLeft) }

    /// When to call ``wake(at:_:)``; nil while nothing waits for its moment. At most a quarter of
    /// an hour ahead, because a change of the zone moves the waking hours.
    package mutating func nextDeadline(at now: Instant, _ clock: WallClock) -> Instant? {
        guard isReachable, !isForeground, !waiting.isEmpty else { return nil }
        account.advance(to: now, clock)
        var wait: Duration?
        for one in waiting where one.reason == .waiting && isActive(one.place) {
            let own = left > 0 ? pause(one.isUrgent, at: now, clock) : .zero
            guard let own else { continue }
            wait = min(wait ?? own, own)
        }
        return wait.map { now.advanced(by: min($0, .seconds(900))) }
    }

    /// The wait before an update may be pushed, where a push is left; nil if no time brings it.
    func pause(_ isUrgent: Bool, at now: Instant, _ clock: WallClock) -> Duration? {
        let spacing = isUrgent ? profile.spacing : max(profile.spacing, profile.routineSpacing)
        let since = lastPush.map { $0.duration(to: now) } ?? spacing
        let burst = max(.zero, spacing - since)
        guard !isUrgent else { return burst }
        // The account's time is a second behind at most.
        return routinePause(clock).map { wait in
            max(burst, wait > 0 ? .milliseconds(max(1000, wait)) : .zero)
        }
    }

    /// The milliseconds before a routine update may be pushed.
    private func routinePause(_ clock: WallClock) -> Int64? {
        let available = Int64(left - reserve)
        guard available > 0 else { return account.nextExpiry(profile) }
        let (rest, opening) = wakingRest(clock)
        guard let rest else { return opening }
        guard let last = account.lastRoutine else { return 0 }
        // Never denser than over a whole day: the end of a day saves nothing up.
        let whole = Int64(Self.wakingMinutes.count) * Self.minute
        let most = max(1, Int64(profile.perDay - Self.leastReserve))
        // Pushes of yesterday come back while the day goes on.
        let expected = available + account.expiring(within: rest)
        let interval = max(whole / most, rest / expected)
        return max(0, interval - (account.elapsed - last))
    }

    /// The milliseconds that are left of the waking hours, at most until the carrier counts anew;
    /// outside of them nil, and the milliseconds until they begin.
    private func wakingRest(_ clock: WallClock) -> (rest: Int64?, opening: Int64) {
        let time = clock.time.milliseconds
        let whole = time / Self.minute - (time % Self.minute < 0 ? 1 : 0)
        let within = time - whole * Self.minute
        let local = Self.minuteOfDay(whole + Int64(clock.zoneOffsetMinutes))
        let first = Int64(Self.wakingMinutes.lowerBound)
        let end = Int64(Self.wakingMinutes.upperBound)
        guard local >= first, local < end else {
            let minutes = Self.minuteOfDay(first - local)
            return (nil, minutes * Self.minute - within)
        }
        var minutes = end - local
        if let reset = account.resetMinute {
            let untilReset = Self.minuteOfDay(Int64(reset) - Self.minuteOfDay(whole))
            if untilReset > 0 { minutes = min(minutes, untilReset) }
        }
        return (minutes * Self.minute - within, 0)
    }

    private static func minuteOfDay(_ minute: Int64) -> Int64 {
        let rest = minute % dayMinutes
        return rest < 0 ? rest + dayMinutes : rest
    }
}
