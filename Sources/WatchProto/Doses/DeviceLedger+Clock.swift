import Locks
package import WatchProtoCore
package import WatchProtoRecords
import WatchProtoTransport

/// The clocks of this device and of the phone (rule 13 of doses).
extension DeviceLedger {
    /// The longest time in milliseconds that a question is taken to have been on its way.
    private static let longestWay: Int64 = LedgerExchange.questionAge / 2

    /// The present time by the clocks of this host, on the device with this number.
    package func now(device: UInt32?, _ clock: WallClock? = nil) -> DoseTime {
        let clock = clock ?? host.wall
        let milliseconds = host.now.nanoseconds / 1_000_000
        return DoseTime(
            clock.time, zoneOffset: ZoneOffset(clamping: Int(clock.zoneOffsetMinutes)),
            device: device,
            uptime: host.boot.map { DoseUptime(boot: $0, milliseconds: milliseconds) },
            phoneOffset: phoneOffset(at: clock.time))
    }

    /// The phone's wall clock minus this device's, which shows `time` now, in milliseconds; nil
    /// until it is measured. A jump of this device's clock is in it at once.
    func phoneOffset(at time: WallTime) -> Int32? {
        if role == .phone { return 0 }
        let now = Self.milliseconds(uptime())
        return state.withLock { $0.phoneClock }.map {
            Int32(clamping: $0 + now - Self.bounded(time))
        }
    }

    /// Measures the phone's clock on a watch.
    ///
    /// - Parameters:
    ///   - time: the phone's clock when it asked a question.
    ///   - arrival: when the question arrived, by ``uptime``.
    ///   - roundTrip: the round-trip time of the link. Half of it was the question's way.
    func measure(_ time: WallTime, arrivedAt arrival: Instant, _ roundTrip: Duration?) {
        guard role == .watch else { return }
        let way = (roundTrip ?? .zero).nanosecondsClamped / 2_000_000
        let clock = Self.bounded(time) + min(max(0, way), Self.longestWay)
        state.withLock { $0.phoneClock = clock - Self.milliseconds(arrival) }
    }

    /// Milliseconds of a time that another device may have made up, clamped so that sums do not
    /// overflow.
    private static func bounded(_ time: WallTime) -> Int64 {
        min(max(time.milliseconds, -1 << 60), 1 << 60)
    }

    private static func milliseconds(_ instant: Instant) -> Int64 {
        Int64(instant.nanoseconds / 1_000_000)
    }
}
