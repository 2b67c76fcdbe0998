internal import WatchProto

/// The events that can be waited for. `ready` comes before any command, `bye` after the last.
enum EventNames {
    /// Those that a device tells.
    static func all(of role: DeviceRole) -> [String] {
        common + journal
            + (role == .phone
                ? ["watch.reachability"] : ["medication.visible", "complication.shown"])
    }

    private static let journal = [
        "journal.reopened", "journal.went_back", "records.lost", "value.conflict",
    ]

    private static let common = [
        "activation", "reachability", "link.opened", "link.not_opened", "link.refused",
        "link.ended", "link.closed", "link.quality", "notice", "counterpart", "pairing.code",
        "pairing.confirm", "pairing.failed", "pairing.expired", "pairing.advice", "pairing.done",
        "pairing.ended", "synced", "value.handed_back", "message.arrived",
        "record.arrived", "dose.arrived", "doses.checked", "record.unreadable", "record.rejected",
        "overdue",
        "overdue.ended",
        "complication.budget", "load.done", "missed", "error",
    ]
}
