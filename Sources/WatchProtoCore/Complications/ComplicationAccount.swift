/// The count of a watch's pushes, which outlives the process.
///
/// A push counts for 24 hours and a second, so that no reset hour of a platform is exceeded. The
/// hours are counted in the account's own time: between two readings it advances by the lesser of
/// the advances of the wall clock and the monotonic clock. If the monotonic clock went back, the
/// device was started anew, and the wall clock counts alone. A new start that is not noticed so
/// counts less time than has passed, never more.
package struct ComplicationAccount: Hashable, Sendable {
    /// Milliseconds of the account's own time.
    package private(set) var elapsed: Int64 = 0
    private var wall: WallTime
    private var readAt: Instant
    /// The own times of the pushes in the last 24 hours, the oldest first.
    private(set) var pushes: [Int64] = []
    /// The own time of the last push that was not urgent.
    private(set) var lastRoutine: Int64?
    /// The last word of the carrier; nil if it has said nothing for a day.
    private(set) var reported: Report?
    /// The minute of the day, in UTC, in which the carrier's count rose; nil while unknown.
    package private(set) var resetMinute: Int?

    /// The carrier's own count.
    struct Report: Hashable, Sendable {
        /// The pushes that remain, less those since.
        var remaining: Int
        /// The own time of the report. It counts for 24 hours.
        var at: Int64
    }

    /// An account without pushes.
    package init(at now: Instant, _ clock: WallClock) {
        wall = clock.time
        readAt = now
    }

    /// An account of which nothing is known: as if all pushes had been made now.
    package static func exhausted(at now: Instant, _ clock: WallClock) -> ComplicationAccount {
        var account = ComplicationAccount(at: now, clock)
        account.pushes = [Int64](repeating: 0, count: mostPushes)
        return account
    }

    /// Takes a reading of both clocks.
    package mutating func advance(to now: Instant, _ clock: WallClock) {
        let (byWall, overflow) =
            clock.time.milliseconds.subtractingReportingOverflow(wall.milliseconds)
        var passed = overflow ? (clock.time > wall ? Int64.max : 0) : max(0, byWall)
        if now >= readAt {
            let monotonic = Int64(clamping: (now.nanoseconds - readAt.nanoseconds) / 1_000_000)
            // The lesser of two rounded numbers, taken often, would lose time.
            guard monotonic >= 1000 || passed >= 1000 else { return }
            passed = min(passed, monotonic)
        }
        readAt = now
        wall = clock.time
        let (sum, isOver) = elapsed.addingReportingOverflow(passed)
        elapsed = isOver ? .max : sum
        pushes.removeAll { elapsed - $0 >= Self.day }
        if let reported, elapsed - reported.at >= Self.day { self.reported = nil }
    }

    /// The pushes that are left now.
    package func left(_ profile: ComplicationProfile) -> Int {
        let today = reported?.remaining ?? (profile.perDay - pushes.count)
        let inHour = pushes.count { elapsed - $0 < Self.hour }
        return max(0, min(today, profile.perHour == .max ? today : profile.perHour - inHour))
    }

    /// The wait until a push, or the carrier's word, stops counting; nil where none counts.
    func nextExpiry(_ profile: ComplicationProfile) -> Int64? {
        var next: Int64?
        if let first = reported?.at ?? pushes.first { next = Self.day - (elapsed - first) }
        if profile.perHour != .max, let first = pushes.first(where: { elapsed - $0 < Self.hour }) {
            let wait = Self.hour - (elapsed - first)
            next = min(next ?? wait, wait)
        }
        return next
    }

    /// The pushes that stop counting against the day within these milliseconds; none where the
    /// carrier counts.
    func expiring(within rest: Int64) -> Int64 {
        guard reported == nil else { return 0 }
        return Int64(pushes.count { Self.day - (elapsed - $0) <= rest })
    }

    /// Counts a push.
    mutating func spend(isUrgent: Bool) {
        if pushes.count >= Self.mostPushes { pushes.removeFirst() }
        pushes.append(elapsed)
        if !isUrgent { lastRoutine = elapsed }
        if let left = reported?.remaining { reported?.remaining = max(0, left - 1) }
    }

    /// The carrier says how many pushes remain, which overrides the own count for 24 hours. A rise
    /// teaches the time of the day at which the carrier counts anew.
    package mutating func report(remaining: Int, _ clock: WallClock) {
        let remaining = min(max(0, remaining), Self.mostPushes)
        if let former = reported?.remaining, remaining > former {
            let minute = (clock.time.milliseconds / 60_000) % 1440
            resetMinute = Int(minute < 0 ? minute + 1440 : minute)
        }
        reported = Report(remaining: remaining, at: elapsed)
    }

    /// A second more than they are: a reading may be as old.
    static let day: Int64 = 86_401_000
    static let hour: Int64 = 3_601_000
    /// More than any platform allows.
    private static let mostPushes = 200
}

