extension RunDetail {
    /// A packet between the two. Moments are nanoseconds since the run began.
    package struct Packet: Sendable {
        /// Whether the watch sent it.
        package var isFromWatch: Bool
        /// Its session, one way, counted from 1 in the order they were met: `1`, `2 (early)`.
        package var session: String
        /// Its number in that session, from 0.
        package var number: UInt64
        /// When it was made, to leave at once.
        package var sent: UInt64
        /// How long it is on the carrier, everything included.
        package var bytes: UInt64
        /// The types of its frames: `record, ack`.
        package var frames: String
        /// From ``sent`` until it had come and was opened, or was put together; nil where neither
        /// happened.
        package var airNanoseconds: UInt64?
        /// The outcome.
        package var fate: PacketJoin.Fate
        /// How often it came.
        package var arrivalCount: Int
        /// Whether it holds a record, or a piece, that an earlier packet held.
        package var isRepetition: Bool
        /// The records in it that were measured: their places in ``RunDetail/records``.
        package var records: [Int]
        /// How many others are in it: of the warm-up, say.
        package var otherCount: Int
    }

    /// Appends the packets of one way; after the records, which packets refer to.
    package mutating func addPackets(_ join: PacketJoin, isFromWatch: Bool) {
        hasPackets = true
        packetsOmitted += join.omitted
        var sessions: [String: String] = [:]
        for packet in join.packets {
            let name = packet.sent.name
            let ending = name.session.hasSuffix("early") ? " (early)" : ""
            let session = sessions[name.session] ?? "\(sessions.count + 1)\(ending)"
            sessions[name.session] = session
            var places: [Int] = []
            var others = Set<RecordIdentity>()
            for piece in packet.sent.pieces {
                guard let place = place(of: piece.record) else {
                    others.insert(piece.record)
                    continue
                }
                if !places.contains(place) { places.append(place) }
            }
            packets.append(
                Packet(
                    isFromWatch: isFromWatch, session: session, number: name.number,
                    sent: since(packet.sent.moment), bytes: packet.sent.bytes,
                    frames: packet.sent.frames,
                    airNanoseconds: packet.reached.map {
                        $0 - min($0, packet.sent.moment)
                    }, fate: packet.fate, arrivalCount: packet.arrivalCount,
                    isRepetition: packet.isRepetition, records: places,
                    otherCount: others.count))
        }
        packets.sort { ($0.sent, $0.number) < ($1.sent, $1.number) }
    }
}
