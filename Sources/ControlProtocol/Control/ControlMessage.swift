/// The lines that a controlled program writes. Each is one object with its line feed, written at
/// once.
package enum ControlMessage {
    /// The version of the protocol, as `ready` states it.
    package static let version: Int64 = 1

    /// The value of an event: its name first, the time (CLOCK_MONOTONIC, nanoseconds) last.
    package static func event(
        _ name: String, _ members: JSONObject, atNanoseconds: UInt64
    ) -> JSONValue {
        var object = JSONObject()
        object["event"] = .string(name)
        for member in members.members { object[member.name] = member.value }
        if object["t_ns"] == nil { object["t_ns"] = .whole(atNanoseconds) }
        return .object(object)
    }

    /// The reply to a command that succeeded.
    package static func reply(to id: JSONValue, _ members: JSONObject) -> JSONValue {
        var object = JSONObject()
        object["id"] = id
        object["ok"] = true
        for member in members.members { object[member.name] = member.value }
        return .object(object)
    }

    /// The reply to a command that was refused.
    package static func refusal(of id: JSONValue, _ error: ControlError) -> JSONValue {
        ["id": id, "ok": false, "error": error.value]
    }
}
