import Testing
import WatchProtoRecords

@testable import FormerCore

/// The places for records being put together are few. A sender offers the lowest record first and,
/// turned away, offers nothing later: a place that only a later record's parts could free would
/// stay taken for ever.
@Suite struct PartPlaceTests {
    /// An inbox in session with a counterpart that has sent nothing yet.
    private static func inbox(places: Int) -> Inbox {
        var limits = Limits()
        limits.assemblies = places
        var inbox = Inbox(limits: limits, image: JournalImage())
        let zeros: [UInt64] = [0, 0, 0, 0, 0]
        inbox.begin(
            Greeting(
                role: .phone, pairing: PairingID(rawValue: 1), highestVersion: 0,
                ownEpochs: [
                    Greeting.OwnEpoch(
                        id: EpochID(rawValue: 7), parent: nil, parentHighest: zeros,
                        next: [1, 1, 1, 1, 1], floors: [1, 1, 1, 1, 1])
                ],
                knownEpochs: [], offers: zeros, bytes: zeros, heldDigests: zeros,
                largestDatagramBytes: 1_200))
        return inbox
    }

    /// A bulk record cut in two.
    private static func halves(of number: UInt64) -> [PartFrame] {
        let address = RecordAddress(epochIndex: 0, number: number)
        var head = RecordHead(lane: .bulk, address: address, kind: .file)
        if number > 1 { head.predecessor = RecordAddress(epochIndex: 0, number: number - 1) }
        var writer = WireWriter()
        RecordFrame(head: head, body: Array(repeating: UInt8(number), count: 40)).write(to: &writer)
        let bytes = Array(writer.bytes.dropFirst())
        return [0..<20, 20..<bytes.count].map { range in
            PartFrame(
                lane: .bulk, address: address, totalBytes: bytes.count, offset: range.lowerBound,
                bytes: Array(bytes[range]))
        }
    }

    private static func turnedAway(_ inbox: Inbox) -> [UInt64] {
        inbox.lanes[Int(Lane.bulk.rawValue)].turnedAway.map { $0.address.number }
    }

    @Test func the_lowest_record_always_has_a_place() throws {
        var inbox = Self.inbox(places: 2)
        for number in [2, 3] as [UInt64] { try inbox.receive(Self.halves(of: number)[0]) }
        #expect(Self.turnedAway(inbox) == [])
        for half in Self.halves(of: 1) { try inbox.receive(half) }
        #expect(inbox.deliveries.map { $0.id.number.rawValue } == [1])
        #expect(Self.turnedAway(inbox) == [3], "the last of those half received gave up its place")
        try inbox.receive(Self.halves(of: 2)[1])
        #expect(inbox.deliveries.map { $0.id.number.rawValue } == [1, 2], "the other kept its own")
    }

    @Test func a_later_record_is_turned_away_when_every_place_is_taken() throws {
        var inbox = Self.inbox(places: 2)
        for number in [1, 2, 3] as [UInt64] { try inbox.receive(Self.halves(of: number)[0]) }
        #expect(Self.turnedAway(inbox) == [3])
        for number in [1, 2] as [UInt64] { try inbox.receive(Self.halves(of: number)[1]) }
        #expect(inbox.deliveries.map { $0.id.number.rawValue } == [1, 2])
    }

    /// Late parts of a record that was turned away take no place until the sender was told that it
    /// may offer again: it does not send the rest of that offer.
    @Test func late_parts_of_a_record_turned_away_take_no_place() throws {
        var inbox = Self.inbox(places: 1)
        try inbox.receive(Self.halves(of: 1)[0])
        try inbox.receive(Self.halves(of: 2)[0])
        #expect(Self.turnedAway(inbox) == [2])
        try inbox.receive(Self.halves(of: 1)[1])
        try inbox.receive(Self.halves(of: 2)[1])
        #expect(inbox.lanes[Int(Lane.bulk.rawValue)].assemblies.isEmpty)
        _ = inbox.lanes[Int(Lane.bulk.rawValue)].makeCredit()
        for half in Self.halves(of: 2) { try inbox.receive(half) }
        #expect(inbox.deliveries.map { $0.id.number.rawValue } == [1, 2])
    }

