/// The body of an entry that says that a ticket was entered.
extension JournalCoding {
    static func write(_ entry: TicketEntry, to writer: inout WireWriter) {
        writer.uint64(entry.ticket.rawValue)
        writer.byte(flags(of: entry))
        writer.varint(entry.counterpartCounter)
        writer.varint(UInt64(entry.abandoned.count))
        for ticket in entry.abandoned { writer.uint64(ticket.rawValue) }
    }

    private static func flags(of entry: TicketEntry) -> UInt8 {
        (entry.promotesPending ? 1 : 0) | (entry.counterpartLostState ? 2 : 0)
            | (entry.isOldestRemembered ? 4 : 0)
    }

    static func readTicketEntry(
        _ reader: inout WireReader
    ) throws(WireError) -> TicketEntry {
        let ticket = Ticket(rawValue: try reader.uint64("ticket"))
        let at = reader.offset
        let flags = try reader.byte("flags of a ticket")
        guard flags < 8 else {
            throw WireError(
                .unknownCode, at: at, expected: "flags 0 to 7", found: UInt64(flags))
        }
        let counter = try readVersionNumber(&reader)
        var abandoned: [Ticket] = []
        for _ in 0..<(try reader.count("abandoned tickets", atMost: listLimit, size: 8)) {
            abandoned.append(Ticket(rawValue: try reader.uint64("abandoned ticket")))
        }
        var entry = TicketEntry(
            ticket: ticket, promotesPending: flags & 1 != 0, abandoned: abandoned,
            counterpartCounter: counter, counterpartLostState: flags & 2 != 0)
        entry.isOldestRemembered = flags & 4 != 0
        return entry
    }
}
