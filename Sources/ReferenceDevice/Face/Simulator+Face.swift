internal import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoTransport

/// The face of a device, and the clock that it depends on.
extension Simulator {
    /// Lets the main thread look at the face, if the application wants that.
    package func faceMayChange(_ cause: FaceCause) {
        if application.faceMayChange(cause) { output.changed.signal() }
    }

    /// Lets the main thread look at the face, whose next look is due now.
    package func faceIsDue() { output.changed.signal() }

    /// Looks at the face if it is time.
    func lookAtFace(at now: Instant) {
        if let next = nextLook, next <= now { application.look(in: self) }
    }

    /// Whether events of single records are left out: a load is measured, or somebody asked for it.
    package var isQuiet: Bool { observer.isQuiet }

    /// Whether a load is measured: nothing that it does not ask for is sent.
    package var isMeasuring: Bool { observer.isLoadQuiet.load(ordering: .relaxed) }

    /// Sets the wall clock of this process, as a wearer sets that of a device.
    func setClock(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let latest: Int64 = 253_402_300_799_000
        let time = try request.optionalInteger("at_ms", in: 0...latest)
        let zone = try request.optionalInteger("zone_minutes", in: -1080...1080)
        SystemClock.set(
            time.map { WallTime(milliseconds: $0) }, zoneOffsetMinutes: zone.map { Int16($0) })
        // Records expire by that clock.
        for session in life.withLock({ [$0.session] + $0.further.values.map(\.session) }) {
            session.wallClockChanged()
        }
        faceMayChange(.other)
        let clock = SystemClock.wall
        return [
            "at_ms": .whole(clock.time.milliseconds),
            "zone_minutes": .whole(clock.zoneOffsetMinutes),
        ]
    }
}
