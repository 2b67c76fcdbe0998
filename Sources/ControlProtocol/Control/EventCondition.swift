/// The condition of a `wait` for an event: its name and its required members.
package struct EventCondition: Hashable, Sendable {
    /// The event's name.
    package var event: String
    /// The required members with their values.
    package var members: [JSONObject.Member]
    /// How long to wait, in milliseconds.
    package var timeoutMilliseconds: Int64
    /// The number (`seq`) of an event: only later ones match. Without it, those since the last
    /// command that was no wait, and a state that holds already.
    package var after: UInt64?

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

    /// Reads the condition from a command: every field but `id`, `cmd`, `v`, `event`, `after` and
    /// `timeout_ms` must match.
    ///
    /// - Throws: `missingField` or `badField` for an event or a time (in milliseconds) that is
    ///   absent or invalid; the client is at fault.
    package init(_ request: ControlRequest) throws(ControlError) {
        event = try request.string("event", expected: "the name of an event")
        timeoutMilliseconds = try request.integer("timeout_ms", in: 0...Self.longestMilliseconds)
        after = try request.optionalUnsigned("after")
        let own = ["id", "cmd", "v", "event", "after", "timeout_ms"]
        members = request.fields.members.filter { !own.contains($0.name) }
    }

    /// Whether `event`, as made by ``ControlMessage/event(_:_:atNanoseconds:)``, matches.
    package func matches(_ event: JSONValue) -> Bool {
        guard let object = event.object, object["event"] == .string(self.event) else {
            return false
        }
        return members.allSatisfy { object[$0.name] == $0.value }
    }
}
