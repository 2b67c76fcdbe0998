package import WatchProtoCore
package import WatchProtoRecords
import WatchProtoTransport

extension DoseTime {
    /// The present time by the clocks of this host, on the device with this number.
    package static func now(device: UInt32?, _ clock: WallClock = SystemClock.wall) -> DoseTime {
        let milliseconds = SystemClock.now.nanoseconds / 1_000_000
        return DoseTime(
            clock.time, zoneOffset: ZoneOffset(clamping: Int(clock.zoneOffsetMinutes)),
            device: device,
            uptime: SystemClock.boot.map { DoseUptime(boot: $0, milliseconds: milliseconds) })
    }
}
