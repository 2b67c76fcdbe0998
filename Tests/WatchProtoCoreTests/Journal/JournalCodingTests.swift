import Testing

@testable import WatchProtoCore

/// One entry of each kind, with every optional part present in one and absent in another.
enum JournalSamples {
    static let epoch = EpochID(rawValue: 0x0102_0304_0506_0708)

    static func id(_ channel: Channel, _ number: UInt64) -> RecordID {
        RecordID(epoch: epoch, channel: channel, number: RecordNumber(number))
    }

    static let full = OutboundRecord(
        id: id(.background, 300),
        draft: RecordDraft(
            channel: .background, kind: ContentKind(rawValue: 9), payload: [1, 2, 3],
            expiresAt: WallTime(milliseconds: -5), idempotencyKey: 77, expectsReply: true,
            inReplyTo: RecordNumber(4)),
        acceptedAt: WallTime(milliseconds: 1_700_000_000_000))

    static let value = OutboundRecord(
        id: id(.context, 1),
        draft: RecordDraft(
            channel: .context, kind: .opaque, key: RecordKey(rawValue: 5), payload: []),
        acceptedAt: WallTime(milliseconds: 0))

    static let inbound = InboundRecord(
        id: id(.context, 12), kind: .opaque, key: RecordKey(rawValue: .max), payload: [9])

    static let all: [JournalEntry] = [
        .opened(epoch, reservationEnd: 64),
        .ticketEntered(
            TicketEntry(
                ticket: Ticket(rawValue: .max), promotesPending: true,
                abandoned: [Ticket(rawValue: 1), Ticket(rawValue: 2)], counterpartCounter: 9,
                counterpartLostState: true)),
        .ticketEntered(
            TicketEntry(
                ticket: Ticket(rawValue: 3), promotesPending: false, abandoned: [],
                counterpartCounter: 0, counterpartLostState: false)),
        .ticketProgress(own: 300, counterpart: nil),
        .ticketProgress(own: 1, counterpart: 0),
        .counters(reserved: 64, counterpart: 3),
        .epoch(epoch, .confirmed), .epoch(epoch, .gone), .epoch(epoch, .known),
        .epoch(epoch, .closed),
        .queued(full), .queued(value),
        .cancellationAsked(id(.bulk, 1), .expired),
        .committedThere(id(.background, 2)),
        .settled(id(.background, 2), .applied), .settled(id(.background, 3), .superseded),
        .settled(id(.background, 4), .cancelled), .settled(id(.background, 5), .unknown),
        .settled(id(.background, 6), .rejected(code: 513)),
        .settled(id(.background, 7), .outcomeUnknown),
        .settled(id(.background, 8), .notDelivered),
        .tailLost(epoch, .bulk, last: 19),
        .numbered(epoch, .background, last: 5),
        .ended(id(.background, 3), count: 4096, .rejected(code: 4), isLostSince: false),
        .ended(id(.context, 3), count: 1, .applied, isLostSince: true),
        .value(value, nil, seen: 0), .value(value, .applied, seen: 7),
        .removalWatermark(1000),
        .received(inbound, .applied, at: WallTime(milliseconds: 2)),
        .received(inbound, .rejected(code: 1), at: WallTime(milliseconds: -2)),
        .decided(id(.background, 3), .pending),
        .passed(epoch, .background, first: 3, last: 3, .cancelled),
        .passed(epoch, .background, first: 4, last: 9, nil),
        .passed(epoch, .bulk, first: 1, last: 300, .rejected(code: 7)),
        .held(inbound, followers: []),
        .held(inbound, followers: [id(.background, 4), id(.background, 6)]),
        .key(.max, id(.background, 2), .pending, at: WallTime(milliseconds: 5)),
        .repeated(id(.background, 4), of: id(.background, 3), .pending),
        .watermark(epoch, .background, 0),
        .counterpartRemovalWatermark(7, epoch),
        .topMoved(epoch),
        .pathMeasured(
            PathMemory(
                bytesPerSecond: 125_000, roundTripMicroseconds: 30_000, lossPerTenThousand: 50)!),
        .address(PathAddress(host: 1 << 100 | 7, port: .max)),
    ]
}

@Suite("Journal bodies")
struct JournalCodingTests {
    private func body(_ entries: [JournalEntry]) -> [UInt8] {
        var body = JournalCoding.emptyBody
        JournalCoding.append(entries, to: &body)
        return body
    }

    @Test("Every kind of entry survives a round trip")
    func roundTrip() throws {
        #expect(try JournalCoding.entries(of: body(JournalSamples.all).span) == JournalSamples.all)
    }

    @Test("The samples hold an entry of each of the 25 codes")
    func samplesAreComplete() {
        let codes = Set(JournalSamples.all.map { body([$0])[1] })
        #expect(codes == Set(1...25))
    }

    @Test("A body that is cut anywhere inside an entry is refused")
    func truncation() {
        for entry in JournalSamples.all {
            let whole = body([entry])
            for count in 2..<whole.count {
                #expect(throws: WireError.self) {
                    try JournalCoding.entries(of: Array(whole.prefix(count)).span)
                }
            }
        }
    }

    @Test("A changed byte yields other entries or an error, and never the same entries")
    func alteration() {
        let whole = body(JournalSamples.all)
        for index in whole.indices {
            var altered = whole
            altered[index] ^= 0x41
            let entries = try? JournalCoding.entries(of: altered.span)
            #expect(entries != JournalSamples.all)
        }
    }

    @Test("Another version of the format is refused with the version that was found")
    func otherVersion() {
        let error = #expect(throws: WireError.self) {
            try JournalCoding.entries(of: [UInt8](arrayLiteral: 2, 13, 1).span)
        }
        #expect(error?.found == 2 && error?.rule == .unknownCode)
    }

    @Test("An epoch of zero is refused")
    func zeroEpoch() {
        #expect(throws: WireError.self) {
            try JournalCoding.entries(of: [UInt8]([1, 20] + [UInt8](repeating: 0, count: 8)).span)
        }
    }
}
