extension TicketState {
    /// The content of a journal about its tickets and handshake counters (Models/IDENTITY.md,
    /// section 4).
    package struct Image: Hashable, Sendable {
        /// T: the newest ticket that is known to be durable on both sides.
        package private(set) var common: Ticket?
        /// n: own batches since ``common`` was entered.
        package private(set) var position: UInt64 = 0
        /// m: the counterpart's position in ``common`` as last concluded from.
        package private(set) var counterpartPosition: UInt64 = 0
        /// N: the ticket that was entered here and in which the counterpart stated nothing yet.
        package private(set) var pending: Ticket?
        /// n': own batches since ``pending`` was entered.
        package private(set) var pendingPosition: UInt64 = 0
        /// H: every ticket ever held.
        package private(set) var history: TicketHistory
        /// Own handshake counters below this may be used.
        package private(set) var reservedCounter: UInt64 = 1
        /// The highest handshake counter of the counterpart that is written down.
        package private(set) var counterpartCounter: UInt64 = 0

        package init(limits: Limits = Limits()) { history = TicketHistory(limit: limits.epochs) }

        /// The entries with which a journal begins after a pairing, whose ticket is common at once.
        package static func paired(_ ticket: Ticket) -> [JournalEntry] {
            [
                .ticketEntered(
                    TicketEntry(
                        ticket: ticket, promotesPending: false, abandoned: [],
                        counterpartCounter: 0, counterpartLostState: false)),
                .ticketProgress(own: 1, counterpart: 0),
            ]
        }

        /// Folds one entry; those of other rooms change nothing here.
        package mutating func apply(_ entry: JournalEntry) {
            switch entry {
            case .ticketEntered(let entry): enter(entry)
            case .ticketProgress(let own, let counterpart): progress(own, counterpart)
            case .counters(let reserved, let counterpart):
                reservedCounter = max(reservedCounter, reserved)
                counterpartCounter = max(counterpartCounter, counterpart)
            default: break
            }
        }

        /// The entries that make this image.
        var entries: [JournalEntry] {
            var entries: [JournalEntry] = []
            for (place, ticket) in history.tickets.enumerated() {
                var entry = TicketEntry(
                    ticket: ticket, promotesPending: false, abandoned: [], counterpartCounter: 0,
                    counterpartLostState: false)
                entry.isOldestRemembered = place == 0 && history.hasDropped
                // The newest ticket is never abandoned, so its entry can mark all others.
                if place == history.tickets.count - 1 {
                    entry.abandoned = history.tickets.filter(history.isAbandoned)
                }
                entries.append(.ticketEntered(entry))
                if ticket == pending {
                    entries.append(.ticketProgress(own: pendingPosition, counterpart: nil))
                    continue
                }
                let told = ticket == common ? counterpartPosition : nil
                let left = history.positions[place]
                entries.append(.ticketProgress(own: left, counterpart: told))
                if ticket == common, position != left {
                    entries.append(.ticketProgress(own: position, counterpart: nil))
                }
            }
            let counters = JournalEntry.counters(
                reserved: reservedCounter, counterpart: counterpartCounter)
            return entries + [counters]
        }

        /// *Enter*.
        private mutating func enter(_ entry: TicketEntry) {
            leaveTickets()
            if entry.isOldestRemembered { history.markDropped() }
            for ticket in entry.abandoned { history.abandon(ticket) }
            if entry.promotesPending { promote(told: 0) }
            pending = entry.ticket
            pendingPosition = 1
            history.append(entry.ticket, keeping: common)
            counterpartCounter = max(counterpartCounter, entry.counterpartCounter)
        }

        /// A batch of the process that entered the newest ticket; with `counterpart` it holds a
        /// conclusion.
        private mutating func progress(_ own: UInt64, _ counterpart: UInt64?) {
            if pending != nil {
                pendingPosition = own
                if let counterpart { promote(told: counterpart) }
            } else {
                position = own
                if let counterpart { counterpartPosition = max(counterpartPosition, counterpart) }
            }
        }

        /// The pending ticket becomes the common one.
        private mutating func promote(told: UInt64) {
            guard let ticket = pending else { return }
            leaveTickets()
            common = ticket
            position = pendingPosition
            counterpartPosition = told
            pending = nil
            pendingPosition = 0
        }

        /// Another ticket takes the place of the common or the pending one.
        private mutating func leaveTickets() {
            history.leave(common, at: position)
            history.leave(pending, at: pendingPosition)
        }

        /// The position in the newest ticket, which is the one that this process entered, if any.
        var newestPosition: UInt64 { pending == nil ? position : pendingPosition }
    }
}
