internal import WatchProtoCore

/// The pending connections of a listening source (C-40 to C-42), and the descriptor that shows when
/// one is ready.
struct PendingCarriers {
    /// One pending connection.
    struct Entry {
        let name: UInt64
        let carrier: any Carrier
        var first: FirstPacket
        /// Whether it is the counterpart's, and this side's own message 1 goes first.
        var isCrossed = false
    }

    private var table = PendingConnections()
    private var entries: [Entry] = []
    private var lastName: UInt64 = 0
    private let limits: Limits
    let ready: ReadySet

    init(limits: Limits, ready: ReadySet) {
        self.limits = limits
        self.ready = ready
    }

    var isEmpty: Bool { entries.isEmpty }

    /// The connection that has waited longest.
    var oldest: UInt64? { entries.first?.name }

    /// When the first of them times out.
    var nextDeadline: Instant? { table.nextDeadline }

    /// Adds an accepted connection.
    ///
    /// - Returns: its name, and the carrier whose place it takes, if there was no room.
    mutating func accept(
        _ carrier: any Carrier, at now: Instant
    ) -> (name: UInt64, evicted: (any Carrier)?) {
        lastName += 1
        let random = SystemRandomness.epoch().rawValue
        let evicted = table.accepted(lastName, at: now, random: random).flatMap { take($0) }
        entries.append(
            Entry(
                name: lastName, carrier: carrier,
                first: FirstPacket(carrier.traits.framing, limits: limits)))
        if let descriptor = carrier.readDescriptor { ready.add(descriptor, name: lastName) }
        return (lastName, evicted?.carrier)
    }

    /// Removes a connection, to go on with it or to end it.
    mutating func take(_ name: UInt64) -> Entry? {
        table.left(name)
        guard let place = entries.firstIndex(where: { $0.name == name }) else { return nil }
        return entries.remove(at: place)
    }

    /// Changes a connection in place; nil if it is gone.
    mutating func change<Value>(_ name: UInt64, _ body: (inout Entry) -> Value) -> Value? {
        guard let place = entries.firstIndex(where: { $0.name == name }) else { return nil }
        return body(&entries[place])
    }

    /// Removes the connections that have taken too long.
    mutating func expired(at now: Instant) -> [Entry] {
        table.expired(at: now).compactMap { take($0) }
    }

    /// Removes all connections.
    mutating func removeAll() -> [any Carrier] {
        let carriers = entries.map { $0.carrier }
        entries = []
        table = PendingConnections()
        return carriers
    }
}
