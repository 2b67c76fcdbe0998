/// Why a command was refused. Errors never end a program. The sender of the command is at fault,
/// unless the code says otherwise.
package struct ControlError: Error, Hashable, Sendable {
    /// The code, for programs: `unknown_command`.
    package var code: String
    /// The details in the order in which they are written.
    package var details: JSONObject

    /// Makes the error.
    package init(_ code: String, _ details: JSONValue = [:]) {
        self.code = code
        self.details = details.object ?? JSONObject()
    }

    /// The value of a reply's member `error`: the code first.
    package var value: JSONValue {
        var object = JSONObject()
        object["code"] = .string(code)
        for member in details.members { object[member.name] = member.value }
        return .object(object)
    }
}

extension ControlError {
    /// The line is no JSON object; has the position and the expected text.
    package static func badJSON(_ errors: JSONErrors) -> ControlError {
        let first = errors.errors[0]
        return ControlError(
            "bad_json",
            [
                "column": .whole(first.position.column), "expected": .string(first.expected),
                "found": .string(first.found),
            ])
    }

    /// A line of more than `limitBytes` bytes was dropped.
    package static func lineTooLong(limitBytes: Int) -> ControlError {
        ControlError("line_too_long", ["limit_bytes": .whole(limitBytes)])
    }

    /// The command is unknown; names the nearest of `known`, or the program that accepts it.
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

    /// The commands of the link between two simulators, for `rig link` only.
    package static let linkCommands = [
        "link.set", "link.show", "link.down", "link.up", "link.drop", "link.counters",
    ]

    /// A wait for an unknown event; names the nearest of `known`.
    ///
    /// - Parameters:
    ///   - name: the event of the wait.
    ///   - known: the events of this device.
    ///   - elsewhere: the device that reports this event, if it is the other one.
    package static func unknownEvent(
        _ name: String, known: [String], elsewhere: String? = nil
    ) -> ControlError {
        var details = JSONObject()
        details["got"] = .string(Excerpt.of(name))
        if let elsewhere {
            details["expected"] = .string("a wait on the \(elsewhere), which reports this event")
        } else if let near = Spelling.nearest(to: name, among: known) {
            details["did_you_mean"] = .string(near)
        } else {
            details["known"] = .array(known.map { .string($0) })
        }
        return ControlError("unknown_event", .object(details))
    }

    /// An unknown field; names the nearest of `known`.
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

    /// A required field is missing.
    package static func missingField(_ name: String, expected: String) -> ControlError {
        ControlError("missing_field", ["field": .string(name), "expected": .string(expected)])
    }

    /// A field has an invalid value. A long `found` is cut.
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

    /// An awaited event did not arrive in time.
    package static func timedOut(_ event: String, milliseconds: Int64) -> ControlError {
        ControlError(
            "timed_out", ["event": .string(event), "timeout_ms": .integer(milliseconds)])
    }
}
