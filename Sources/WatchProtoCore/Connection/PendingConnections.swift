/// The stream connections of a listener that nobody has vouched for yet: at most 64, two seconds
/// each. If one more comes, the listener evicts a random one of the older half. While attackers
/// make 100 connections a second, each connection has 320 ms for its message 1.
///
/// The environment names connections by numbers of its own. It screens the first packet of each
/// (``FirstPacket``, ``Connection/screen(_:on:at:)``) and closes those evicted or overdue.
package struct PendingConnections: Sendable {
    /// Connections that may wait at once.
    package static let limit = 64
    /// The longest time that a pending connection may take to authenticate.
    package static let patience: Duration = .seconds(2)

    private struct Pending: Sendable {
        var name: UInt64
        var deadline: Instant
    }

    /// In the order of their deadlines.
    private var pending: [Pending] = []
    /// Connections that were evicted or came to their deadline.
    package private(set) var refused: UInt64 = 0

    package init() {}

    /// Connections that wait.
    package var count: Int { pending.count }

    /// When the first of them has taken too long.
    package var nextDeadline: Instant? { pending.first?.deadline }

    /// A connection was accepted. Gives the one to be closed instead; nil where there was room.
    package mutating func accepted(_ name: UInt64, at now: Instant, random: UInt64) -> UInt64? {
        var evicted: UInt64?
        if pending.count == Self.limit {
            evicted = pending.remove(at: Int(random % UInt64(pending.count / 2))).name
            refused += 1
        }
        pending.append(Pending(name: name, deadline: now.advanced(by: Self.patience)))
        return evicted
    }

    /// A connection has authenticated, or is closed.
    ///
    /// - Returns: whether it was waiting.
    @discardableResult
    package mutating func left(_ name: UInt64) -> Bool {
        guard let place = pending.firstIndex(where: { $0.name == name }) else { return false }
        pending.remove(at: place)
        return true
    }

    /// Connections that have taken too long: to be closed.
    package mutating func expired(at now: Instant) -> [UInt64] {
        let late = pending.prefix { $0.deadline <= now }.map { $0.name }
        pending.removeFirst(late.count)
        refused += UInt64(late.count)
        return late
    }
}
