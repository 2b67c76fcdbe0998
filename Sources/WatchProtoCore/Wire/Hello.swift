/// The part of a handshake message that describes its sender's journal (Models/IDENTITY.md, section
/// 8). The sender's epoch and counter stand beside it.
///
/// ```text
/// flags · T: 8 bytes (0 for none) · n · m · [N: 8 bytes · n']
/// [1 present, 2 newest confirmed · [present epoch] · [epoch: 8 bytes · end of its reservation]
///   · epochs listed in all · epochs here · epochs]
/// [2 × count, and 1 if some are left out · (epoch: 8 bytes · channel · through) …]
/// [summary of the values held]
/// [largest datagram: 2 bytes]
/// ```
/// The flags say which of the five parts are there (1 to 16); from bit 5 on stands the
/// ``TicketAnswer``, which message 1 does not have, nor the summary: the initiator states both in a
/// ``TicketAnswerFrame``, where they are owed. In step with nothing outstanding it takes 11 to
/// 13 bytes.
public struct Hello: Hashable, Sendable {
    /// The newest confirmed epoch that gave out a version.
    public struct Reserved: Hashable, Sendable {
        /// The epoch.
        public var id: EpochID
        /// The end of its reservation.
        public var end: UInt64

        /// Names an epoch and the end of its reservation.
        public init(id: EpochID, end: UInt64) {
            self.id = id
            self.end = end
        }
    }

    /// The extent to which the records of an epoch of the counterpart were taken. A hint.
    public struct Taken: Hashable, Sendable {
        /// The counterpart's epoch.
        public var epoch: EpochID
        /// A durable ordered channel.
        public var channel: Channel
        /// Every record up to this number was taken.
        public var through: UInt64

        /// Says how far `channel` came in `epoch`.
        public init(epoch: EpochID, channel: Channel, through: UInt64) {
            self.epoch = epoch
            self.channel = channel
            self.through = through
        }
    }

    /// The durable ticket state.
    public var tickets: TicketPresentation
    /// The answer to the tickets of message 1; nil in message 1.
    public var answer: TicketAnswer?
    /// The present epoch, where it is announced or has unsettled records.
    public var present: ListedEpoch?
    /// The earlier epochs that are listed, oldest first, as far as there is room.
    public var earlier: [ListedEpoch] = []
    /// The number of earlier epochs listed in all; the others follow in ``EpochsFrame``s.
    public var earlierCount = 0
    /// The newest confirmed epoch that gave out a version; beside epochs that are announced.
    public var newestConfirmed: Reserved?
    /// The extent to which records were taken, where that is above the watermark.
    public var taken: [Taken] = []
    /// Whether ``taken`` names all.
    public var takenIsComplete = true
    /// The summary of the counterpart's values that are held; nil in message 1, in a session that
    /// keeps its ticket, and where no value was ever taken.
    public var held: HeldPresentation?
    /// The largest datagram that the sender accepts, in bytes.
    public var largestDatagram = Hello.defaultLargestDatagram

    /// The largest datagram of a hello that names none.
    public static let defaultLargestDatagram = 65_535
    /// Bytes of a hello without its lists, at most: any budget has room for them.
    public static let largestBaseBytes = 144

    /// Makes the hello of a side that has nothing to say beside its tickets.
    public init(tickets: TicketPresentation, answer: TicketAnswer? = nil) {
        self.tickets = tickets
        self.answer = answer
    }

    /// Leaves out what does not fit `bytes`: epochs, newest last, and then what was taken. Gives
    /// the epochs left out, which follow in ``EpochsFrame``s from index `earlier.count` + 1 on.
    public mutating func fit(_ bytes: Int) -> [ListedEpoch] {
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
    public var size: Int {
        var writer = WireWriter()
        write(to: &writer)
        return writer.count
    }
}
