/// The first packet of a connection, collected before anybody has vouched for it.
package struct FirstPacket: Sendable {
    /// Bytes that a connection may send before it has authenticated: a message 1, the early packets
    /// right behind it that arrive in the same chunk, and a second message 1 after a refusal.
    package static let largestBytes = 1024

    private var bytes: [UInt8] = []
    private var start = 0
    private let isStream: Bool
    private let limits: Limits
    /// A message 1 was refused: early packets behind it mean nothing.
    private var skipsEarly = false

    /// Collects packets within `limits`, on a carrier that cannot lose.
    package init(_ framing: CarrierTraits.Framing = .stream, limits: Limits) {
        isStream = framing == .stream
        self.limits = limits
    }

    /// The result of the search for a first packet so far.
    package enum Found: Hashable, Sendable {
        /// The packet is not whole yet.
        case incomplete
        /// A message 1; see ``Connection/screen(_:on:at:)``. The bytes from its beginning are
        /// ``FirstPacket/received``.
        case initiation(InitiationPacket)
        /// A packet of a pairing.
        case pairing
        /// Anything else: the connection ends without an answer.
        case invalid
    }

    /// Everything that came from the beginning of the last packet found: the peer receives it once
    /// the connection is its own.
    package var received: [UInt8] { Array(bytes[start...]) }

    /// Bytes arrived: a chunk of a stream, or one datagram. At most ``largestBytes`` are stored:
    /// the rest stays in the socket, so that the environment reads no more than ``room``.
    package mutating func receive(_ chunk: Span<UInt8>) {
        let count = min(chunk.count, room)
        for index in 0..<count { bytes.append(chunk[index]) }
        if skipsEarly { dropEarly() }
    }

    private mutating func dropEarly() {
        while case .success(let found?) = next, found.kind == .early { pass(found) }
    }

    private mutating func pass(_ packet: StreamFraming.Found) {
        start = packet.body.upperBound
        if !isStream { (bytes, start) = ([], 0) }
    }

    /// Bytes that are still taken.
    package var room: Int { max(0, Self.largestBytes - bytes.count) }

    /// Looks at the next packet.
    package func find() -> Found {
        guard case .success(let next) = next else { return .invalid }
        guard let next else { return room == 0 ? .invalid : .incomplete }
        switch next.kind {
        case .pairing: return .pairing
        case .initiation:
            var reader = WireReader(bytes.span.extracting(next.body))
            let message = try? InitiationPacket.read(&reader)
            return message.map { .initiation($0) } ?? .invalid
        default: return .invalid
        }
    }

    /// The message 1 found was refused: another one may follow, and early packets before it are
    /// skipped.
    ///
    /// - Returns: false where what follows is none of these.
    package mutating func skip() -> Bool {
        skipsEarly = true
        if case .success(let refused?) = next { pass(refused) }
        dropEarly()
        return find() != .invalid
    }

    /// The next packet; nil where it is not whole.
    private var next: Result<StreamFraming.Found?, WireError> {
        Result { () throws(WireError) in
            if isStream {
                let framing = StreamFraming(limitBytes: ConnectionConfiguration.firstPacketBytes)
                return try framing.find(in: bytes.span, from: start)
            }
            guard !bytes.isEmpty else { return nil }
            var reader = WireReader(bytes.span)
            let kind = try DatagramHeader.read(&reader, isLossy: false).kind
            return StreamFraming.Found(kind: kind, body: 1..<bytes.count)
        }
    }
}
