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

    /// The sender's present opening, where it has more epochs than it can list.
    public struct PresentEpoch: Hashable, Sendable {
        /// The name of the opening.
        public var id: EpochID
        /// The epoch before it, and the highest number used there in each lane; nil for the first.
        public var parent: EpochID?
        /// Per lane: the highest number used in the epoch before it; 0 where none was.
        public var parentHighest: [UInt64]
    }

    /// What the sender holds of one of the receiver's epochs.
    public struct KnownEpoch: Hashable, Sendable {
        /// The epoch's random name, as the receiver gave it in a greeting.
        public var id: EpochID
        /// Per lane: every record with a number below has arrived or is settled. Where early data
        /// came before the greeting was made, as it was before that; 0 in every lane of an epoch
        /// of which nothing was held then.
        public var receivedThrough: [UInt64]

        /// All that is held of it came as early data, before this greeting was made.
        var isOfEarlyDataAlone: Bool { receivedThrough.allSatisfy { $0 == 0 } }
    }

    /// Which device the sender is.
    public var role: DeviceRole
    /// The pairing the sender speaks for; both sides must name the same.
    public var pairing: PairingID
    /// The newest version of the frames that the sender reads.
    public var highestVersion: UInt8
    /// Oldest first; the last is the epoch of records yet to come, unless ``present`` is.
    public var ownEpochs: [OwnEpoch]
    /// The epoch of records yet to come, where it has no place in ``ownEpochs``. Its stamp shows
    /// whether those of the others can be trusted.
    public var present: PresentEpoch?
    /// ``ownEpochs`` leaves the newest ones out; also where ``present`` had no room.
    public var isCut = false
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
    /// The newest openings of the sender before the present one that had a session, oldest first.
    public var formerOpenings: [EpochID] = []

    /// The newest version of the frames that this code reads. Version 2 added ``PartFrame`` without
    /// a length, version 3 ``formerOpenings``. How a flight is laid out has a version of its own,
    /// in front of it.
    public static let newestVersion: UInt8 = 3
    static let versionWithFurtherParts: UInt8 = 2
    static let versionWithOpenings: UInt8 = 3
    /// How many openings before the present one are named at most.
    static let formerOpeningsLimit = 2

    /// The receiver's epochs of which the sender held something before any early data.
    var epochsKnownBefore: [KnownEpoch] { knownEpochs.filter { !$0.isOfEarlyDataAlone } }

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
        let (present, isCut) = try readPresent(&reader, after: own)
        let former =
            version < versionWithOpenings
            ? [] : try readOpenings(&reader, "former openings", atMost: formerOpeningsLimit)
        // What follows is for newer versions.
        return Greeting(
            role: role, pairing: pairing, highestVersion: version, ownEpochs: own,
            present: present, isCut: isCut, knownEpochs: known, offers: offers, bytes: byteCredit,
            heldDigests: digests, largestDatagramBytes: largest, formerOpenings: former)
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
        if let present {
            writer.byte(1)
            writer.uint64(present.id.rawValue)
            writeParent(present.parent, present.parentHighest, after: ownEpochs.last, to: &writer)
        } else if isCut || highestVersion >= Self.versionWithOpenings {
            writer.byte(isCut ? 2 : 0)
        }
        guard highestVersion >= Self.versionWithOpenings else { return writer.bytes }
        writer.varint(UInt64(formerOpenings.count))
        for id in formerOpenings { writer.uint64(id.rawValue) }
        return writer.bytes
    }

    /// The epochs that a session goes by: two greetings with the same ones are of one opening, and
    /// name epochs by the same places.
    struct Epochs: Equatable, Sendable {
        var listed: [EpochID]
        var present: EpochID?
    }

    var epochs: Epochs { Epochs(listed: ownEpochs.map(\.id), present: presentID) }

    /// The present opening; nil where there was no room to name it.
    var presentID: EpochID? { isCut ? present?.id : ownEpochs.last?.id }
}
