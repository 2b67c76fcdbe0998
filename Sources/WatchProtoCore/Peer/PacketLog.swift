/// The packets that a peer sent and opened, for measurements: beside the counterpart's log it shows
/// which packets were lost, and how long each was on its way.
///
/// A peer keeps no log unless its environment sets ``Peer/packetLog``. Handshake messages and
/// advisory packets have no numbers and are not in it.
package struct PacketLog: Sendable {
    /// One direction of a session, in which packet numbers count. Both sides name it alike.
    package struct Session: Hashable, Sendable {
        /// The connection ID that the sending side drew.
        package var sender: ConnectionID
        /// That of the receiving side; nil for early packets, which leave before it is known.
        package var receiver: ConnectionID?
    }

    /// A packet that was sent.
    package struct Sent: Hashable, Sendable {
        /// The time of the input in which it was made.
        package var at: Instant
        /// Its number in its session, from 0.
        package var number: UInt64
        /// The place of its session in ``PacketLog/sessions``.
        package var session: Int
        /// The types of its frames, in order, each run of equal ones once; padding left out.
        package var frames: [FrameType]
        /// Its bytes on the carrier.
        package var bytes: Int
    }

    /// A packet that was opened.
    package struct Arrival: Hashable, Sendable {
        /// The time of the input that brought it.
        package var at: Instant
        /// Its number in its session, from 0.
        package var number: UInt64
        /// The place of its session in ``PacketLog/sessions``.
        package var session: Int
        /// The packet was lost, and recovered from repair packets.
        package var isRecovered: Bool
    }

    /// A record, or a fragment of one, in a packet that was sent.
    package struct Carried: Hashable, Sendable {
        /// The place of the packet in ``PacketLog/sent``.
        package var packet: Int
        /// The offset of the fragment in bytes; nil for a whole record or a delta.
        package var offset: Int?
        /// The record.
        package var record: RecordID
    }

    /// The most lines of each kind that are kept.
    package let limit: Int
    /// When the log began.
    package let start: Instant
    /// Packets that were sent, in order.
    package private(set) var sent: [Sent] = []
    /// Packets that were opened, in order.
    package private(set) var arrivals: [Arrival] = []
    /// The records in the packets that were sent, in order.
    package private(set) var carried: [Carried] = []
    /// Directions of sessions, in the order in which they were met.
    package private(set) var sessions: [Session] = []
    /// Lines that found no room.
    package private(set) var omitted: UInt64 = 0

    /// Makes an empty log that keeps at most `limit` lines of each kind.
    package init(limit: Int, at now: Instant) {
        self.limit = limit
        start = now
    }

    /// Adds a packet whose frames are `plaintext`; they index `epochs`.
    mutating func sent(
        _ number: UInt64, _ session: Session, plaintext: [UInt8], bytes: Int, _ epochs: [EpochID],
        at now: Instant
    ) {
        guard sent.count < limit else {
            omitted += 1
            return
        }
        var packet = Sent(
            at: now, number: number, session: place(of: session), frames: [], bytes: bytes)
        var reader = WireReader(plaintext.span)
        while !reader.isAtEnd, let (type, frame) = try? Frame.read(&reader) {
            if let type, type != .padding, type != packet.frames.last { packet.frames.append(type) }
            switch frame {
            case .record(let frame): carry(frame.channel, frame.address, nil, epochs)
            case .value(let frame): carry(frame.channel, frame.address, nil, epochs)
            case .values(let frame):
                for version in frame.versions {
                    let address = RecordAddress(
                        epochIndex: frame.first.epochIndex, number: version)
                    carry(frame.channel, address, nil, epochs)
                }
            case .fragment(let frame): carry(frame.channel, frame.address, frame.offset, epochs)
            default: break
            }
        }
        sent.append(packet)
    }

    /// Adds a packet that was opened.
    mutating func arrived(
        _ number: UInt64, _ session: Session, isRecovered: Bool, at now: Instant
    ) {
        guard arrivals.count < limit else {
            omitted += 1
            return
        }
        arrivals.append(
            Arrival(
                at: now, number: number, session: place(of: session), isRecovered: isRecovered))
    }

    private mutating func carry(
        _ channel: Channel, _ address: RecordAddress, _ offset: Int?, _ epochs: [EpochID]
    ) {
        guard carried.count < limit, address.epochIndex < epochs.count else {
            omitted += 1
            return
        }
        let id = RecordID(
            epoch: epochs[address.epochIndex], channel: channel,
            number: RecordNumber(address.number))
        carried.append(Carried(packet: sent.count, offset: offset, record: id))
    }

    private mutating func place(of session: Session) -> Int {
        if let known = sessions.lastIndex(of: session) { return known }
        sessions.append(session)
        return sessions.count - 1
    }
}

extension Peer {
    /// Logs a packet of the session that was just sealed.
    mutating func logSent(_ plaintext: [UInt8], number: UInt64?, bytes: Int) {
        guard packetLog != nil, let sealed = connection.currentSession else { return }
        packetLog?.sent(
            // A number that is implied was counted.
            number ?? sealed.nextSent - 1,
            PacketLog.Session(sender: sealed.ownID, receiver: sealed.counterpartID),
            plaintext: plaintext, bytes: bytes, session?.ownListing ?? [],
            at: time.now)
    }

    /// Logs an early packet that was just sealed.
    mutating func logEarly(_ plaintext: [UInt8], number: UInt64, bytes: Int) {
        guard packetLog != nil, let id = connection.initiationID else { return }
        packetLog?.sent(
            number, PacketLog.Session(sender: id, receiver: nil), plaintext: plaintext,
            bytes: bytes, session?.ownListing ?? [], at: time.now)
    }

    /// Logs a packet of the session that was opened or recovered.
    mutating func logArrival(_ number: UInt64, isRecovered: Bool) {
        guard packetLog != nil, let opened = connection.currentSession else { return }
        packetLog?.arrived(
            number, PacketLog.Session(sender: opened.counterpartID, receiver: opened.ownID),
            isRecovered: isRecovered, at: time.now)
    }

    /// Logs an early packet that was opened or recovered.
    mutating func logEarlyArrival(_ number: UInt64, isRecovered: Bool) {
        guard packetLog != nil, let id = connection.earlyArrivalID else { return }
        packetLog?.arrived(
            number, PacketLog.Session(sender: id, receiver: nil), isRecovered: isRecovered,
            at: time.now)
    }
}
