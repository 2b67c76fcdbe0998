package import WatchProtoCore
package import WatchProtoRecords

/// A message of the library of one device to that of the other, of the kind `ContentKind.app`.
package enum AppMessage: Hashable, Sendable {
    /// The status of the application. A device sends it when the other one becomes
    /// reachable, and when something changes. It is not answered.
    case status(AppStatus)
    /// Asks whether a durable record waits here that is not committed there. The answer is a byte:
    /// 0 for no, 1 for yes.
    case asksWhetherAnythingWaits
    /// A question about interactive messages of the sender, or an answer about those of the
    /// receiver.
    case messages(About, [RecordID])

    /// The sense in which messages are listed.
    package enum About: UInt8, Sendable {
        /// Was the receiver's application given these?
        case asked = 16
        /// The sender's application was given these.
        case given = 32
        /// The sender's application was not given these, and will not be.
        case missing = 64
    }

    private static let foreground: UInt8 = 1
    private static let places: UInt8 = 2
    private static let capabilities: UInt8 = 4
    private static let question: UInt8 = 8
    /// The most places in one message.
    static let placeLimit = 64
    /// The most bytes of the name of a capability.
    package static let nameByteLimit = 255
    /// The most bytes of one message.
    package static let byteLimit = 4096
    /// The most identities in one message.
    static let identityLimit = 200

    /// The bytes of the message.
    ///
    /// - Throws: `EncodingRefusal` for an empty name, one that is too long, or too many names; the
    ///   application is at fault.
    package func encoded() throws(EncodingRefusal) -> [UInt8] {
        let status: AppStatus
        switch self {
        case .asksWhetherAnythingWaits: return [Self.question]
        case .messages(let about, let ids):
            var writer = WireWriter([about.rawValue])
            for id in ids {
                writer.uint64(id.epoch.rawValue)
                writer.varint(id.number.rawValue)
            }
            return writer.bytes
        case .status(let reported): status = reported
        }
        let named = status.activePlaces.flatMap { $0.count > Self.placeLimit ? nil : $0 }
        let marks =
            (status.isForeground ? Self.foreground : 0) | (named == nil ? 0 : Self.places)
            | (status.capabilities.isEmpty ? 0 : Self.capabilities)
        var writer = WireWriter([marks])
        if !status.capabilities.isEmpty { writer.varint(UInt64(status.capabilities.count)) }
        for name in status.capabilities.map({ Array($0.utf8) }).sorted(by: Self.precedes) {
            guard (1...Self.nameByteLimit).contains(name.count) else {
                throw .tooLarge(bytes: name.count, limit: Self.nameByteLimit)
            }
            writer.block(name)
        }
        for place in (named ?? []).map(\.rawValue).sorted() {
            writer.fixed(UInt64(place), count: 4)
        }
        guard writer.count <= Self.byteLimit else {
            throw .tooLarge(bytes: writer.count, limit: Self.byteLimit)
        }
        return writer.bytes
    }

    /// Reads a message.
    ///
    /// - Throws: the broken rule; the other device is at fault.
    package init(_ bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes.span)
        let marks = try reader.byte("a message about an application")
        if marks == Self.question {
            try reader.finish("the end of a question")
            self = .asksWhetherAnythingWaits
            return
        }
        if let about = About(rawValue: marks) {
            self = .messages(about, try reader.identities(atMost: Self.identityLimit))
            return
        }
        guard marks < Self.question else {
            throw WireError(
                .unknownCode, at: 0, expected: "a message about an application",
                found: UInt64(marks))
        }
        var status = AppStatus(isForeground: marks & Self.foreground != 0)
        if marks & Self.capabilities != 0 { status.capabilities = try reader.capabilities() }
        if marks & Self.places != 0 {
            status.activePlaces = try reader.places(bytes.count, atMost: Self.placeLimit)
        }
        try reader.finish("the end of a message about an application")
        self = .status(status)
    }

    /// The messages that list these identities in this sense; none for none.
    static func drafts(_ about: About, _ ids: [RecordID]) -> [RecordDraft] {
        stride(from: 0, to: ids.count, by: identityLimit).compactMap { start in
            let part = ids[start..<min(start + identityLimit, ids.count)]
            return (try? Self.messages(about, Array(part)).encoded()).map { bytes in
                RecordDraft(channel: .interactive, kind: .app, payload: bytes)
            }
        }
    }

    fileprivate static func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.lexicographicallyPrecedes(other)
    }
}