extension ComplicationAccount {
    private static let version: UInt8 = 1
    private static let none: UInt64 = .max

    /// Appends the account: numbers lowest byte first, all ones for none.
    package func write(to writer: inout WireWriter) {
        writer.byte(Self.version)
        writer.uint64(UInt64(bitPattern: elapsed))
        writer.uint64(UInt64(bitPattern: wall.milliseconds))
        writer.uint64(readAt.nanoseconds)
        writer.uint64(lastRoutine.map { UInt64(bitPattern: $0) } ?? Self.none)
        writer.uint64(reported.map { UInt64($0.remaining) } ?? Self.none)
        writer.uint64(UInt64(bitPattern: reported?.at ?? 0))
        writer.uint64(resetMinute.map { UInt64($0) } ?? Self.none)
        writer.byte(UInt8(pushes.count))
        for push in pushes { writer.uint64(UInt64(bitPattern: push)) }
    }

    /// Reads an account.
    ///
    /// - Throws: the broken rule; the file is at fault.
    package init(_ reader: inout WireReader) throws(WireError) {
        let version = try reader.byte("the version of an account of pushes")
        guard version == Self.version else {
            throw WireError(
                .unknownCode, at: 0, expected: "an account of pushes of version 1",
                found: UInt64(version))
        }
        elapsed = Int64(bitPattern: try reader.uint64("the time of an account of pushes"))
        wall = WallTime(
            milliseconds: Int64(bitPattern: try reader.uint64("the wall clock of an account")))
        readAt = Instant(nanoseconds: try reader.uint64("the monotonic clock of an account"))
        let start = reader.offset
        let routine = try reader.uint64("the last paced push")
        let remaining = try reader.uint64("the pushes reported")
        let reportedAt = try reader.uint64("the time of the report")
        let minute = try reader.uint64("the minute of the reset")
        let count = try reader.byte("the count of pushes")
        guard elapsed >= 0, count <= Self.mostPushes,
            routine == Self.none || routine <= UInt64(elapsed),
            remaining == Self.none || remaining <= UInt64(Self.mostPushes),
            reportedAt <= UInt64(elapsed),
            minute == Self.none || minute < 1440
        else {
            throw WireError(
                .outOfRange, at: start, expected: "an account of at most 200 past pushes",
                found: UInt64(count))
        }
        lastRoutine = routine == Self.none ? nil : Int64(routine)
        if remaining != Self.none {
            reported = Report(remaining: Int(remaining), at: Int64(reportedAt))
        }
        resetMinute = minute == Self.none ? nil : Int(minute)
        for _ in 0..<count {
            let offset = reader.offset
            let push = try reader.uint64("the time of a push")
            guard push >= UInt64(pushes.last ?? 0), push <= UInt64(elapsed) else {
                throw WireError(
                    .notCanonical, at: offset, expected: "times of pushes in order, none ahead",
                    found: push)
            }
            pushes.append(Int64(push))
        }
    }
}
