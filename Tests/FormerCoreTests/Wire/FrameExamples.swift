import WatchProtoRecords

@testable import FormerCore

/// One example of every frame, and of every form it can take. Their bytes are fixtures.
enum FrameExamples {
    static let all: [(name: String, frame: Frame)] = [
        ("padding", .padding(bytes: 3)),
        ("ping", .ping(PingFrame(token: 7, isPong: false))),
        ("pong", .ping(PingFrame(token: 300, isPong: true))),
        ("close", .close(CloseFrame(code: CloseCode.suspending.rawValue))),
        ("ack of one packet", .ack(ack([9...9], delay: 1_500))),
        ("ack with gaps", .ack(ack([1...3, 6...6, 9...20], delay: 0))),
        ("no early data", .early(early(0, .none, []))),
        ("early data taken", .early(early(0x1234_5678, .accepted, [0...1, 3...3]))),
        ("early data of a stale flight", .early(early(1, .stale(highest: 300), []))),
        ("next key", .nextKey),
        ("record, first of its lane", .record(ordered())),
        ("record after its predecessor", .record(ordered(predecessor: address(1, 41)))),
        ("record after one of an older epoch", .record(ordered(predecessor: address(0, 9)))),
        ("message that asks for a reply", .record(message(expectsReply: true))),
        ("reply", .record(message(inReplyTo: 12))),
        ("record with expiry and idempotency key", .record(expiring())),
        ("whole value with key and handle", .record(value(.whole, key: 0xFEED, handle: 5))),
        ("whole value, marked", .record(value(.whole, key: 0xFEED, handle: 5, marks: true))),
        (
            "delta by handle",
            .record(
                value(
                    .delta(baseNumberLow: 41, baseFingerprintLow: 0xBEEF), key: nil, handle: 5))
        ),
        ("empty value", .record(RecordFrame(head: keyedHead(.whole, 1, 0, false), body: []))),
        ("part", .part(part())),
        ("further part", .part(furtherPart(epoch: 0))),
        ("further part of a later epoch", .part(furtherPart(epoch: 1))),
        ("receipt, all up to 41", .receipt(receipt(.applied, [1...41]))),
        ("receipt with ranges", .receipt(receipt(.committed, [1...41, 43...43, 50...60]))),
        ("receipt with no floor", .receipt(receipt(.received, [5...6]))),
        ("floor", .floor(FloorFrame(lane: .context, floor: address(2, 1_000)))),
        ("credit", .credit(CreditFrame(lane: .bulk, offers: 16, bytes: 262_144))),
        (
            "try later",
            .tryLater(TryLaterFrame(lane: .background, address: address(1, 42), offers: 16))
        ),
        ("need base", .needBase(NeedBaseFrame(lane: .context, address: address(1, 42)))),
        ("outcome superseded", outcome(.superseded)), ("outcome cancelled", outcome(.cancelled)),
        ("outcome expired", outcome(.expired)), ("outcome rejected", outcome(.rejected(code: 513))),
        ("outcome unknown", outcome(.unknown)),
        ("outcome unknown of the largest numbers", outcome(.unknown, further: (1 << 62) - 43)),
        ("withdraw, cancelled", withdraw(isExpired: false)),
        ("withdraw, expired", withdraw(isExpired: true)),
        ("held query", .heldQuery(HeldQueryFrame(lane: .context))),
        (
            "held",
            .held(
                HeldFrame(
                    lane: .context, total: 300, start: 7,
                    entries: [
                        HeldFrame.Entry(
                            key: RecordKey(rawValue: 0xFEED), kind: .medication, fingerprintLow: 9)
                    ])
            )
        ),
        ("arrival", .arrival(ArrivalFrame(microseconds: 1_234_567, restoredPackets: 3))),
        (
            "arrival of the first packet",
            .arrival(ArrivalFrame(microseconds: 0, restoredPackets: 0))
        ),
        (
            "arrival, as late as can be told",
            .arrival(ArrivalFrame(microseconds: 1 << 50, restoredPackets: 1 << 50))
        ),
        ("parity of one packet", .parity(parity(first: 7, [[0x01, 0x07]], row: 0))),
        ("parity of three packets", .parity(parity(first: 300, flight, row: 0))),
        ("second parity of three packets", .parity(parity(first: 300, flight, row: 1))),
        (
            "last parity of the most packets",
            .parity(
                ParityFrame(
                    first: 1 << 62, count: ParityFrame.largestCount,
                    row: ParityFrame.largestRows - 1, bytes: [0, 0]))
        ),
        (
            "value query",
            .valueQuery(
                ValueQueryFrame(lane: .context, key: RecordKey(rawValue: 0xFEED), offset: 300))
        ),
        (
            "value",
            .value(
                ValueFrame(
                    lane: .context, key: RecordKey(rawValue: 0xFEED),
                    epoch: EpochID(rawValue: 0x1122), number: 41, kind: .medication,
                    totalBytes: 303, offset: 300, bytes: [7, 8, 9]))
        ),
        (
            "value, none held",
            .value(
                ValueFrame(
                    lane: .complication, key: RecordKey(rawValue: 1), epoch: nil, number: 0,
                    kind: .opaque, totalBytes: 0, offset: 0, bytes: []))
        ),
        (
            "value of the largest number, whole",
            .value(
                ValueFrame(
                    lane: .complication, key: RecordKey(rawValue: 1),
                    epoch: EpochID(rawValue: .max), number: RecordNumber.largest,
                    kind: .complication, totalBytes: 2, offset: 0, bytes: [1, 2]))
        ),
        ("skippable frame of a later version", .skipped(type: 0x41, bytes: 2)),
    ]

