/// H: every ticket that a journal ever held, oldest first, with the mark *abandoned* and the last
/// own position; at most 1,024 of them (Models/IDENTITY.md, sections 4 and 9).
package struct TicketHistory: Hashable, Sendable {
    /// The tickets, oldest first.
    package private(set) var tickets: [Ticket] = []
    private(set) var abandoned: [Bool] = []
    /// The last own position in each ticket that was left; 0 in one that never was.
    private(set) var positions: [UInt64] = []
    /// The bound was reached: tickets from before it look as if they never were held.
    package private(set) var hasDropped = false
    private let limit: Int

    /// The empty history, which will hold at most `limit` tickets.
    package init(limit: Int = Limits().epochs) { self.limit = max(2, limit) }

    /// Whether no ticket was ever held.
    package var isEmpty: Bool { tickets.isEmpty }

    /// Whether the ticket was held.
    package func contains(_ ticket: Ticket) -> Bool { place(of: ticket) != nil }

    /// Whether the ticket was held, and is marked.
    package func isAbandoned(_ ticket: Ticket) -> Bool {
        place(of: ticket).map { abandoned[$0] } ?? false
    }

    /// The answer of this side to what the counterpart presented.
    package func answer(to counterpart: TicketPresentation) -> TicketAnswer {
        if counterpart.common.map(isAbandoned) ?? false { return .abandoned }
        if counterpart.pending.map(isAbandoned) ?? false { return .abandoned }
        if isEmpty { return .emptyHistory }
        let holdsPending = counterpart.pending.map(contains) ?? false
        guard let common = counterpart.common, contains(common) else {
            return holdsPending ? .pendingHeld : .notHeld
        }
        if isBehind(counterpart.counterpartPosition, in: common) {
            return holdsPending ? .bothHeldBehind : .heldBehind
        }
        return holdsPending ? .bothHeld : .held
    }

    /// Whether the last own position in a ticket that was left is below `stated`, which the
    /// counterpart concluded from.
    func isBehind(_ stated: UInt64, in ticket: Ticket) -> Bool {
        guard let place = place(of: ticket) else { return false }
        return positions[place] < stated
    }

    /// The ticket is left, or may be, at this own position.
    mutating func leave(_ ticket: Ticket?, at position: UInt64) {
        if let ticket, let place = place(of: ticket) { positions[place] = position }
    }

    /// That of these which was entered last; nil where none is held.
    func newest(of candidates: [Ticket?]) -> Ticket? {
        var newest: Int?
        for case let ticket? in candidates {
            if let place = place(of: ticket), place > newest ?? -1 { newest = place }
        }
        return newest.map { tickets[$0] }
    }

    /// The tickets that are newer than `bound`, other than those in `spared`, and not marked yet.
    func unmarked(newerThan bound: Ticket?, sparing spared: [Ticket?]) -> [Ticket] {
        let start = bound.flatMap(place).map { $0 + 1 } ?? 0
        return (start..<tickets.count).filter { !abandoned[$0] && !spared.contains(tickets[$0]) }
            .map { tickets[$0] }
    }

    /// Tickets from before those that follow were dropped.
    mutating func markDropped() { hasDropped = true }

    /// Marks a ticket abandoned where it is held.
    mutating func abandon(_ ticket: Ticket) {
        if let place = place(of: ticket) { abandoned[place] = true }
    }

    /// Adds the newest ticket. At the bound the oldest leaves, other than `kept`.
    mutating func append(_ ticket: Ticket, keeping kept: Ticket?) {
        guard place(of: ticket) == nil else { return }
        if tickets.count >= limit {
            let place = tickets[0] == kept ? 1 : 0
            tickets.remove(at: place)
            abandoned.remove(at: place)
            positions.remove(at: place)
            hasDropped = true
        }
        tickets.append(ticket)
        abandoned.append(false)
        positions.append(0)
    }

    private func place(of ticket: Ticket) -> Int? { tickets.lastIndex(of: ticket) }
}
