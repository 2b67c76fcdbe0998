/// Which packets a peer sent and took, for whoever measures: beside the counterpart's it tells what
/// was lost, and how long each packet was on its way.
///
/// A peer keeps none unless its host asks for one. Its room is taken at the start, so that a packet
/// costs a few stores; what finds no room is counted and left out. Moments are those that the peer
/// was given: of the turn in which a packet was made, or was opened. Handshakes and notices are not
/// in it: they have no numbers.
public struct PacketLog: Sendable {
    /// What numbers of packets count in, one way. Both sides name it alike.
    public struct Session: Hashable, Sendable {
        /// The random id that the side which sends has drawn.
        public var sender: UInt32
        /// That of the side which receives; 0 for early packets, which leave before it is known.
        public var receiver: UInt32
    }

    /// A packet that was made, to leave at once.
    public struct Sent: Hashable, Sendable {
        /// When.
        public var at: Instant
        /// Its number in its session, from 0.
        public var number: UInt64
        /// The place of its session in ``PacketLog/sessions``.
        public var session: UInt16
        /// What it holds, filling aside.
        public var frames: FrameKinds
        /// How long it is on the carrier, everything included.
        public var bytes: Int32
    }

    /// A packet that came and was opened, as often as it came.
    public struct Arrival: Hashable, Sendable {
        /// When.
        public var at: Instant
        /// Its number in its session, from 0.
        public var number: UInt64
        /// The place of its session in ``PacketLog/sessions``.
        public var session: UInt16
        /// It did not come: it was put together from parity.
        public var isRestored: Bool
    }

    /// A record, or a piece of one, in a packet that was sent.
    public struct Carried: Hashable, Sendable {
        /// The place of the packet among those that were sent.
        public var packet: Int32
        /// Where the piece begins in the record, in bytes; -1 for a whole record or a delta.
        public var offset: Int32
        /// The record's number.
        public var number: UInt64
        /// The place of its epoch in ``PacketLog/epochs``.
        public var epoch: UInt16
        /// Its lane.
        public var lane: Lane
    }

    /// Lines of each kind that it holds at most.
    public let limit: Int
    /// Since when it is kept.
    public let start: Instant
    /// Packets that were sent, in order.
    public private(set) var sent: [Sent] = []
    /// Packets that came, in order.
    public private(set) var arrivals: [Arrival] = []
    /// What those that were sent carried, in order.
    public private(set) var carried: [Carried] = []
    /// Sessions of either way, in the order they were met.
    public private(set) var sessions: [Session] = []
    /// This side's epochs whose records were sent.
    public private(set) var epochs: [EpochID] = []
    /// Lines that found no room.
    public private(set) var omitted: UInt64 = 0
    /// Frames of the packet that is being made which no reference tells of.
    var pendingFrames = FrameKinds()

    /// Takes room for `limit` lines of each kind; memory is used as they come.
    public init(limit: Int, at now: Instant) {
        self.limit = limit
        start = now
        sent.reserveCapacity(limit)
        arrivals.reserveCapacity(limit)
        carried.reserveCapacity(limit)
    }

    // MARK: What a peer notes

    mutating func noteSent(
        _ number: UInt64, of session: Session, bytes: Int, _ frames: FrameKinds,
        _ references: [FrameReference], _ openings: [Outbox.Epoch], at now: Instant
    ) {
        var frames = frames.union(pendingFrames)
        pendingFrames = FrameKinds()
        guard sent.count < limit, let place = place(of: session) else {
            omitted += 1
            return
        }
        let packet = Int32(clamping: sent.count)
        for reference in references {
            frames.insert(reference.frameType)
            switch reference {
            case .record(let lane, let address): carry(packet, lane, address, -1, openings)
            case .part(let lane, let address, cut: _, let offset, length: _):
                carry(packet, lane, address, Int32(clamping: offset), openings)
            default: break
            }
        }
        sent.append(
            Sent(
                at: now, number: number, session: place, frames: frames,
                bytes: Int32(clamping: bytes)))
    }

    mutating func noteArrival(
        _ number: UInt64, of session: Session, isRestored: Bool, at now: Instant
    ) {
        guard arrivals.count < limit, let place = place(of: session) else {
            omitted += 1
            return
        }
        arrivals.append(
            Arrival(at: now, number: number, session: place, isRestored: isRestored))
    }

    private mutating func carry(
        _ packet: Int32, _ lane: Lane, _ address: RecordAddress, _ offset: Int32,
        _ openings: [Outbox.Epoch]
    ) {
        guard carried.count < limit, address.epochIndex < openings.count else {
            omitted += 1
            return
        }
        let epoch = openings[address.epochIndex].id
        var place = epochs.lastIndex(of: epoch)
        if place == nil {
            place = epochs.count
            epochs.append(epoch)
        }
        carried.append(
            Carried(
                packet: packet, offset: offset, number: address.number,
                epoch: UInt16(clamping: place ?? 0), lane: lane))
    }

    private mutating func place(of session: Session) -> UInt16? {
        if let known = sessions.lastIndex(of: session) { return UInt16(known) }
        guard sessions.count < Int(UInt16.max) else { return nil }
        sessions.append(session)
        return UInt16(sessions.count - 1)
    }

    // MARK: Pages

    /// A part of a log. Places in it count in the whole.
    public struct Page: Sendable {
        /// Packets that were sent.
        public var sent: ArraySlice<Sent>
        /// Packets that came.
        public var arrivals: ArraySlice<Arrival>
        /// What those that were sent carried.
        public var carried: ArraySlice<Carried>
        /// Where the next page begins; nil after the last.
        public var next: Int?
    }

    /// The lines of each kind from place `first` on: `limit` at most, and packets with about
    /// `limit` records, yet one packet at least.
    public func page(from first: Int, limit: Int) -> Page {
        let total = max(sent.count, arrivals.count)
        let begin = carried.partitioningIndex { Int($0.packet) >= first }
        var end = min(first + max(1, limit), total)
        if begin + limit < carried.count, limit > 0 {
            end = min(end, max(first + 1, Int(carried[begin + limit].packet)))
        }
        let last = carried.partitioningIndex { Int($0.packet) >= end }
        func part(_ count: Int) -> Range<Int> {
            let start = min(first, count)
            return start..<max(start, min(end, count))
        }
        return Page(
            sent: sent[part(sent.count)], arrivals: arrivals[part(arrivals.count)],
            carried: carried[begin..<max(begin, last)], next: end < total ? end : nil)
    }
}
