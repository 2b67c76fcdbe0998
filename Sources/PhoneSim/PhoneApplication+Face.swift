import ControlProtocol
import Locks
import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// When the phone sends the state of the face by itself.
struct FacePushes: Sendable {
    /// Whether a dose was recorded here that no state includes yet.
    var isDue = false
    /// The earliest moment of the next state: a burst leaves with its first and its last dose.
    var earliest = Instant(nanoseconds: 0)

    /// The time between two states.
    static let pause = Duration.milliseconds(500)
}

/// A dose that is recorded on the phone is on the face of the watch without a command. Doses of a
/// watch need no state: the other watches get the doses themselves.
extension PhoneApplication {
    func faceMayChange(_ cause: FaceCause) -> Bool {
        guard case .recorded = cause else { return false }
        return pushes.withLock { pushes in
            defer { pushes.isDue = true }
            return !pushes.isDue
        }
    }

    var nextLook: Instant? { pushes.withLock { $0.isDue ? $0.earliest : nil } }

    func look(in simulator: Simulator) {
        let isMeasuring = simulator.isMeasuring
        pushes.withLock { pushes in
            pushes.isDue = isMeasuring
            pushes.earliest = SystemClock.now.advanced(by: FacePushes.pause)
        }
        guard !isMeasuring, simulator.isPaired, library.withLock({ $0.hasList }),
            let state = try? face(in: simulator)
        else { return }
        // A refusal is that of a full queue or of no session: the next dose or update sends more.
        _ = try? simulator.show(state)
    }
}
