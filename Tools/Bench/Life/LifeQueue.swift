import WatchProtoCore
import WatchProtoRecords

/// A step of a life.
enum LifeStep {
    /// A local day begins: its doses are known.
    case day(Int)
    /// The wearer acts on a dose, on the device at hand.
    case act(LifeAct)
    /// The list changes on the phone.
    case edit(LifePlan.Edit)
    /// The app has content of its own for the face.
    case notice
    /// The watch's app comes to the foreground, or leaves it.
    case foreground(Bool)
    /// The link, the phone or the watch comes or goes.
    case link(Bool)
    case phone(Bool)
    case watch(Bool)
    /// The zone of the wearer changes.
    case zone
    /// A message arrives.
    case arrival(LifeLink.Arrival)
    /// The watch looks at its face, or the planner at its updates.
    case look
    case wake
}

/// An act of the wearer on a dose.
struct LifeAct {
    enum Kind {
        case take
        case skip
        case snooze
        case undo
        case takeTwice
        case resolve
    }

    var kind: Kind
    var medication: MedicationID
    var dose: PlannedDose

    var slot: DoseSlot { DoseSlot(medication: medication, entry: dose.entry, day: dose.day) }
}

/// The steps that are to come, by their moments; those of one moment in the order of their adding.
struct LifeQueue {
    private var steps: [(at: LifeMoment, number: Int, step: LifeStep)] = []
    private var count = 0

    /// The moment of the next step.
    var next: LifeMoment? { steps.last?.at }

    /// Adds a step.
    mutating func add(_ step: LifeStep, at moment: LifeMoment) {
        count += 1
        // The last one is the next: a search from the end of the array.
        var (low, high) = (0, steps.count)
        while low < high {
            let middle = (low + high) / 2
            if steps[middle].at > moment { low = middle + 1 } else { high = middle }
        }
        steps.insert((moment, count, step), at: low)
    }

    /// Removes the next step.
    mutating func take() -> LifeStep? { steps.popLast()?.step }
}
