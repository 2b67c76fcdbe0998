/// What the command `wait` waits for: an event's name and the members it must have.
package struct EventCondition: Hashable, Sendable {
    /// The event's name.
    package var event: String
    /// Members that must be there with these very values.
    package var members: [JSONObject.Member]
    /// How long to wait, in milliseconds.
    package var timeoutMilliseconds: Int64

    /// The longest wait, in milliseconds: one hour.
    package static let longestMilliseconds: Int64 = 3_600_000

    /// Makes the condition of its parts.
    package init(
        _ event: String, _ members: [JSONObject.Member] = [], timeoutMilliseconds: Int64
    ) {
        self.event = event
        self.members = members
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// Reads it from a command: every field but `id`, `cmd`, `event` and `timeout_ms` must match.
    /// Throws `missingField` or `badField` for an event or a time (in milliseconds) that is not
    /// there or no such thing; the client is at fault.
    package init(_ request: ControlRequest) throws(ControlError) {
        event = try request.string("event", expected: "the name of an event")
        timeoutMilliseconds = try request.integer("timeout_ms", in: 0...Self.longestMilliseconds)
        let own = ["id", "cmd", "event", "timeout_ms"]
        members = request.fields.members.filter { !own.contains($0.name) }
    }

    /// Whether `event`, as ``ControlMessage/event(_:_:atNanoseconds:)`` makes it, is one.
    package func matches(_ event: JSONValue) -> Bool {
        guard let object = event.object, object["event"] == .string(self.event) else {
            return false
        }
        return members.allSatisfy { object[$0.name] == $0.value }
    }
}