extension WireReader {
    /// Identities of interactive messages, up to the end.
    fileprivate mutating func identities(atMost limit: Int) throws(WireError) -> [RecordID] {
        var ids: [RecordID] = []
        repeat {
            let start = offset
            let epoch = EpochID(rawValue: try uint64("the epoch of a message"))
            let number = try varint("the number of a message", atMost: RecordNumber.largest)
            guard number > 0, ids.count < limit else {
                throw WireError(
                    .outOfRange, at: start, expected: "at most 200 messages, numbered from 1",
                    found: number)
            }
            ids.append(
                RecordID(epoch: epoch, channel: .interactive, number: RecordNumber(number)))
        } while !isAtEnd
        return ids
    }

    /// Names in rising order.
    fileprivate mutating func capabilities() throws(WireError) -> Set<String> {
        let start = offset
        let count = try count("the number of capabilities", atMost: AppMessage.byteLimit, size: 2)
        guard count > 0 else {
            throw WireError(.outOfRange, at: start, expected: "at least one capability", found: 0)
        }
        var names: Set<String> = []
        var last: [UInt8] = []
        for _ in 0..<count {
            let start = offset
            let name = try block("a capability", atMost: AppMessage.nameByteLimit)
            guard AppMessage.precedes(last, name) else {
                throw WireError(
                    .notCanonical, at: start, expected: "capabilities in rising order",
                    found: UInt64(name.count))
            }
            guard let text = String(validating: name, as: UTF8.self) else {
                throw WireError(
                    .invalidText, at: start, expected: "a capability in UTF-8",
                    found: UInt64(name.count))
            }
            names.insert(text)
            last = name
        }
        return names
    }

    /// Places in rising order, up to the end at `end`.
    fileprivate mutating func places(
        _ end: Int, atMost limit: Int
    ) throws(WireError) -> Set<ComplicationID> {
        var places: Set<ComplicationID> = []
        var last: UInt32?
        while offset < end {
            let start = offset
            let place = UInt32(try fixed(4, "a place of a face"))
            guard last.map({ $0 < place }) ?? true, places.count < limit else {
                throw WireError(
                    .notCanonical, at: start, expected: "places in rising order, at most 64",
                    found: UInt64(place))
            }
            places.insert(ComplicationID(rawValue: place))
            last = place
        }
        return places
    }
}

/// A message to a capability: the length of its name, the name in UTF-8, and what the sending
/// application says.
package struct AppRequest: Hashable, Sendable {
    /// The name.
    package var capability: String
    /// Bytes of the applications' own meaning.
    package var body: [UInt8]
    /// The code with which an application rejects a message to a capability that it does not have.
    package static let unknownCapability: UInt16 = 65_531

    /// Says so.
    package init(to capability: String, _ body: [UInt8]) {
        self.capability = capability
        self.body = body
    }

    /// The bytes of the message.
    package var bytes: [UInt8] {
        var writer = WireWriter()
        writer.block(Array(capability.utf8))
        writer.append(body)
        return writer.bytes
    }

    /// Reads a message.
    ///
    /// - Throws: the broken rule; the other device is at fault.
    package init(_ bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes.span)
        let name = try reader.block("a capability", atMost: AppMessage.nameByteLimit)
        guard let text = String(validating: name, as: UTF8.self), !text.isEmpty else {
            throw WireError(
                .invalidText, at: 0, expected: "a capability in UTF-8", found: UInt64(name.count))
        }
        capability = text
        body = Array(bytes[reader.offset...])
    }
}

extension ContentKind {
    /// A message of one library to the other: ``AppMessage``.
    package static let app = ContentKind(rawValue: 10)
    /// A message to a capability: ``AppRequest``.
    package static let request = ContentKind(rawValue: 11)
}
