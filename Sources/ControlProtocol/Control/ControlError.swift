/// Why a command was refused. Errors never end a program; whoever sent the command is at fault
/// unless the code says otherwise.
package struct ControlError: Error, Hashable, Sendable {
    /// The code, for programs: `unknown_command`.
    package var code: String
    /// What was seen, expected and found, in the order it is written.
    package var details: JSONObject

    /// Makes the error.
    package init(_ code: String, _ details: JSONValue = [:]) {
        self.code = code
        self.details = details.object ?? JSONObject()
    }

    /// As it stands in a reply's member `error`: the code first.
    package var value: JSONValue {
        var object = JSONObject()
        object["code"] = .string(code)
        for member in details.members { object[member.name] = member.value }
        return .object(object)
    }
}

extension ControlError {
    /// The line is no object of JSON; says where and what was expected.
    package static func badJSON(_ errors: JSONErrors) -> ControlError {
        let first = errors.errors[0]
        return ControlError(
            "bad_json",
            [
                "column": .whole(first.position.column), "expected": .string(first.expected),
                "found": .string(first.found),
            ])
    }

    /// A line of more than `limitBytes` bytes was thrown away.
    package static func lineTooLong(limitBytes: Int) -> ControlError {
        ControlError("line_too_long", ["limit_bytes": .whole(limitBytes)])
    }

    /// No such command here; names the nearest of `known`, or who takes it.
    package static func unknownCommand(_ name: String, known: [String]) -> ControlError {
        var details: JSONObject = JSONObject()
        details["got"] = .string(Excerpt.of(name))
        if linkCommands.contains(name) {
            details["taken_by"] = "rig link"
        } else if let near = Spelling.nearest(to: name, among: known) {
            details["did_you_mean"] = .string(near)
        } else {
            details["known"] = .array(known.map { .string($0) })
        }
        return ControlError("unknown_command", .object(details))
    }

    /// The commands of the link between two simulators, which only `rig link` takes.
    package static let linkCommands = [
        "link.set", "link.show", "link.down", "link.up", "link.counters",
    ]

    /// A wait for an event that is never told; names the nearest of `known`.
    package static func unknownEvent(_ name: String, known: [String]) -> ControlError {
        var details = JSONObject()
        details["got"] = .string(Excerpt.of(name))
        if let near = Spelling.nearest(to: name, among: known) {
            details["did_you_mean"] = .string(near)
        } else {
            details["known"] = .array(known.map { .string($0) })
        }
        return ControlError("unknown_event", .object(details))
    }

    /// A field that the command does not know; names the nearest of `known`.
    package static func unknownField(_ name: String, known: [String]) -> ControlError {
        var details = JSONObject()
        details["field"] = .string(Excerpt.of(name))
        if let near = Spelling.nearest(to: name, among: known) {
            details["did_you_mean"] = .string(near)
        } else {
            details["known"] = .array(known.map { .string($0) })
        }
        return ControlError("unknown_field", .object(details))
    }

    /// A field that the command needs is not there.
    package static func missingField(_ name: String, expected: String) -> ControlError {
        ControlError("missing_field", ["field": .string(name), "expected": .string(expected)])
    }

    /// A field holds what it cannot hold. Of a long `found` the beginning is told.
    package static func badField(
        _ name: String, expected: String, found: String
    ) -> ControlError {
        ControlError(
            "bad_field",
            [
                "field": .string(name), "expected": .string(expected),
                "found": .string(Excerpt.of(found, limit: 100)),
            ])
    }

    /// A command that has to wait for something did not see it in time.
    package static func timedOut(milliseconds: Int64) -> ControlError {
        ControlError("timed_out", ["timeout_ms": .integer(milliseconds)])
    }
}
