/// The part of a handshake message that describes its sender's journal (Models/IDENTITY.md, section
/// 8). The sender's epoch and counter stand beside it.
package struct Hello: Hashable, Sendable {
    /// The newest confirmed epoch that gave out a version, and its end: of the present epoch the
    /// end of its reservation, of an earlier one the last version that its owner's journal holds.
    struct Reserved: Hashable, Sendable {
        var id = EpochID()
        var end: UInt64 = 0
    }

    /// The number up to which the records of an epoch of the counterpart were taken. A hint.
    struct Taken: WireCoded, Hashable, Sendable {
        var epoch = EpochID()
        /// A durable ordered channel.
        var channel = Channel.background
        var through: UInt64 = 0

        mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
            try epoch.code(&c)
            let at = c.offset
            try c.channel(&channel, nil)
            try c.check(
                channel.isListed, .outOfRange, at: at, "a durable ordered channel",
                UInt64(channel.rawValue))
            try c.number(&through)
        }
    }

    /// The durable ticket state.
    var tickets: TicketPresentation
    /// The answer to the tickets of message 1; nil in message 1.
    var answer: TicketAnswer?
    /// The present epoch, where it is announced or has unsettled records.
    var present: ListedEpoch?
    /// The earlier epochs that are listed, oldest first, as far as there is room.
    var earlier: [ListedEpoch] = []
    /// The number of earlier epochs listed in all; the others follow in ``EpochsFrame``s.
    var earlierCount = 0
    /// The newest confirmed epoch that gave out a version; beside epochs that are announced.
    var newestConfirmed: Reserved?
    /// The extent to which records were taken, where that is above the watermark.
    var taken: [Taken] = []
    /// Whether ``taken`` names all.
    var takenIsComplete = true
    /// The summary of the counterpart's values that are held; nil in message 1, in a session that
    /// keeps its ticket, and where no value was ever taken.
    var held: HeldPresentation?
    /// The offer to code values.
    var coding: CodingOffer?

    /// Bytes of a hello without its lists, at most: any budget has room for them.
    static let largestBaseBytes = 165

    package init(tickets: TicketPresentation, answer: TicketAnswer? = nil) {
        self.tickets = tickets
        self.answer = answer
    }

    /// Leaves out what does not fit `bytes`: epochs, newest last, and then what was taken. Gives
    /// the epochs left out, which follow in ``EpochsFrame``s from index `earlier.count` + 1 on.
    mutating func fit(_ bytes: Int) -> [ListedEpoch] {
        let all = (epochs: earlier, taken: taken)
        let wasComplete = takenIsComplete
        earlierCount = min(RecordAddress.largestIndex, max(earlierCount, all.epochs.count))
        earlier = []
        taken = []
        takenIsComplete = wasComplete && all.taken.isEmpty
        for epoch in all.epochs.prefix(RecordAddress.largestIndex) {
            earlier.append(epoch)
            guard size <= bytes else {
                earlier.removeLast()
                break
            }
        }
        for entry in all.taken {
            taken.append(entry)
            guard size <= bytes else {
                taken.removeLast()
                break
            }
        }
        takenIsComplete = wasComplete && taken.count == all.taken.count
        return Array(all.epochs.dropFirst(earlier.count))
    }

    /// Bytes that the hello takes.
    package var size: Int {
        var writer = WireWriter()
        write(to: &writer)
        return writer.count
    }
}
