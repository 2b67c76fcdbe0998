/// Message 1 as it travels: the version and the sender's connection ID in clear, then what the
/// security makes of it.
///
/// ```text
/// version: 1 byte · sender's connection ID: 4 bytes · body
/// ```
package struct InitiationPacket: Hashable, Sendable {
    /// The wire version that the sender speaks.
    package var version: UInt8
    /// The name that the sender drew for itself in this session.
    package var connectionID: ConnectionID
    /// The security's part: key share, masked counter, MAC and sealed payload.
    package var body: [UInt8]

    /// Bytes in front of the body.
    package static let headBytes = 1 + ConnectionID.byteCount

    /// Makes a message 1.
    package init(version: UInt8, connectionID: ConnectionID, body: [UInt8]) {
        self.version = version
        self.connectionID = connectionID
        self.body = body
    }

    /// Reads a message 1 to the end of the packet. The packet's author is at fault for every error.
    package static func read(_ reader: inout WireReader) throws(WireError) -> InitiationPacket {
        let version = try reader.byte("version")
        let connectionID = try ConnectionID.read(&reader)
        return InitiationPacket(
            version: version, connectionID: connectionID,
            body: try HandshakeBody.read(&reader))
    }

    /// Appends the message, without what the carrier needs in front of it.
    package func write(to writer: inout WireWriter) {
        writer.byte(version)
        connectionID.write(to: &writer)
        writer.append(body)
    }
}

/// Message 2 as it travels: the connection ID of message 1, then what the security makes of it. The
/// responder's own connection ID is a part of the sealed payload.
///
/// ```text
/// receiver's connection ID: 4 bytes · body
/// ```
package struct ResponsePacket: Hashable, Sendable {
    /// The name that the initiator drew for itself.
    package var connectionID: ConnectionID
    /// The security's part: key share and sealed payload.
    package var body: [UInt8]

    /// Bytes in front of the body.
    package static let headBytes = ConnectionID.byteCount

    /// Makes a message 2.
    package init(connectionID: ConnectionID, body: [UInt8]) {
        self.connectionID = connectionID
        self.body = body
    }

    /// Reads a message 2 to the end of the packet. The packet's author is at fault for every error.
    package static func read(_ reader: inout WireReader) throws(WireError) -> ResponsePacket {
        let connectionID = try ConnectionID.read(&reader)
        return ResponsePacket(
            connectionID: connectionID, body: try HandshakeBody.read(&reader))
    }

    /// Appends the message, without what the carrier needs in front of it.
    package func write(to writer: inout WireWriter) {
        connectionID.write(to: &writer)
        writer.append(body)
    }
}

/// The part of a handshake message that only the security understands.
private enum HandshakeBody {
    static func read(_ reader: inout WireReader) throws(WireError) -> [UInt8] {
        let count = reader.remaining
        guard count <= Limits.standard.handshakeBytes else {
            throw WireError(
                .outOfRange, at: reader.offset, expected: "handshake message",
                found: UInt64(count))
        }
        return [UInt8](copying: try reader.bytes(count, "handshake message"))
    }
}

/// The sealed payload of message 1: the sender's opening and the hello, which only the peer reads.
package struct InitiationPayload: Hashable, Sendable {
    /// The present opening of the sender.
    package var epoch: EpochID
    /// The hello with the ticket presentation.
    package var hello: [UInt8]

    /// Bytes in front of the hello.
    package static let headBytes = 8

    /// Makes the payload of a message 1.
    package init(epoch: EpochID, hello: [UInt8]) {
        self.epoch = epoch
        self.hello = hello
    }

    /// The payload in a message 1 that authenticated. Its author is at fault for every error.
    static func read(_ bytes: [UInt8]) throws(WireError) -> InitiationPayload {
        var reader = WireReader(bytes.span)
        let epoch = EpochID(rawValue: try reader.uint64("epoch"))
        return InitiationPayload(
            epoch: epoch,
            hello: [UInt8](copying: try reader.bytes(reader.remaining, "hello")))
    }

    var encoded: [UInt8] {
        var writer = WireWriter()
        writer.uint64(epoch.rawValue)
        writer.append(hello)
        return writer.bytes
    }
}

/// The sealed payload of message 2.
///
/// ```text
/// responder's connection ID: 4 bytes · epoch: 8 bytes · flags: 1 byte · counter: varint · hello
/// ```
package struct ResponsePayload: Hashable, Sendable {
    /// The name that the responder drew for itself in this session.
    package var connectionID: ConnectionID
    /// The present opening of the responder.
    package var epoch: EpochID
    /// The session keeps the common ticket (flag 1).
    package var keepsTicket: Bool
    /// The highest counter of the responder's own messages 1; 0 before the first.
    package var counter: UInt64
    /// The hello with the ticket presentation.
    package var hello: [UInt8]

    /// The most bytes in front of the hello.
    package static let largestHeadBytes = ConnectionID.byteCount + 8 + 1 + 9

    /// The payload in a message 2 that authenticated. Its author is at fault for every error.
    static func read(_ bytes: [UInt8]) throws(WireError) -> ResponsePayload {
        var reader = WireReader(bytes.span)
        let connectionID = try ConnectionID.read(&reader)
        let epoch = EpochID(rawValue: try reader.uint64("epoch"))
        let at = reader.offset
        let flags = try reader.byte("flags of message 2")
        guard flags <= 1 else {
            throw WireError(
                .outOfRange, at: at, expected: "flags of message 2", found: UInt64(flags))
        }
        let counter = try reader.varint("counter", atMost: HandshakeCounterLimit.largest)
        return ResponsePayload(
            connectionID: connectionID, epoch: epoch, keepsTicket: flags == 1, counter: counter,
            hello: [UInt8](copying: try reader.bytes(reader.remaining, "hello")))
    }

    var encoded: [UInt8] {
        var writer = WireWriter()
        connectionID.write(to: &writer)
        writer.uint64(epoch.rawValue)
        writer.byte(keepsTicket ? 1 : 0)
        writer.varint(counter)
        writer.append(hello)
        return writer.bytes
    }
}

/// The range of the counters of messages 1.
package enum HandshakeCounterLimit {
    /// The largest counter. A larger one is a violation: it would make every later one stale.
    package static let largest: UInt64 = (1 << 40) - 1
    /// The furthest that one message may raise a counter: no single message uses the range up.
    static let largestStep: UInt64 = 1 << 32

    /// Whether a side that has met `highest` takes `counter`, which may be lower.
    static func allows(_ counter: UInt64, above highest: UInt64) -> Bool {
        counter < largest && (counter <= highest || counter - highest <= largestStep)
    }
}
