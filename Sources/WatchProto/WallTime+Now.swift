public import WatchProtoCore
import WatchProtoTransport

extension WallTime {
    /// The present time of the wall clock.
    public static var now: WallTime { SystemClock.wall.time }
}
