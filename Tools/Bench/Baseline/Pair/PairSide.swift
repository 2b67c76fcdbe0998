package import Simulation
package import WatchProtoCore

/// How much one side of a pair sent, and how often its timers woke it.
package struct PairTally: Hashable, Sendable {
    /// Packets given to the link.
    package var packets: UInt64 = 0
    /// Their bytes.
    package var bytes: UInt64 = 0
    /// Wakes by a timer.
    package var wakes: UInt64 = 0

    static func - (left: PairTally, right: PairTally) -> PairTally {
        PairTally(
            packets: left.packets - right.packets, bytes: left.bytes - right.bytes,
            wakes: left.wakes - right.wakes)
    }

    static func += (left: inout PairTally, right: PairTally) {
        left.packets += right.packets
        left.bytes += right.bytes
        left.wakes += right.wakes
    }
}

/// Something that happened in a pair and that a measurement may want to know.
package enum PairObservation: Sendable {
    /// A side gave a packet to its link.
    case sent(side: Int, bytes: Int, PacketContents?)
    /// A side's peer gave a record to its application.
    case delivered(side: Int, InboundRecord)
    /// A record that was delivered to a side is durable there.
    case durable(side: Int, RecordID)
    /// A record of a side reached a stage, as its application hears.
    case progress(side: Int, RecordID, Stage)
    /// A record of a side is over.
    case settled(side: Int, RecordID, Outcome)
}

/// One side of a pair: a peer and the direction of the link that leads away from it.
package final class PairSide {
    /// The peer. After each call of it, the caller drains it with ``PeerPair/drain(_:)``.
    package var peer: Peer
    /// The direction that leads away.
    package internal(set) var link: LinkModel
    /// How much it sent so far.
    package internal(set) var tally = PairTally()

    let index: Int
    let notes: SealedNotes
    /// The state that its journal amounts to.
    var image: JournalImage
    /// Records that its peer accepted and that are not settled, where the pair counts them.
    var accepted: Set<RecordID> = []
    /// Counts the processes of this side.
    var opening = 0
    var isUp = false
    /// The carrier took less than offered; it is drained again once it can take more.
    var isBlocked = false
    var isWanted = false
    var deadline: Instant?
    /// Records delivered since the last batch of journal entries.
    var delivered: [RecordID] = []
    /// Batches that are not durable yet, with the records delivered before each.
    var undurable: [(receipt: JournalReceipt, records: [RecordID], entries: [JournalEntry])] = []
    var wakesInOneMoment = 0
    var deliveries = 0
    /// A record that a planted mistake gives later.
    var delayedRecord: InboundRecord?

    init(
        _ index: Int, _ peer: consuming Peer, _ image: JournalImage,
        _ notes: SealedNotes, _ link: LinkModel
    ) {
        self.index = index
        self.image = image
        self.peer = peer
        self.notes = notes
        self.link = link
    }
}
