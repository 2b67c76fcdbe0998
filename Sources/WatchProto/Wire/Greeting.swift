/// What each side tells the other when a session begins, inside the handshake: who it is, what it
/// may still send, and what it has received.
public struct Greeting: Hashable, Sendable {
    /// One of the sender's epochs that may still hold unsettled records.
    public struct OwnEpoch: Hashable, Sendable {
        /// The epoch's random name.
        public var id: EpochID
        /// The epoch before it, and the highest number used there in each lane; nil for the first.
        public var parent: EpochID?
        /// Per lane: the highest number used in the epoch before it; 0 where none was.
        public var parentHighest: [UInt64]
        /// The number the next record of each lane will get.
        public var next: [UInt64]
        /// Per lane: every number below is settled.
        public var floors: [UInt64]
    }

    /// What the sender holds of one of the receiver's epochs.
    public struct KnownEpoch: Hashable, Sendable {
        /// The epoch's random name, as the receiver gave it in a greeting.
        public var id: EpochID
        /// Per lane: every record with a number below has arrived or is settled.
        public var receivedThrough: [UInt64]
    }

    /// Which device the sender is.
    public var role: DeviceRole
    /// The pairing the sender speaks for; both sides must name the same.
    public var pairing: PairingID
    /// The newest wire version the sender speaks.
    public var highestVersion: UInt8
    /// Oldest first; the last is the epoch of records yet to come.
    public var ownEpochs: [OwnEpoch]
    /// The receiver's epochs the sender knows, oldest first; the last is the last known one.
    public var knownEpochs: [KnownEpoch]
    /// Per lane: how many records, and payload bytes, may be offered to begin with.
    public var offers: [UInt64]
    /// Per lane: payload bytes that may be offered to begin with.
    public var bytes: [UInt64]
    /// Per lane: the fingerprint of the newest values the sender holds of the receiver's keys.
    public var heldDigests: [UInt64]
    /// The largest datagram the sender takes.
    public var largestDatagramBytes: UInt64

    /// Reads a greeting; bytes behind what this version knows are left alone. The counterpart is at
    /// fault for every error.
    public static func decode(_ bytes: Span<UInt8>, limits: Limits) throws(WireError) -> Greeting {
        var reader = WireReader(bytes)
        let start = reader.offset
        let roleCode = try reader.byte("role")
        guard let role = DeviceRole(rawValue: roleCode) else {
            throw WireError(
                .unknownCode, at: start, expected: "role 0 or 1", found: UInt64(roleCode))
        }
        let pairing = PairingID(rawValue: try reader.uint128("pairing"))
        let version = try reader.byte("highest version")
        var own: [OwnEpoch] = []
        let ownAt = reader.offset
        let ownCount = try reader.count("own epochs", atMost: limits.epochs, size: 16)
        guard ownCount > 0 else {
            throw WireError(.outOfRange, at: ownAt, expected: "1 or more epochs", found: 0)
        }
        for _ in 0..<ownCount {
            own.append(try readOwnEpoch(&reader, after: own))
        }
        var known: [KnownEpoch] = []
        for _ in 0..<(try reader.count("known epochs", atMost: limits.epochs, size: 13)) {
            let id = try readEpoch(&reader, notIn: known.map(\.id))
            known.append(
                KnownEpoch(
                    id: id,
                    receivedThrough: try readPerLane(
                        &reader, "received through", atMost: RecordNumber.largest + 1)))
        }
        let offers = try readPerLane(&reader, "credit in offers", atMost: .max)
        let byteCredit = try readPerLane(&reader, "credit in bytes", atMost: .max)
        var digests: [UInt64] = []
        for lane in Lane.allCases {
            digests.append(
                lane.traits.order == .newestPerKey ? try reader.uint64("held digest") : 0)
        }
        let largestAt = reader.offset
        let largest = try reader.varint("largest datagram")
        guard largest >= UInt64(limits.smallestDatagramBytes) else {
            throw WireError(
                .outOfRange, at: largestAt, expected: "largest datagram of 128 bytes or more",
                found: largest)
        }
        // What follows is for newer versions.
        return Greeting(
            role: role, pairing: pairing, highestVersion: version, ownEpochs: own,
            knownEpochs: known, offers: offers, bytes: byteCredit, heldDigests: digests,
            largestDatagramBytes: largest)
    }

