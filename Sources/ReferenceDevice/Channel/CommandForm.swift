internal import WatchProto

/// A command, and the fields that it takes beside `id`, `cmd` and `v`.
package struct CommandForm: Sendable {
    /// Its name.
    package var name: String
    /// The names of its fields.
    package var fields: [String]

    /// Makes a form; without fields, the name is all.
    package init(_ name: String, _ fields: String...) { self.init(name, fields: fields) }

    private init(_ name: String, fields: [String]) {
        self.name = name
        self.fields = fields
    }

    /// The commands of both devices.
    static let both = [
        CommandForm("status"),
        CommandForm("link.open", "pairing", "link"),
        CommandForm("link.close", "pairing", "abrupt"),
        CommandForm("wait", "event", "until", "fields", "holds", "after", "timeout_ms"),
        CommandForm(
            "load.start", "mix", "duration_ms", "warmup_ms", "seed", "arrivals", "events"),
        CommandForm("load.stop"),
        CommandForm("load.progress"),
        CommandForm(
            "send", "kind", "payload_b64", "text", "path", "key", "expects_reply", "timeout_ms",
            "expires_in_ms", "expires_at_ms", "idempotency_key", "priority", "count", "partial",
            "capability"),
        CommandForm("reply", "msg", "epoch", "payload_b64", "text"),
        CommandForm("echo", "on"),
        CommandForm("outstanding", "pairing", "after", "limit"),
        CommandForm("record.status", fields: RecordID.controlNames),
        CommandForm("cancel", fields: RecordID.controlNames),
        CommandForm("file.pause", fields: RecordID.controlNames),
        CommandForm("file.resume", fields: RecordID.controlNames),
        CommandForm("trace.dump", "after", "limit"),
        CommandForm("trace.reset"),
        CommandForm("events", "records"),
        CommandForm(
            "dose.record", "index", "key", "count", "dose", "action", "until_minute",
            "taken_minute", "amount", "unit", "day", "minute", "entry"),
        CommandForm("dose.withdraw", "dose", "new_dose"),
        CommandForm(
            "dose.correct", "dose", "new_dose", "action", "taken_minute", "amount", "unit"),
        CommandForm(
            "dose.resolve", "dose", "new_dose", "action", "taken_minute", "amount", "unit"),
        CommandForm("dose.export", "path", "key"),
        CommandForm("dose.import", "path", "partial"),
        CommandForm("clock.set", "at_ms", "zone_minutes"),
        CommandForm("quit"),
        CommandForm("packets.start", "limit"),
        CommandForm("packets.stop"),
        CommandForm("packets.dump", "after", "limit"),
        CommandForm("medication.fetch", "key"),
        CommandForm("medication.list", "after", "limit"),
        CommandForm("medication.next", "limit"),
        CommandForm("dose.today", "day", "after_due", "after", "limit"),
        CommandForm("dose.due", "limit"),
        CommandForm("dose.history", "key", "before", "limit"),
        CommandForm("pair.show", "confirmed", "keep_doses", "link"),
        CommandForm("pair.enter", "code", "confirmed", "keep_doses", "link"),
        CommandForm("pair.confirm", "keep_doses"),
        CommandForm("pair.cancel"),
        CommandForm("pair.list"),
        CommandForm("pair.forget", "pairing"),
        CommandForm("pair.activate", "pairing", "link"),
    ]

    /// Those that need a device to speak with.
    static let together = [
        "link.open", "link.close", "load.start", "send", "reply", "outstanding", "record.status",
        "cancel", "file.pause", "file.resume",
    ]
}
