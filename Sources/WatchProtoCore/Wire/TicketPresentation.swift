/// The durable ticket state of a side, as handshake messages 1 and 2 carry it
/// (Models/IDENTITY.md, section 4). Positions lie below 2^62.
public struct TicketPresentation: Hashable, Sendable {
    /// T: the newest ticket that is known to be durable on both sides; nil where there is none.
    public var common: Ticket?
    /// n: own batches since ``common`` was entered.
    public var position: UInt64 = 0
    /// m: the counterpart's position in ``common`` as last concluded from.
    public var counterpartPosition: UInt64 = 0
    /// N: the ticket that was entered here and in which the counterpart stated nothing yet.
    public var pending: Ticket?
    /// n': own batches since ``pending`` was entered.
    public var pendingPosition: UInt64 = 0

    /// Makes the presentation of an empty journal.
    public init() {}

    /// The own position in a ticket; 0 where it is neither the common nor the pending one.
    func position(in ticket: Ticket) -> UInt64 {
        if common == ticket { return position }
        return pending == ticket ? pendingPosition : 0
    }
}

/// The answer of a side to the tickets that the other one presented. Only this side has its own
/// history.
public enum TicketAnswer: UInt8, Hashable, Sendable, CaseIterable {
    /// Neither ticket is in the history.
    case notHeld = 0
    /// The common ticket is in the history.
    case held = 1
    /// The common or the pending ticket is marked abandoned: the other side is a clone.
    case abandoned = 2
    /// The history is empty.
    case emptyHistory = 3
    /// The common ticket is in the history, and the journal lacks something that was stated in it:
    /// the last own position is below the one that the other side concluded from.
    case heldBehind = 4
    /// The pending ticket alone is in the history.
    case pendingHeld = 5
    /// Both tickets are in the history.
    case bothHeld = 6
    /// ``heldBehind``, and the pending ticket is in the history.
    case bothHeldBehind = 7

    /// Whether the common ticket is in the history.
    var holdsCommon: Bool { self == .held || self == .bothHeld || isBehind }
    /// Whether the pending ticket is in the history.
    var holdsPending: Bool { rawValue >= Self.pendingHeld.rawValue }
    /// Whether the journal lacks something that was stated in the common ticket.
    var isBehind: Bool { self == .heldBehind || self == .bothHeldBehind }
}

extension TicketPresentation {
    /// Reads the tickets; a pending one stands there where `hasPending` says so. Throws
    /// `notCanonical` for positions in a ticket that is absent.
    static func read(
        _ reader: inout WireReader, hasPending: Bool
    ) throws(WireError) -> TicketPresentation {
        let largest = RecordNumber.largest
        var tickets = TicketPresentation()
        let common = try reader.uint64("common ticket")
        if common != 0 { tickets.common = Ticket(rawValue: common) }
        let start = reader.offset
        tickets.position = try reader.varint("position", atMost: largest)
        tickets.counterpartPosition = try reader.varint("counterpart's position", atMost: largest)
        if common == 0, tickets.position > 0 || tickets.counterpartPosition > 0 {
            throw WireError(
                .notCanonical, at: start, expected: "positions of 0 without a ticket",
                found: tickets.position)
        }
        guard hasPending else { return tickets }
        let pendingStart = reader.offset
        let pending = try reader.uint64("pending ticket")
        guard pending != 0 else {
            throw WireError(
                .outOfRange, at: pendingStart, expected: "a ticket other than 0", found: 0)
        }
        tickets.pending = Ticket(rawValue: pending)
        tickets.pendingPosition = try reader.varint("position", atMost: largest)
        return tickets
    }

    /// Appends the tickets: 8 bytes and two numbers, and as much for a pending one.
    func write(to writer: inout WireWriter) {
        writer.uint64(common?.rawValue ?? 0)
        writer.varint(common == nil ? 0 : position)
        writer.varint(common == nil ? 0 : counterpartPosition)
        guard let pending else { return }
        writer.uint64(pending.rawValue)
        writer.varint(pendingPosition)
    }
}
