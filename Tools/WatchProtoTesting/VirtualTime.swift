import Locks
import WatchProtoCore
import WatchProtoTransport

/// The time of a test. It stands still until the test moves it.
final class VirtualTime: Sendable {
    private struct Event {
        var moment: Instant
        var number: UInt64
        var action: @Sendable () -> Void
    }

    private struct State {
        var now = Instant(nanoseconds: 1_000_000_000)
        var timers: [ObjectIdentifier: (timer: DeadlineTimer, deadline: Instant)] = [:]
        /// In the order of their moments.
        var events: [Event] = []
        var nextNumber: UInt64 = 0

        var next: Instant? {
            let deadline = timers.values.map(\.deadline).min()
            guard let first = events.first?.moment else { return deadline }
            return min(first, deadline ?? first)
        }

        /// Ends the timers that are due.
        mutating func fire() {
            for (name, entry) in timers where entry.deadline <= now {
                timers[name] = nil
                // A moment of the host's clock that has long passed.
                entry.timer.set(Instant(nanoseconds: 1))
            }
        }
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }

    /// The next moment at which anything happens by itself; nil where nothing does.
    var next: Instant? { state.withLock { $0.next } }

    func set(_ timer: DeadlineTimer, to deadline: Instant) {
        state.withLock { state in
            timer.set(.distantFuture)
            state.timers[ObjectIdentifier(timer)] =
                deadline == .distantFuture ? nil : (timer, deadline)
            state.fire()
        }
    }

    /// Performs the action at the moment; at once where that has come.
    func at(_ moment: Instant, _ action: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            guard moment > state.now else { return true }
            let event = Event(moment: moment, number: state.nextNumber, action: action)
            state.nextNumber += 1
            let place = state.events.lastIndex { $0.moment <= moment }.map { $0 + 1 } ?? 0
            state.events.insert(event, at: place)
            return false
        }
        if isDue { action() }
    }

    /// Moves the time on. Everything due on the way happens, in order.
    func advance(to moment: Instant) {
        while let event = state.withLock({ state -> Event? in
            guard let first = state.events.first, first.moment <= moment else { return nil }
            state.now = max(state.now, first.moment)
            state.fire()
            return state.events.removeFirst()
        }) { event.action() }
        state.withLock { state in
            state.now = max(state.now, moment)
            state.fire()
        }
    }
}

/// The clock of one device: the time of the test, and a wall clock of its own.
final class DeviceClock: DriverClock {
    /// 2026-01-01 at noon, in UTC.
    static let beginning = WallTime(milliseconds: 1_767_268_800_000)

    private struct State {
        /// The wall clock's lead over the moments.
        var leadMilliseconds: Int64
        var zoneOffsetMinutes: Int16 = 0
    }

    /// The farthest time in milliseconds before or after 1970 to which a clock is set: 36 million
    /// years. Sums of times have no overflow there.
    private static let farthest: Int64 = 1 << 60

    let time: VirtualTime
    private let state: Mutex<State>

    init(_ time: VirtualTime) {
        self.time = time
        let passed = Int64(clamping: time.now.nanoseconds / 1_000_000)
        state = Mutex(State(leadMilliseconds: Self.beginning.milliseconds - passed))
    }

    var now: Instant { time.now }
    var sinceBoot: Instant { time.now }
    /// A test boots no device again.
    var boot: UInt32? { 1 }

    var wall: WallClock {
        let passed = Int64(clamping: now.nanoseconds / 1_000_000)
        return state.withLock { state in
            WallClock(
                time: WallTime(milliseconds: state.leadMilliseconds + passed),
                zoneOffsetMinutes: state.zoneOffsetMinutes)
        }
    }

    /// Sets the wall clock, as the wearer or the system would.
    func setWall(_ time: WallTime, zoneOffsetMinutes: Int16) {
        let passed = Int64(clamping: now.nanoseconds / 1_000_000)
        state.withLock { state in
            state.leadMilliseconds =
                min(max(time.milliseconds, -Self.farthest), Self.farthest) - passed
            state.zoneOffsetMinutes = zoneOffsetMinutes
        }
    }

    var busyPollLimit: Duration { .zero }
    func set(_ timer: DeadlineTimer, to deadline: Instant) { time.set(timer, to: deadline) }
    func perform(after pause: Duration, _ action: @escaping @Sendable () -> Void) {
        time.at(now.advanced(by: pause), action)
    }
}
