public import WatchProtoCore
import WatchProtoTransport

extension WallTime {
    /// What the wall clock shows now.
    public static var now: WallTime { SystemClock.wall.time }
}
