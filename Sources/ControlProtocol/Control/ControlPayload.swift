/// The content of a record in a line: `payload_b64`, or `text` for bytes that are UTF-8.
package enum ControlPayload {
    /// The most bytes that an event shows. A larger content is in a file, if at all.
    package static let shownBytes = 1 << 16

    /// The members of an event about `payload`: `bytes`, then the content if it is small enough:
    /// `payload_b64`, and the same as `text` if a person can read it.
    package static func members(of payload: [UInt8]) -> JSONObject {
        var object = JSONObject()
        object["bytes"] = .whole(payload.count)
        guard payload.count <= shownBytes else { return object }
        object["payload_b64"] = .string(Base64.encode(payload))
        if let text = readable(payload) { object["text"] = .string(text) }
        return object
    }

    /// The text of these bytes; nil if they are no UTF-8, or have control characters other than
    /// tabs and line ends.
    static func readable(_ bytes: [UInt8]) -> String? {
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0D].contains($0) })
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension ControlRequest {
    /// The content that a command brings: in `payload_b64`, or as `text`.
    ///
    /// - Throws: `missingField` without either, `badField` for both or for what is not base 64; the
    ///   client is at fault.
    package func payload() throws(ControlError) -> [UInt8] {
        guard let text = try optionalString("text") else { return try bytes("payload_b64") }
        guard (fields["payload_b64"] ?? .null).isNull else {
            throw .badField("text", expected: "'payload_b64' or 'text'", found: "both")
        }
        return Array(text.utf8)
    }

    /// Refuses fields that the command does not have: an ignored field would look like an applied
    /// one. `id`, `cmd` and `v` are fields of every command.
    ///
    /// - Throws: `unknownField`; the client is at fault.
    package func checkFields(_ known: [String]) throws(ControlError) {
        for member in fields.members where !(known + ["id", "cmd", "v"]).contains(member.name) {
            throw .unknownField(member.name, known: known)
        }
    }
}
