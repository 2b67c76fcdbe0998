/// The ticket layer of one side: which ticket both journals hold, what each has stated in it, and
/// which of them lost state (Models/IDENTITY.md, sections 1 and 3 to 5).
///
/// The state is what the process believes: its journal's ``Image`` with the entries folded that are
/// not durable yet, and what dies with the process. Connection and Peer call it at the steps of a
/// handshake (`TicketState+Handshake.swift`) and of a session (`TicketState+Session.swift`); the
/// Peer forms its batches with ``formBatch(_:counted:)``, the last of all machines.
package struct TicketState: Hashable, Sendable {
    /// The content of the journal, entries that are not durable yet included.
    package internal(set) var image: Image
    /// The numbers of the own messages 1.
    package internal(set) var counters: HandshakeCounters
    /// The tickets that this side presented in the message 1 that waits for its answer.
    package internal(set) var opening: TicketPresentation?
    /// The present session, from message 1 answered or message 2 received.
    package internal(set) var session: TicketSession?

    // Of the process.

    /// The ticket that this process entered; batches count in it.
    var entered: Entered?
    /// The highest counter of the counterpart that this process met.
    var counterpartCounter: UInt64 = 0
    /// The opening of the counterpart in which that counter was met.
    var counterpartEpoch: EpochID?
    /// A message 1 whose early data was taken, and that was not answered.
    var crossed: Crossed?
    /// Early data of a crossing message 1 waits for its batch, which carries the counter.
    var crossedWaits = false

    // Batches.

    /// Entries for the next batch; positions and counters are added when it is formed.
    var entries: [JournalEntry] = []
    /// A conclusion, or more, waits for the next batch.
    var concluded = false
    /// The next batch changes which tickets a handshake message presents.
    var changesTickets = false
    /// Batches on their way to the journal.
    var inFlight: [Formed] = []
    /// The own position in the entered ticket that is durable.
    var durablePosition: UInt64 = 0
    /// The counterpart's position that is durable, in the entered ticket.
    var durableCounterpartPosition: UInt64 = 0

    let mutants: IdentityMutants

    /// A ticket that was entered, and for which opening of the counterpart.
    struct Entered: Hashable, Sendable {
        var ticket: Ticket
        var counterpartEpoch: EpochID?
    }

    /// A message 1: no opening gives a number twice.
    struct Crossed: Hashable, Sendable {
        var epoch: EpochID
        var counter: UInt64
    }

    /// The ticket state that becomes durable with a batch.
    struct Formed: Hashable, Sendable {
        var batch: UInt64
        var entered: Ticket?
        var position: UInt64
        var counterpartPosition: UInt64
        var changesTickets: Bool
        var concludes: Bool
        var reservedCounter: UInt64
    }

    /// Continues from what the journal holds. The first batch reserves handshake counters.
    package init(
        restoring image: Image, counterBlock: UInt64 = HandshakeCounters.block,
        mutants: IdentityMutants = IdentityMutants()
    ) {
        self.image = image
        self.mutants = mutants
        counters = HandshakeCounters(from: image.reservedCounter, block: counterBlock)
        if mutants.contains(.laterOpeningCounts), let newest = image.pending ?? image.common {
            entered = Entered(ticket: newest, counterpartEpoch: nil)
            durablePosition = image.newestPosition
            durableCounterpartPosition = image.counterpartPosition
        }
    }

    // MARK: Batches

    /// Whether the ticket layer asks for a batch: a ticket was entered, counters are to be
    /// reserved, or a conclusion was made. (Own positions never ask for one.)
    package var hasEntries: Bool {
        !entries.isEmpty || concluded || counters.reserved > image.reservedCounter
    }

    /// The entries of the ticket layer for the batch that is formed now, with number `batch`. The
    /// batch counts in the entered ticket. (`counted` is false only where a model's walk is
    /// replayed: there a batch of a conclusion alone has no position.)
    package mutating func formBatch(_ batch: UInt64, counted: Bool = true) -> [JournalEntry] {
        var formed = entries
        let enters = !entries.isEmpty
        entries.removeAll()
        if entered != nil, !enters || concluded {
            let counts = counted && !enters && countsBatches
            let own = image.newestPosition + (counts ? 1 : 0)
            let progress = JournalEntry.ticketProgress(
                own: own, counterpart: concluded ? image.counterpartPosition : nil)
            image.apply(progress)
            formed.append(progress)
        }
        writeCounters(to: &formed)
        inFlight.append(
            Formed(
                batch: batch, entered: entered?.ticket, position: image.newestPosition,
                counterpartPosition: image.counterpartPosition, changesTickets: changesTickets,
                concludes: concluded,
                reservedCounter: image.reservedCounter))
        concluded = false
        changesTickets = false
        crossedWaits = false
        return formed
    }

    private var countsBatches: Bool {
        !mutants.contains(.offlineBatchesUncounted)
            || session?.ticket != nil && session?.ticket == entered?.ticket
    }

    /// Every batch of a session, and one with early data, carries the highest counter met.
    private mutating func writeCounters(to formed: inout [JournalEntry]) {
        var highest = image.counterpartCounter
        let carries = session != nil && !mutants.contains(.counterOnlyOnEntry)
        if carries || crossedWaits { highest = max(highest, counterpartCounter) }
        guard
            highest > image.counterpartCounter || counters.reserved > image.reservedCounter
        else { return }
        let entry = JournalEntry.counters(reserved: counters.reserved, counterpart: highest)
        image.apply(entry)
        formed.append(entry)
    }

    /// Batches up to this one are durable.
    package mutating func committed(through batch: UInt64) {
        var count = 0
        while count < inFlight.count, inFlight[count].batch <= batch {
            let formed = inFlight[count]
            if formed.entered == entered?.ticket {
                durablePosition = formed.position
                durableCounterpartPosition = formed.counterpartPosition
            }
            counters.committed(formed.reservedCounter)
            count += 1
        }
        inFlight.removeFirst(count)
    }

    /// Whether every entry of the ticket layer and every conclusion is durable (rule W).
    package var isStable: Bool {
        if changesTickets || inFlight.contains(where: { $0.changesTickets }) { return false }
        if mutants.contains(.presentsStaleConclusion) { return true }
        return !concluded && !inFlight.contains { $0.concludes }
    }
}