    /// Parts of several offers of one record, cut differently, overlap and are too many to hold.
    /// The record gives up its place, and the sender, which may have nothing else under way, is
    /// called again. (Seed 212049.)
    @Test func a_record_that_gives_up_its_own_place_is_called_again() throws {
        var inbox = Self.inbox(places: 2)
        let half = Self.halves(of: 1)[1]
        try inbox.receive(half)
        var other = half
        other.offset -= 1
        other.bytes.insert(0, at: 0)
        try inbox.receive(other)
        #expect(Self.turnedAway(inbox) == [1])
        #expect(inbox.lanes[Int(Lane.bulk.rawValue)].creditIsDue)
        _ = inbox.lanes[Int(Lane.bulk.rawValue)].makeCredit()
        for half in Self.halves(of: 1) { try inbox.receive(half) }
        #expect(inbox.deliveries.map { $0.id.number.rawValue } == [1])
    }

    /// A refusal says that the receiver has no room, also when the record it names is over by then:
    /// the next one would only be refused too.
    @Test func a_refusal_pauses_the_lane_whatever_became_of_the_record() throws {
        var outbox = Outbox(
            limits: Limits(), freshEpoch: EpochID(rawValue: 9), image: JournalImage())
        outbox.listedEpochs = 1
        _ = outbox.begin(RecordStageTests.Bench.greeting, isLossless: false)
        var ids: [RecordID] = []
        for byte in UInt8(1)...2 {
            ids.append(
                try outbox.accept(
                    RecordDraft(lane: .bulk, kind: .file, payload: [byte]), isReachable: true,
                    clock: WallTime(milliseconds: 0)))
            outbox.queuedIsDurable(ids[ids.count - 1])
        }
        var writer = WireWriter()
        _ = outbox.writeOffer(.bulk, to: &writer, room: 1_000, freshRoom: 1_000)
        var numbers = NumberRanges()
        numbers.insert(1)
        try outbox.receive(
            ReceiptFrame(lane: .bulk, stage: .applied, epochIndex: 0, numbers: numbers))
        var mayOffer = [outbox.hasOffer(.bulk)]
        let first = RecordAddress(epochIndex: 0, number: 1)
        try outbox.receive(TryLaterFrame(lane: .bulk, address: first, offers: 9))
        mayOffer.append(outbox.hasOffer(.bulk))
        outbox.receive(CreditFrame(lane: .bulk, offers: 10, bytes: 9_999))
        mayOffer.append(outbox.hasOffer(.bulk))
        #expect(mayOffer == [true, false, true])
    }

    /// A record below the one turned away leaves again, raise or not: late parts of its former
    /// offer may hold a place that only it can free. (Seed 212049.)
    @Test func a_record_below_those_turned_away_is_not_paused() throws {
        var outbox = Outbox(
            limits: Limits(), freshEpoch: EpochID(rawValue: 9), image: JournalImage())
        outbox.listedEpochs = 1
        _ = outbox.begin(RecordStageTests.Bench.greeting, isLossless: false)
        for byte in UInt8(1)...2 {
            let id = try outbox.accept(
                RecordDraft(lane: .bulk, kind: .file, payload: [byte]), isReachable: true,
                clock: WallTime(milliseconds: 0))
            outbox.queuedIsDurable(id)
        }
        func offered() -> [UInt64] {
            var numbers: [UInt64] = []
            var writer = WireWriter()
            while case .written(.record(_, let address)) = outbox.writeOffer(
                .bulk, to: &writer, room: 1_000, freshRoom: 1_000)
            {
                numbers.append(address.number)
            }
            return numbers
        }
        var order = [offered()]
        let addresses = (UInt64(1)...2).map { RecordAddress(epochIndex: 0, number: $0) }
        let credit = outbox.lanes[Int(Lane.bulk.rawValue)].creditOffers
        // The raise overtakes the refusal of the first, and the second is refused after it.
        outbox.receive(CreditFrame(lane: .bulk, offers: credit + 1, bytes: 9_999))
        try outbox.receive(TryLaterFrame(lane: .bulk, address: addresses[1], offers: credit + 1))
        try outbox.receive(TryLaterFrame(lane: .bulk, address: addresses[0], offers: credit))
        order.append(offered())
        outbox.receive(CreditFrame(lane: .bulk, offers: credit + 2, bytes: 9_999))
        order.append(offered())
        #expect(order == [[1, 2], [1], [2]])
    }
}
