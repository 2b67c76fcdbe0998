package import WatchProto
internal import WatchProtoTransport

/// The offsets of local time on this host.
package enum LocalZone {
    /// The offsets of the days around `minute`, by the rules of the present zone.
    package static func offsets(around minute: WallMinute) -> ZoneTimeline {
        ZoneTimeline(around: minute) { minute in
            ZoneOffset(clamping: Int(SystemClock.zoneOffset(at: minute.wallTime)))
        }
    }
}
