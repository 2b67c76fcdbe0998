internal import CommandLine
internal import ControlProtocol
package import WatchProto
internal import WatchProtoTransport

/// The directory for the files of the other device, which are too large for a line.
struct FileInbox: Sendable {
    /// Its path.
    var path: String

    /// Keeps a file under a name of its own, `EPOCH-NUMBER`: a file that comes again replaces
    /// itself. It is whole, or not there.
    func keep(_ record: InboundRecord) throws(SystemError) -> String {
        let file = "\(path)/\(record.id.epoch.hex)-\(record.id.number.rawValue)"
        try Files.write(record.payload, to: file, mode: 0o600)
        return file
    }
}

extension Arrival {
    /// A record without a meaning to the device: taken note of and told, with its content.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - file: the file that has its content; nil for none.
    static func other(_ record: InboundRecord, in file: String?) -> Arrival {
        Arrival(.applied, event: "record.arrived") {
            var members = record.id.controlMembers
            members["kind"] = .string(record.kind.controlName)
            if let key = record.key { members["key"] = .string(key.hex) }
            if let file { members["path"] = .string(file) }
            for member in ControlPayload.members(of: record.payload).members {
                members[member.name] = member.value
            }
            return .object(members)
        }
    }

    /// The arrival of a record that has no file.
    package static func other(_ record: InboundRecord) -> Arrival { other(record, in: nil) }
}
