package import WatchProto
internal import WatchProtoTransport

/// The offsets of local time on this host.
package enum LocalZone {
    /// The offsets of the days around `minute`, by the rules of the present zone.
    package static func offsets(around minute: WallMinute) -> ZoneTimeline {
        ZoneTimeline(around: minute, offset)
    }

    fileprivate static func offset(at minute: WallMinute) -> ZoneOffset {
        ZoneOffset(clamping: Int(SystemClock.zoneOffset(at: minute.wallTime)))
    }
}

extension ZoneLog {
    /// The offsets around the present minute `now`, with the rules of this host's zone. They are
    /// asked once a minute.
    package mutating func offsets(at now: WallMinute) -> ZoneTimeline {
        if let recent = recent(at: now), recent.offset(at: now) == LocalZone.offset(at: now) {
            return recent
        }
        return offsets(at: now, LocalZone.offsets(around: now))
    }
}
