internal import ControlProtocol
package import WatchProto

extension Simulator {
    /// Tells which reminders are given or silenced.
    package func tell(_ changes: [DoseReminders.Change]) {
        guard !isQuiet else { return }
        for change in changes {
            let members: JSONValue = [
                "key": .string(change.slot.medication.recordKey.hex),
                "day": .whole(change.slot.day), "entry": .whole(change.slot.entry),
                "minute": .whole(change.minute.minutes),
            ]
            if change.isDue {
                hub.post("reminder.due", members)
            } else {
                hub.post("reminder.silenced", members)
            }
        }
    }
}
