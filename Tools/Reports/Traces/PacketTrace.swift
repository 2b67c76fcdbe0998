package import ControlProtocol

/// One simulator's list of its packets. Moments are nanoseconds of CLOCK_MONOTONIC.
package struct PacketTrace: Sendable {
    /// The name of a packet on both sides.
    package struct Name: Hashable, Sendable {
        /// The session, one way; early packets have one of their own, which ends in `early`.
        package var session: String
        /// The number in it.
        package var number: UInt64

        init?(_ json: JSONValue) {
            guard let session = json["session"]?.string, let number = json["number"]?.unsigned
            else { return nil }
            self.session = session
            self.number = number
        }
    }

    /// A record in a packet, or a piece of one.
    package struct Piece: Hashable, Sendable {
        /// The record.
        package var record: RecordIdentity
        /// Where the piece begins, in bytes; nil of a whole record.
        package var offset: UInt64?
    }

    /// A packet that was sent.
    package struct Sent: Sendable {
        /// Its name on both sides.
        package var name: Name
        /// When.
        package var moment: UInt64
        /// How long it is on the carrier.
        package var bytes: UInt64
        /// The types of its frames: `record, ack`.
        package var frames: String
        /// The records in it.
        package var pieces: [Piece]

        init?(_ json: JSONValue) {
            guard let name = Name(json), let moment = json["t_ns"]?.unsigned,
                let bytes = json["bytes"]?.unsigned, let frames = json["frames"]?.array
            else { return nil }
            self.name = name
            self.moment = moment
            self.bytes = bytes
            self.frames = frames.compactMap(\.string).joined(separator: ", ")
            pieces = (json["records"]?.array ?? []).compactMap { json in
                RecordIdentity(json).map { Piece(record: $0, offset: json["offset"]?.unsigned) }
            }
        }
    }

    /// A packet that came, or was recovered by FEC.
    package struct Arrival: Sendable {
        /// Its name on both sides.
        package var name: Name
        /// When.
        package var moment: UInt64
        /// It did not come: it was recovered by FEC.
        package var isRestored: Bool

        init?(_ json: JSONValue) {
            guard let name = Name(json), let moment = json["t_ns"]?.unsigned else { return nil }
            self.name = name
            self.moment = moment
            isRestored = json["restored"]?.bool ?? false
        }
    }

    /// Since when it is kept.
    package private(set) var start: UInt64 = 0
    /// Packets that were sent, in order.
    package private(set) var sent: [Sent] = []
    /// Packets that came, in order.
    package private(set) var arrivals: [Arrival] = []
    /// Lines for which the simulator had no room: the last ones.
    package private(set) var omitted: UInt64 = 0

    /// Makes one without packets.
    package init() {}

    /// Appends a reply to `packets.dump`.
    ///
    /// - Returns: the line that cannot be read, if there is one.
    package mutating func add(_ page: JSONValue) -> JSONValue? {
        start = page["since_ns"]?.unsigned ?? start
        omitted = page["omitted"]?.unsigned ?? omitted
        for line in page["sent"]?.array ?? [] {
            guard let packet = Sent(line) else { return line }
            sent.append(packet)
        }
        for line in page["arrived"]?.array ?? [] {
            guard let arrival = Arrival(line) else { return line }
            arrivals.append(arrival)
        }
        return nil
    }
}
