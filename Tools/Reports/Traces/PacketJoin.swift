package import ControlProtocol

/// The fate of each packet of one way, found by laying the sender's list beside the receiver's.
package struct PacketJoin: Sendable {
    /// The fate of a packet.
    package enum Fate: Int, Sendable, CaseIterable {
        /// It came, once or more often.
        case arrived
        /// It never came.
        case lost
        /// It had not come yet when the lists ended, and may have been on its way.
        case underWay
        /// It never came, and was recovered by FEC.
        case restored

        /// As a reader sees it.
        package var word: String {
            switch self {
            case .arrived: "arrived"
            case .lost: "lost"
            case .underWay: "under way at the end"
            case .restored: "lost, recovered by FEC"
            }
        }
    }

    /// A packet with its fate.
    package struct Packet: Sendable {
        /// The sender's knowledge of it.
        package var sent: PacketTrace.Sent
        /// When it first came, or was put together; nil where neither happened. Nanoseconds of
        /// CLOCK_MONOTONIC.
        package var reached: UInt64?
        /// How often it came.
        package var arrivalCount: Int
        /// The outcome.
        package var fate: Fate
        /// Whether it holds a record, or a piece, that an earlier packet held.
        package var isRepetition: Bool
    }

    /// All that can be told, in the order they were sent.
    package private(set) var packets: [Packet] = []
    /// Lines for which one of the two had no room.
    package private(set) var omitted: UInt64 = 0

    /// Lays what `sender` sent beside what `receiver` took.
    ///
    /// A packet that did not come is lost if it was sent longer before the receiver's list ended
    /// than any packet of this way took. A packet sent before that list began that did not come is
    /// left out: it may have come before.
    ///
    /// - Parameters:
    ///   - sender: what the one side listed of what it sent.
    ///   - receiver: the packets that the other side listed.
    ///   - end: when the lists ended, in nanoseconds of CLOCK_MONOTONIC.
    package init(sender: PacketTrace, receiver: PacketTrace, until end: UInt64) {
        omitted = sender.omitted + receiver.omitted
        var found: [PacketTrace.Name: (first: UInt64?, count: Int, restored: UInt64?)] = [:]
        for arrival in receiver.arrivals {
            var known = found[arrival.name] ?? (nil, 0, nil)
            if arrival.isRestored {
                known.restored = known.restored ?? arrival.moment
            } else {
                known.first = known.first ?? arrival.moment
                known.count += 1
            }
            found[arrival.name] = known
        }
        var longest: UInt64 = 0
        for packet in sender.sent {
            guard let come = found[packet.name]?.first else { continue }
            longest = max(longest, come - min(come, packet.moment))
        }
        // A list that was full says nothing of packets after its last line.
        let last = receiver.omitted > 0 ? receiver.arrivals.last?.moment ?? 0 : end
        var seen = Set<PacketTrace.Piece>()
        for packet in sender.sent {
            var isRepetition = false
            for piece in packet.pieces where !seen.insert(piece).inserted { isRepetition = true }
            let known = found[packet.name]
            let fate: Fate =
                known?.first != nil
                ? .arrived
                : known?.restored != nil
                    ? .restored : packet.moment + longest < last ? .lost : .underWay
            if known == nil, packet.moment < receiver.start { continue }
            packets.append(
                Packet(
                    sent: packet, reached: known?.first ?? known?.restored,
                    arrivalCount: known?.count ?? 0, fate: fate, isRepetition: isRepetition))
        }
    }

    /// How many there are of each fate, how many repeat something, and how many came twice, for
    /// files.
    package static func counts(down: PacketJoin, up: PacketJoin) -> JSONValue {
        var object = JSONObject()
        for (name, join) in [("phone to watch", down), ("watch to phone", up)] {
            let packets = join.packets
            object[name] = [
                "sent": .whole(packets.count),
                "lost": .whole(packets.count { $0.fate == .lost }),
                "restored": .whole(packets.count { $0.fate == .restored }),
                "under_way": .whole(packets.count { $0.fate == .underWay }),
                "repeating": .whole(packets.count(where: \.isRepetition)),
                "twice": .whole(packets.count { $0.arrivalCount > 1 }),
                "omitted": .whole(join.omitted),
            ]
        }
        return .object(object)
    }
}
