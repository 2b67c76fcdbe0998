package import ControlProtocol
internal import Locks
internal import WatchProto

/// The status of this device's application, and that of the other one.
extension Simulator {
    /// Tells each other device whether somebody looks at the application, the requests that it
    /// answers, and on a watch whether its face shows the complication.
    package func reportApp(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        for field in ["active", "locked"] where application.role == .phone {
            guard (request.fields[field] ?? .null).isNull else {
                throw .badField(field, expected: "a watch, which has a face", found: "a phone")
            }
        }
        var status = app.own ?? AppStatus()
        status.isForeground = try request.flag("foreground", default: true)
        if application.role == .watch {
            status.activePlaces = try request.flag("active", default: true) ? nil : []
        }
        if let names = try Self.names("capabilities", request) { status.capabilities = names }
        do throws(EncodingRefusal) {
            try app.report(status)
            for further in life.withLock({ $0.further.values }) {
                try further.exchanges.app.report(status)
            }
        } catch {
            throw .badField(
                "capabilities",
                expected: "names of 1 to 255 bytes, in all at most 4,096", found: "\(error)")
        }
        return JSONObject()
    }

    /// The status of the other application, for `status`.
    var counterpartApp: JSONValue { app.theirs?.controlMembers ?? .null }

    private static func names(
        _ field: String, _ request: ControlRequest
    ) throws(ControlError) -> Set<String>? {
        guard let value = request.fields[field], !value.isNull else { return nil }
        let names = value.array?.compactMap(\.string)
        guard let names, names.count == value.array?.count else {
            throw .badField(field, expected: "a list of names", found: value.kindName)
        }
        return Set(names)
    }
}

extension AppStatus {
    /// The members of the event `app.status`.
    var controlMembers: JSONValue {
        [
            "foreground": .bool(isForeground),
            "capabilities": .array(capabilities.sorted().map { .string($0) }),
            "active": .bool(activePlaces?.isEmpty != true),
        ]
    }
}