    static func address(_ epoch: Int, _ number: UInt64) -> RecordAddress {
        RecordAddress(epochIndex: epoch, number: number)
    }

    static func ranges(_ list: [ClosedRange<UInt64>]) -> NumberRanges {
        var set = NumberRanges()
        for range in list { set.insert(range) }
        return set
    }

    static func early(
        _ session: UInt32, _ verdict: EarlyVerdict, _ ranges: [ClosedRange<UInt64>]
    ) -> EarlyFrame {
        var taken = NumberRanges()
        for range in ranges { taken.insert(range) }
        return EarlyFrame(session: session, verdict: verdict, taken: taken)
    }

    /// Packets of a ping, a pong and a floor: the example of the wire article.
    static let flight: [[UInt8]] = [[0x01, 0x07], [0x02, 0xAC, 0x02], [0x13, 0x02, 0x01, 0x2A]]

    private static func parity(first: UInt64, _ packets: [[UInt8]], row: Int) -> ParityFrame {
        var encoder = ParityEncoder()
        for (place, frames) in packets.enumerated() {
            encoder.add(first + UInt64(place), frames, isUrgent: false)
        }
        return encoder.frame(row: row)
    }

    private static func ack(_ list: [ClosedRange<UInt64>], delay: UInt64) -> AckFrame {
        AckFrame(packets: ranges(list), delayMicroseconds: delay)
    }

    private static func receipt(_ stage: Stage, _ list: [ClosedRange<UInt64>]) -> ReceiptFrame {
        ReceiptFrame(lane: .background, stage: stage, epochIndex: 1, numbers: ranges(list))
    }

    private static func ordered(predecessor: RecordAddress? = nil) -> RecordFrame {
        var head = RecordHead(lane: .background, address: address(1, 42), kind: .userInfo)
        head.predecessor = predecessor
        return RecordFrame(head: head, body: Array("taken".utf8))
    }

    private static func message(
        expectsReply: Bool = false, inReplyTo: UInt64? = nil
    ) -> RecordFrame {
        var head = RecordHead(lane: .interactive, address: address(0, 3), kind: .message)
        head.expectsReply = expectsReply
        head.inReplyTo = inReplyTo.map { RecordNumber($0) }
        return RecordFrame(head: head, body: [1, 2, 3])
    }

    private static func expiring() -> RecordFrame {
        var head = RecordHead(lane: .background, address: address(1, 42), kind: .doseEvent)
        head.expiresAt = WallTime(milliseconds: 1_772_136_000_000)
        head.idempotencyKey = 0x0011_2233_4455_6677_8899_AABB_CCDD_EEFF
        return RecordFrame(head: head, body: [0xFF])
    }

    private static func keyedHead(
        _ form: RecordHead.Form, _ key: UInt128?, _ handle: UInt64, _ marks: Bool
    ) -> RecordHead {
        var head = RecordHead(lane: .context, address: address(1, 42), kind: .medication)
        head.form = form
        head.key = key.map { RecordKey(rawValue: $0) }
        head.handle = handle
        head.marksBase = marks
        return head
    }

    private static func value(
        _ form: RecordHead.Form, key: UInt128?, handle: UInt64, marks: Bool = false
    ) -> RecordFrame {
        RecordFrame(head: keyedHead(form, key, handle, marks), body: [0xAA, 0xBB])
    }

    private static func part() -> PartFrame {
        PartFrame(
            lane: .bulk, address: address(1, 42), totalBytes: 100_000, offset: 16_000,
            bytes: [9, 8, 7])
    }

    private static func furtherPart(epoch: Int) -> PartFrame {
        PartFrame(
            lane: .bulk, address: address(epoch, 42), totalBytes: nil, offset: 16_000,
            bytes: [9, 8, 7])
    }

    private static func outcome(_ outcome: Outcome, further: UInt64 = 0) -> Frame {
        .outcome(
            OutcomeFrame(
                lane: .background, address: address(1, 42), outcome: outcome, further: further))
    }

    private static func withdraw(isExpired: Bool) -> Frame {
        .withdraw(
            WithdrawFrame(lane: .background, address: address(1, 42), isExpired: isExpired))
    }
}