    /// The greeting's bytes, as ``decode(_:limits:)`` reads them.
    public func encoded() -> [UInt8] {
        var writer = WireWriter()
        writer.byte(role.rawValue)
        writer.uint128(pairing.rawValue)
        writer.byte(highestVersion)
        writer.varint(UInt64(ownEpochs.count))
        var former: OwnEpoch?
        for epoch in ownEpochs {
            write(epoch, after: former, to: &writer)
            former = epoch
        }
        writer.varint(UInt64(knownEpochs.count))
        for epoch in knownEpochs {
            writer.uint64(epoch.id.rawValue)
            for value in epoch.receivedThrough { writer.varint(value) }
        }
        for value in offers { writer.varint(value) }
        for value in bytes { writer.varint(value) }
        for lane in Lane.allCases where lane.traits.order == .newestPerKey {
            writer.uint64(heldDigests[Int(lane.rawValue)])
        }
        writer.varint(largestDatagramBytes)
        return writer.bytes
    }

    /// An epoch whose parent is listed right before it repeats neither the parent nor its numbers.
    private static func readOwnEpoch(
        _ reader: inout WireReader, after listed: [OwnEpoch]
    ) throws(WireError) -> OwnEpoch {
        let former = listed.last
        let id = try readEpoch(&reader, notIn: listed.map(\.id))
        let at = reader.offset
        let code = try reader.byte("parent code")
        var parent: EpochID?
        var parentHighest: [UInt64] = Array(repeating: 0, count: Lane.count)
        switch (code, former) {
        case (0, _): break
        case (1, .some(let former)):
            parent = former.id
            parentHighest = former.next.map { $0 - 1 }
        case (2, _):
            parent = try readEpoch(&reader)
            parentHighest = try readPerLane(
                &reader, "parent's highest number", atMost: RecordNumber.largest)
            if let former, former.id == parent, former.next.map({ $0 - 1 }) == parentHighest {
                throw WireError(.notCanonical, at: at, expected: "parent code 1", found: 2)
            }
        default:
            throw WireError(.unknownCode, at: at, expected: "parent code", found: UInt64(code))
        }
        var next: [UInt64] = []
        var floors: [UInt64] = []
        for _ in Lane.allCases {
            let at = reader.offset
            let number = try RecordNumber.readNext(&reader, "next number from 1 to 2^62")
            let live = try reader.varint("numbers not settled")
            guard live < number else {
                throw WireError(.outOfRange, at: at, expected: "next number", found: number)
            }
            next.append(number)
            floors.append(number - live)
        }
        return OwnEpoch(
            id: id, parent: parent, parentHighest: parentHighest, next: next, floors: floors)
    }

    private func write(
        _ epoch: OwnEpoch, after former: OwnEpoch?, to writer: inout WireWriter
    ) {
        writer.uint64(epoch.id.rawValue)
        if let parent = epoch.parent {
            if let former, former.id == parent, former.next.map({ $0 - 1 }) == epoch.parentHighest {
                writer.byte(1)
            } else {
                writer.byte(2)
                writer.uint64(parent.rawValue)
                for value in epoch.parentHighest { writer.varint(value) }
            }
        } else {
            writer.byte(0)
        }
        for (next, floor) in zip(epoch.next, epoch.floors) {
            writer.varint(next)
            writer.varint(next - floor)
        }
    }

    /// An epoch's name. A list that names one twice would have two sets of numbers for it.
    private static func readEpoch(
        _ reader: inout WireReader, notIn listed: [EpochID] = []
    ) throws(WireError) -> EpochID {
        let start = reader.offset
        let value = try reader.uint64("epoch")
        guard value != 0 else {
            throw WireError(.outOfRange, at: start, expected: "epoch, not zero", found: 0)
        }
        let id = EpochID(rawValue: value)
        guard !listed.contains(id) else {
            throw WireError(
                .outOfRange, at: start, expected: "epoch that is not listed yet", found: value)
        }
        return id
    }

    private static func readPerLane(
        _ reader: inout WireReader, _ what: StaticString, atMost limit: UInt64
    ) throws(WireError) -> [UInt64] {
        var values: [UInt64] = []
        for _ in Lane.allCases { values.append(try reader.varint(what, atMost: limit)) }
        return values
    }
}
