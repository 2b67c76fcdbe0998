package import ControlProtocol
package import WatchProto
package import WatchProtoTransport

/// The result of a record on a device.
package struct Arrival: Sendable {
    /// The answer to the counterpart: whether the record counts as applied.
    package var disposition: Disposition
    /// A medication's revision.
    package var revision: UInt32?
    /// The event to tell, with what it says.
    package var event: String?
    /// Made only when the event is told.
    package var members: @Sendable () -> JSONValue
    /// The reason for which the face may show something else.
    package var cause: FaceCause?
    /// The store's changes, made durable together with the answer.
    package var writes: [any StoreWrite]

    /// Makes an arrival; without an event nothing is told.
    package init(
        _ disposition: Disposition, revision: UInt32? = nil, event: String? = nil,
        cause: FaceCause? = nil, writes: [any StoreWrite] = [],
        members: @escaping @Sendable () -> JSONValue = { [:] }
    ) {
        self.disposition = disposition
        self.revision = revision
        self.event = event
        self.cause = cause
        self.members = members
        self.writes = writes
    }
}

extension Arrival {
    /// A record that cannot be read is refused for good, and the link lives.
    package static var unreadable: Arrival { Arrival(.rejected(code: 1)) }

    /// A record without a meaning to the device: taken note of and told, with its content.
    package static func other(_ record: InboundRecord) -> Arrival {
        Arrival(.applied, event: "record.arrived") {
            var members = record.id.controlMembers
            members["kind"] = .string(record.kind.controlName)
            if let key = record.key { members["key"] = .string(key.hex) }
            for member in ControlPayload.members(of: record.payload).members {
                members[member.name] = member.value
            }
            return .object(members)
        }
    }
}
