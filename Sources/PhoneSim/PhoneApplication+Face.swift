import ControlProtocol
import Locks
import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// When the phone looks at its doses, and sends the state of the face by itself.
struct PhoneLooks: Sendable {
    /// Why a state is to be offered: doses were recorded here that no state includes yet. Nil for
    /// none.
    var due: UpdateCause?
    /// Whether something changed since the last look. A device looks at its start.
    var isDue = true
    /// The earliest moment of the next look: a burst leaves with its first and its last dose.
    var earliest = Instant(nanoseconds: 0)
    /// The moment of the next look without a change; nil before the first one.
    var timed: Instant?
    var reminders = DoseReminders()

    /// The time between two looks.
    static let pause = Duration.milliseconds(500)
    /// The time until a state that was refused is offered again.
    static let retry = Duration.seconds(10)

    var next: Instant? {
        guard !isDue else { return earliest }
        return timed.map { max($0, earliest) }
    }
}

/// A dose that is recorded on the phone, and an edit of the list, is on the face of the watch
/// without a command. Doses of a watch need no state: the other watches get the doses themselves.
extension PhoneApplication {
    func faceMayChange(_ cause: FaceCause) -> Bool {
        looks.withLock { looks in
            switch cause {
            case .recorded(let events):
                // Nobody takes a dose twice because a reminder was postponed.
                let isSnooze = events.allSatisfy { $0.status?.snoozedUntil != nil }
                if looks.due != .urgentChange { looks.due = isSnooze ? .change : .urgentChange }
            case .arrived, .list, .pushed, .other: break
            }
            defer { looks.isDue = true }
            return !looks.isDue
        }
    }

    /// The list's edits leave for the watch. A face in the background does not see them without a
    /// state.
    func offerEdits() {
        guard let edits = library.withLock({ $0.takeEdits() }) else { return }
        looks.withLock { if $0.due != .urgentChange { $0.due = edits } }
    }

    var nextLook: Instant? { looks.withLock { $0.next } }

    func look(in simulator: Simulator) {
        let isMeasuring = simulator.isMeasuring
        let due = looks.withLock { looks -> UpdateCause? in
            looks.earliest = SystemClock.now.advanced(by: PhoneLooks.pause)
            looks.timed = looks.timed.map { max($0, looks.earliest) }
            guard !isMeasuring else { return nil }
            defer { (looks.due, looks.isDue) = (nil, false) }
            return looks.due
        }
        guard !isMeasuring, library.withLock({ $0.hasList }) else { return }
        remind(in: simulator)
        guard let due, simulator.isPaired else { return }
        do {
            try simulator.show(face(in: simulator), ComplicationOffer(due))
        } catch {
            // The queue is full, there is no session, or the file cannot be read.
            looks.withLock { looks in
                if looks.due != .urgentChange { looks.due = due }
                let again = SystemClock.now.advanced(by: PhoneLooks.retry)
                looks.timed = min(looks.timed ?? again, again)
            }
        }
    }

    /// Gives the reminders that are due, and silences those of doses that were closed or snoozed.
    private func remind(in simulator: Simulator) {
        let clock = SystemClock.wall
        // A check of a clock that was ahead is forgotten by being asked for.
        _ = try? simulator.lastCheck()
        var reminders = looks.withLock { $0.reminders }
        // If the file cannot be read, the reminders stay as they are.
        let changes = library.withLock { library in
            try? library.look(&reminders, clock, simulator.ledger.store)
        }
        guard let changes else { return }
        let due = reminders.nextLook(after: WallMinute(clock.time)).wallTime
        let wait = max(0, due.milliseconds - clock.time.milliseconds)
        let next = SystemClock.now.advanced(by: .milliseconds(wait))
        looks.withLock { looks in
            looks.reminders = reminders
            looks.timed = next
        }
        simulator.tell(changes)
        if isKept.load(ordering: .relaxed) {
            simulator.keepZones { library.withLock { $0.zones.takeNews() } }
        }
    }
}
