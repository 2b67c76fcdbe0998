import ControlProtocol
import Locks
import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// When the phone looks at its doses, and sends the state of the face by itself.
struct PhoneLooks: Sendable {
    /// Whether a dose was recorded here that no state includes yet.
    var isStateDue = false
    /// Whether something changed since the last look. A device looks at its start.
    var isDue = true
    /// The earliest moment of the next look: a burst leaves with its first and its last dose.
    var earliest = Instant(nanoseconds: 0)
    /// The moment of the next reminder; nil for none.
    var reminder: Instant?
    var reminders = DoseReminders()

    /// The time between two looks.
    static let pause = Duration.milliseconds(500)

    var next: Instant? {
        guard !isDue else { return earliest }
        return reminder.map { max($0, earliest) }
    }
}

/// A dose that is recorded on the phone is on the face of the watch without a command. Doses of a
/// watch need no state: the other watches get the doses themselves.
extension PhoneApplication {
    func faceMayChange(_ cause: FaceCause) -> Bool {
        looks.withLock { looks in
            switch cause {
            case .recorded: looks.isStateDue = true
            case .arrived, .list, .pushed, .other: break
            }
            defer { looks.isDue = true }
            return !looks.isDue
        }
    }

    var nextLook: Instant? { looks.withLock { $0.next } }

    func look(in simulator: Simulator) {
        let isMeasuring = simulator.isMeasuring
        let isStateDue = looks.withLock { looks in
            looks.earliest = SystemClock.now.advanced(by: PhoneLooks.pause)
            looks.reminder = looks.reminder.map { max($0, looks.earliest) }
            guard !isMeasuring else { return false }
            defer { (looks.isStateDue, looks.isDue) = (false, false) }
            return looks.isStateDue
        }
        guard !isMeasuring, library.withLock({ $0.hasList }) else { return }
        remind(in: simulator)
        guard isStateDue, simulator.isPaired, let state = try? face(in: simulator) else { return }
        do { try simulator.show(state) } catch {
            // The queue is full, or there is no session: the next look offers a state again.
            looks.withLock { $0.isStateDue = true }
        }
    }

    /// Gives the reminders that are due, and silences those of doses that were closed or snoozed.
    private func remind(in simulator: Simulator) {
        let clock = SystemClock.wall
        var reminders = looks.withLock { $0.reminders }
        // If the file cannot be read, the reminders stay as they are.
        let changes = library.withLock { library in
            try? library.look(&reminders, clock, simulator.ledger.store)
        }
        guard let changes else { return }
        let wait = reminders.next.map { next in
            max(0, next.wallTime.milliseconds - clock.time.milliseconds)
        }
        let now = SystemClock.now
        looks.withLock { looks in
            looks.reminders = reminders
            looks.reminder = wait.map { now.advanced(by: .milliseconds($0)) }
        }
        simulator.tell(changes)
    }
}
