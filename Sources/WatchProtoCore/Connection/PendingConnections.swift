/// The stream connections of a listener that nobody has vouched for yet: at most 64, two seconds
/// each, and a random one is evicted where one more comes.
///
/// The environment names connections by numbers of its own. It screens the first packet of each
/// (``FirstPacket``, ``Connection/screen(_:)``) and closes what is evicted or overdue.
public struct PendingConnections: Sendable {
    /// Connections that may wait at once.
    public static let limit = 64
    /// The longest time that a pending connection may take to authenticate.
    public static let patience: Duration = .seconds(2)

    private struct Pending: Sendable {
        var name: UInt64
        var deadline: Instant
    }

    /// In the order of their deadlines.
    private var pending: [Pending] = []
    /// Connections that were evicted or came to their deadline.
    public private(set) var refused: UInt64 = 0

    /// Makes a listener's table without connections.
    public init() {}

    /// Connections that wait.
    public var count: Int { pending.count }

    /// When the first of them has taken too long.
    public var nextDeadline: Instant? { pending.first?.deadline }

    /// A connection was accepted.
    ///
    /// - Parameters:
    ///   - name: the environment's name for the connection.
    ///   - now: the monotonic time.
    ///   - random: 64 random bits.
    /// - Returns: the connection to be closed instead; nil where there was room.
    public mutating func accepted(_ name: UInt64, at now: Instant, random: UInt64) -> UInt64? {
        var evicted: UInt64?
        if pending.count == Self.limit {
            evicted = pending.remove(at: Int(random % UInt64(pending.count))).name
            refused += 1
        }
        pending.append(Pending(name: name, deadline: now.advanced(by: Self.patience)))
        return evicted
    }

    /// A connection has authenticated, or is closed.
    ///
    /// - Returns: whether it was waiting.
    @discardableResult
    public mutating func left(_ name: UInt64) -> Bool {
        guard let place = pending.firstIndex(where: { $0.name == name }) else { return false }
        pending.remove(at: place)
        return true
    }

    /// Connections that have taken too long: to be closed.
    public mutating func expired(at now: Instant) -> [UInt64] {
        let late = pending.prefix { $0.deadline <= now }.map { $0.name }
        pending.removeFirst(late.count)
        refused += UInt64(late.count)
        return late
    }
}

/// The first packet of a stream connection, collected before anybody has vouched for it.
public struct FirstPacket: Sendable {
    /// Bytes that a connection may send before it has authenticated: a message 1, the early packets
    /// right behind it that arrive in the same chunk, and a second message 1 after a refusal.
    public static let largestBytes = 1024

    private var bytes: [UInt8] = []
    private var start = 0
    private let limits: Limits

    /// Collects packets within `limits`.
    public init(limits: Limits) { self.limits = limits }

    /// The result of the search for a first packet so far.
    public enum Found: Hashable, Sendable {
        /// The packet is not whole yet.
        case incomplete
        /// A message 1; see ``Connection/screen(_:)``. The bytes from its beginning are
        /// ``FirstPacket/received``.
        case initiation(InitiationPacket)
        /// A packet of a pairing.
        case pairing
        /// Anything else: the connection ends without an answer.
        case invalid
    }

    /// Everything that came from the beginning of the last packet found: the peer receives it once
    /// the connection is its own.
    public var received: [UInt8] { Array(bytes[start...]) }

    /// Bytes arrived. At most ``largestBytes`` are stored: the rest stays in the socket, so that
    /// the environment reads no more than ``room``.
    public mutating func receive(_ chunk: Span<UInt8>) {
        let count = min(chunk.count, room)
        for index in 0..<count { bytes.append(chunk[index]) }
    }

    /// Bytes that are still taken.
    public var room: Int { max(0, Self.largestBytes - bytes.count) }

    /// Looks at the next packet.
    public func find() -> Found {
        let framing = StreamFraming(limitBytes: ConnectionConfiguration.firstPacketBytes)
        guard let found = try? framing.find(in: bytes.span, from: start) else {
            return isHopeless(framing) ? .invalid : .incomplete
        }
        switch found.kind {
        case .pairing: return .pairing
        case .initiation:
            var reader = WireReader(bytes.span.extracting(found.body))
            guard let message = try? InitiationPacket.read(&reader, limits: limits) else {
                return .invalid
            }
            return .initiation(message)
        default: return .invalid
        }
    }

    /// The message 1 found was refused: another one may follow, and early packets before it are
    /// skipped.
    ///
    /// - Returns: false where what follows is none of these.
    public mutating func skip() -> Bool {
        let framing = StreamFraming(limitBytes: ConnectionConfiguration.firstPacketBytes)
        var isFirst = true
        while let found = try? framing.find(in: bytes.span, from: start) {
            if !isFirst, found.kind != .early { return found.kind == .initiation }
            start = found.body.upperBound
            isFirst = false
        }
        return !isHopeless(framing)
    }

    /// Whether no packet can come of what is stored.
    private func isHopeless(_ framing: StreamFraming) -> Bool {
        do throws(WireError) {
            _ = try framing.find(in: bytes.span, from: start)
            return room == 0
        } catch {
            return true
        }
    }
}
