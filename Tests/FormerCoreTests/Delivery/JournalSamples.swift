import WatchProto

/// Journals drawn from a seed: entries as a peer could write them, in any order.
struct JournalSamples {
    var random: SeededGenerator
    private var numbers: UInt64 = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func entries(_ count: Int) -> [JournalEntry] { (0..<count).map { _ in entry() } }

    mutating func entry() -> JournalEntry {
        switch random.uniform(in: 1...31) {
        case 1:
            let hasParent = random.chance(0.7)
            let parent = epoch(own: true)
            return .epochOpened(
                epoch(own: true), parent: hasParent ? parent : nil,
                parentHighest: Lane.allCases.map { _ in number(from: 0) })
        case 2, 3, 4: return .queued(outbound())
        case 5: return .reached(id(own: true), random.chance(0.5) ? .received : .committed)
        case 6, 7: return .settled(id(own: true), outcome())
        case 8: return .epochRetired(epoch(own: true))
        case 9:
            let parent = epoch(own: false)
            return .counterpartEpoch(
                epoch(own: false), rank: random.uniform(in: 0...9),
                parent: random.chance(0.5) ? parent : nil)
        case 10 where random.chance(0.3): return .counterpartEpochRetired(epoch(own: false))
        case 10, 11, 12: return .received(inbound(), disposition())
        case 13, 14: return .disposed(id(own: false), disposition())
        case 15: return .withdrawn(id(own: false), outcome())
        case 16:
            return .counterpartKeyForgotten(
                lane(), RecordKey(rawValue: UInt128(random.uniform(in: 0...5))))
        case 17:
            let after = epoch(own: true)
            return .epochLost(epoch(own: true), after: random.chance(0.5) ? after : nil)
        case 18:
            let id = id(own: true)
            return .adopted(
                JournalImage.OwnValue(
                    lane: id.lane, key: RecordKey(rawValue: UInt128(random.uniform(in: 0...5))),
                    id: id, kind: ContentKind(rawValue: UInt8(random.uniform(in: 0...9))),
                    payload: payload()))
        case 19: return .counterpartEpochAbandoned(epoch(own: false))
        case 20, 21:
            return .keyRemembered(
                UInt128(random.uniform(in: 0...5)), id(own: false), disposition(), at: moment())
        case 23: return .withdrawalAsked(id(own: true), random.chance(0.5) ? .cancelled : .expired)
        case 24:
            return .ownKeyForgotten(
                lane(), RecordKey(rawValue: UInt128(random.uniform(in: 0...5))))
        case 26: return .handshakesReserved(random.uniform(in: 0...9000))
        case 27: return .handshakeTaken(random.uniform(in: 0...9000))
        case 28: return path().map { .pathMeasured($0) } ?? entry()
        case 29: return .openingMet(epoch(own: true))
        case 30:
            let former = random.chance(0.5) ? [epoch(own: false)] : []
            return .counterpartMet(epoch(own: false), former: former)
        case 31: return .counterpartRefused(epoch(own: false))
        case 22: return .repeated(id(own: false), of: id(own: false), disposition())
        default:
            let id = id(own: false)
            return .counterpartFloor(id.epoch, id.lane, floor: id.number)
        }
    }

    /// Few of each, so that entries meet.
    private mutating func epoch(own: Bool) -> EpochID {
        EpochID(rawValue: random.uniform(in: 1...3) + (own ? 0 : 100))
    }

    private mutating func number(from lowest: UInt64 = 1) -> RecordNumber {
        if random.chance(0.05) { return RecordNumber(random.uniform(in: 1...(1 << 62))) }
        return RecordNumber(random.uniform(in: lowest...20))
    }

    private mutating func lane() -> Lane {
        Lane.allCases[Int(random.uniform(in: 0...4))]
    }

    mutating func id(own: Bool) -> RecordID {
        RecordID(epoch: epoch(own: own), lane: lane(), number: number())
    }

    private mutating func outcome() -> Outcome {
        switch random.uniform(in: 0...9) {
        case 0: .superseded
        case 1: .cancelled
        case 2: .expired
        case 3: .rejected(code: UInt16(truncatingIfNeeded: random.next()))
        case 4: .unknown
        case 5: .outcomeUnknown
        case 6: .notDelivered
        default: .applied
        }
    }

    private mutating func disposition() -> Disposition {
        switch random.uniform(in: 0...3) {
        case 0: .pending
        case 1: .rejected(code: UInt16(truncatingIfNeeded: random.next()))
        default: .applied
        }
    }

    /// Some lie further apart than a key is remembered, and the clock may run back.
    private mutating func moment() -> WallTime {
        let days = Int64(random.uniform(in: 0...20)) * 86_400_000
        return WallTime(milliseconds: days + Int64(random.uniform(in: 0...1_000)))
    }

    private mutating func payload() -> [UInt8] {
        (0..<random.uniform(in: 0...40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    private mutating func path() -> PathMemory? {
        PathMemory(
            bytesPerSecond: random.uniform(in: 1000...10_000_000_000),
            roundTripMicroseconds: random.uniform(in: 1...3_600_000_000),
            lossPerTenThousand: UInt16(random.uniform(in: 0...10_000)))
    }

    private mutating func key(in lane: Lane) -> RecordKey? {
        guard lane.traits.order == .newestPerKey else { return nil }
        return RecordKey(rawValue: UInt128(random.uniform(in: 0...5)))
    }

    mutating func outbound() -> OutboundRecord {
        let id = id(own: true)
        var draft = RecordDraft(
            lane: id.lane, kind: ContentKind(rawValue: UInt8(random.uniform(in: 0...9))),
            key: key(in: id.lane), payload: payload())
        if random.chance(0.3) {
            draft.expiresAt = WallTime(milliseconds: Int64(bitPattern: random.next()))
        }
        if random.chance(0.3) { draft.idempotencyKey = UInt128(random.next()) << 64 }
        draft.expectsReply = random.chance(0.2)
        if random.chance(0.2) { draft.inReplyTo = RecordNumber(random.next()) }
        return OutboundRecord(
            id: id, draft: draft, acceptedAt: random.chance(0.7) ? moment() : nil)
    }

    mutating func inbound() -> InboundRecord {
        let id = id(own: false)
        return InboundRecord(
            id: id, kind: ContentKind(rawValue: UInt8(random.uniform(in: 0...9))),
            key: key(in: id.lane), payload: payload(), expectsReply: random.chance(0.2),
            inReplyTo: random.chance(0.2) ? RecordNumber(random.next()) : nil,
            idempotencyKey: random.chance(0.2) ? UInt128(random.uniform(in: 0...5)) : nil)
    }
}

/// A seal that can be seen and that knows its place, as formats 1 to 3 used one inside of bodies:
/// the key, the bytes under it, and a hash of the place.
enum ToySeal {
    static func coding(_ pairing: PairingID, key: UInt8 = 0x5A) -> JournalCoding {
        JournalCoding(pairing: pairing) { sealed, place in
            guard sealed.first == key, sealed.count >= 9, Array(sealed.suffix(8)) == tag(place)
            else { return nil }
            return sealed.dropFirst().dropLast(8).map { $0 ^ key }
        }
    }

    private static func tag(_ place: PayloadPlace) -> [UInt8] {
        var writer = WireWriter()
        writer.uint64(ContentHash.of(place.associatedData))
        return writer.bytes
    }
}
