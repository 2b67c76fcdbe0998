internal import WatchProto

/// The events that can be waited for, each with the members that it may have beside `event`, `t_ns`
/// and `seq`. `ready` comes before any command, `bye` after the last.
enum EventNames {
    /// Those that a device tells.
    static func all(of role: DeviceRole) -> [String] {
        (both + (role == .phone ? phone : watch)).map(\.name)
    }

    /// The members of an event.
    static func members(of event: String) -> [String] {
        (both + phone + watch).first { $0.name == event }?.members ?? []
    }

    private typealias Form = (name: String, members: [String])

    private static let record = RecordID.controlNames
    private static let channel = Channel.controlField
    private static let reminder = ["key", "day", "entry", "minute"]
    private static let content = ["bytes", "payload_b64", "text"]
    private static let evidence = ["reachable", "evidence", "heard_ns", "answered_ns", "flaps"]

    private static let picture = ["key", "size", "version"]

    private static let status = ["foreground", "capabilities", "active"]

    private static let phone: [Form] = [
        ("watch.reachability", ["pairing"] + evidence), ("watch.status", ["pairing"] + status),
        ("complication.budget", ["remaining"]), ("complication.demoted", ["urgent"]),
    ]

    private static let watch: [Form] = [
        ("medication.visible", ["msg", "key", "revision", "removed"]),
        ("complication.shown", ["msg", "text", "source", "as_of_minute", "age_ns", "picture"]),
        ("picture.arrived", picture + ["width", "height", "quality", "bytes"]),
        ("picture.removed", ["msg", "key"]),
    ]

    private static let both: [Form] = [
        ("activation", ["state", "pairing"]), ("reachability", evidence), ("link.opened", []),
        ("link.not_opened", ["pairing", "detail"]), ("link.refused", ["count"]), ("link.ended", []),
        (
            "link.closed",
            [
                "pairing", "reason", "detail", "close_code", "meaning", "frame", "version",
                "own_version", "held_bytes", "bytes", "needed",
            ]
        ),
        ("link.quality", ["quality"]), ("shape.one_sided", ["pairing"]), ("app.status", status),
        ("notice", ["version", "close_code", "meaning", "own_version", "detail"]),
        ("counterpart", ["change"]), ("pairing.code", ["code", "good_for_ms"]),
        ("pairing.confirm", ["counterpart", "role", "erases_doses"]),
        ("pairing.failed", ["reason", "detail", "attempts_left"]), ("pairing.expired", []),
        ("pairing.advice", ["meaning", "detail", "version", "own_version"]),
        (
            "pairing.done",
            ["pairing", "counterpart", "epoch", "durable", "requeued", "erased"]
        ),
        ("pairing.ended", ["reason"]), ("synced", ["settled", "of"]),
        ("value.recovered", [channel, "key", "kind", "bytes"]),
        ("message.arrived", record + ["pairing", "expects_reply", "capability"] + content),
        ("message.replied", record + ["rtt_ns"] + content),
        ("message.failed", record + ["outcome", "cause", "code"]),
        ("record.arrived", record + ["pairing", "kind", "key", "path"] + content),
        ("record.settled", record + ["outcome", "code"]),
        ("file.progress", record + ["done", "total", "problem"]),
        ("dose.arrived", ["msg", "key", "dose", "new"]), ("doses.checked", ["pairing"]),
        ("reminder.due", reminder), ("reminder.silenced", reminder),
        ("record.unreadable", record + ["kind", "bytes"]), ("overdue", record + ["age_ns"]),
        ("overdue.ended", []),
        ("load.done", ["sent", "warmup", "refused", "late_max_ns", "complete"]),
        ("missed", ["count"]), ("error", ["error"]), ("journal.reopened", []),
        ("journal.went_back", ["wiped"]), ("records.lost", [channel, "epoch", "first", "last"]),
        ("value.conflict", [channel, "key", "kind", "bytes", "replaced_bytes"]),
    ]
}
