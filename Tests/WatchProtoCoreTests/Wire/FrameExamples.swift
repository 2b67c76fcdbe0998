@testable import WatchProtoCore

/// One frame of the fixture, and its fields in words.
struct FrameExample {
    let frame: Frame
    /// `field=value`, separated by spaces. Numbers are decimal, bytes and 128-bit names
    /// hexadecimal; a range is first-last, a list is separated by commas.
    let fields: String
    /// The rules that the example shows.
    let rules: String

    init(_ frame: Frame, _ fields: String, _ rules: String = "") {
        self.frame = frame
        self.fields = fields
        self.rules = rules
    }

    private static let key = RecordKey(rawValue: 0x0011_2233_4455_6677_8899_AABB_CCDD_EEFF)
    private static let keyText = "00112233445566778899aabbccddeeff"
    private static let epoch = EpochID(rawValue: 0x0102_0304_0506_0708)
    private static let other = EpochID(rawValue: 0xA1A2_A3A4_A5A6_A7A8)
    private static let name = ValueName(channel: .context, key: key)

    private static func ranges(_ all: ClosedRange<UInt64>...) -> NumberRanges {
        var ranges = NumberRanges()
        for range in all { ranges.insert(range) }
        return ranges
    }

    private static func at(_ index: Int, _ number: UInt64) -> RecordAddress {
        RecordAddress(epochIndex: index, number: number)
    }

    static let all: [FrameExample] = session + ordered + statements + values + lossy

    private static let session = [
        FrameExample(.padding, "padding"),
        FrameExample(.ping(PingFrame(token: 300, isPong: false)), "ping token=300", "F-5 W-3"),
        FrameExample(
            .ping(PingFrame(token: .max, isPong: true)), "pong token=\(UInt64.max)", "F-5"),
        FrameExample(.close(CloseFrame(code: .violation)), "close code=2", "F-6"),
        FrameExample(.close(CloseFrame(code: CloseCode(rawValue: 200))), "close code=200", "F-2"),
        FrameExample(.keyUpdate, "keyUpdate", "F-7"),
        FrameExample(
            .earlyData(EarlyDataFrame(counter: 9, answer: .accepted(NumberRanges()))),
            "earlyData counter=9 answer=0", "F-9"),
        FrameExample(
            .earlyData(EarlyDataFrame(counter: 300, answer: .accepted(ranges(0...1, 511...511)))),
            "earlyData counter=300 answer=1 packets=0-1,511-511", "F-9 F-10"),
        FrameExample(
            .earlyData(EarlyDataFrame(counter: 9, answer: .rejected)),
            "earlyData counter=9 answer=2", "F-9"),
        FrameExample(.position(PositionFrame(position: 129)), "position position=129", "I-2"),
        FrameExample(
            .epochs(
                EpochsFrame(
                    first: 3,
                    epochs: [
                        ListedEpoch(id: epoch, announcedEnd: nil, numbers: []),
                        ListedEpoch(
                            id: other, announcedEnd: 200,
                            numbers: [
                                .init(channel: .background, last: 7, watermark: 5),
                                .init(channel: .bulk, last: 1, watermark: 0),
                                .init(channel: .urgent, last: 2, watermark: 2),
                            ]),
                    ])),
            "epochs first=3 epochs=0102030405060708;a1a2a3a4a5a6a7a8/200/2:5-7/4:0-1/5:2-2",
            "F-11 I-71"),
        FrameExample(
            .ticketAnswer(TicketAnswerFrame(answer: .heldBehind)), "ticketAnswer answer=4", "I-64"),
        FrameExample(
            .ticketAnswer(
                TicketAnswerFrame(
                    answer: .held,
                    held: HeldPresentation(
                        top: VersionMark(epoch: epoch, version: 300), digest: 0x55))),
            "ticketAnswer answer=1 top=0102030405060708/300 digest=0000000000000055", "W-26"),
    ]

    private static let ordered = [
        FrameExample(
            .record(
                RecordFrame(
                    channel: .background, address: at(0, 1), kind: ContentKind(rawValue: 7),
                    payload: [1, 2, 3])),
            "record channel=2 epoch=0 number=1 kind=7 payload=010203", "W-21"),
        FrameExample(
            .record(
                modified(
                    RecordFrame(
                        channel: .bulk, address: at(2, 300), predecessor: at(2, 297),
                        kind: .opaque, payload: [])
                ) { frame in
                    frame.expiresAt = WallTime(milliseconds: -2)
                    frame.idempotencyKey = key.rawValue
                }),
            "record channel=4 epoch=2 number=300 predecessor=2/297 kind=0 expiry=-2 "
                + "idempotencyKey=\(keyText) payload=", "OC-1 F-13"),
        FrameExample(
            .record(
                modified(
                    RecordFrame(
                        channel: .interactive, address: at(0, 2), predecessor: at(1023, 5),
                        kind: ContentKind(rawValue: 1), payload: [0xFF])
                ) { frame in
                    frame.expectsReply = true
                    frame.inReplyTo = RecordNumber(9)
                }),
            "record channel=0 epoch=0 number=2 predecessor=1023/5 kind=1 expectsReply=1 "
                + "inReplyTo=9 payload=ff", "F-12 F-13"),
        FrameExample(
            .fragment(
                FragmentFrame(
                    channel: .bulk, address: at(1, 4), totalBytes: 1000, offset: 0,
                    bytes: [9, 8])),
            "fragment channel=4 epoch=1 number=4 total=1000 offset=0 piece=0908", "F-14"),
        FrameExample(
            .fragment(
                FragmentFrame(
                    channel: .context, address: at(0, 4), totalBytes: nil, offset: 200,
                    bytes: [9, 8])),
            "furtherFragment channel=3 epoch=0 number=4 offset=200 piece=0908", "F-15"),
        FrameExample(
            .fragment(
                FragmentFrame(
                    channel: .bulk, address: at(1, 4), totalBytes: nil, offset: 200, bytes: [7])),
            "furtherFragment channel=4 epoch=1 number=4 offset=200 piece=07", "F-15"),
        FrameExample(
            .credit(CreditFrame(channel: .background, records: 1024, bytes: 1 << 20)),
            "credit channel=2 records=1024 bytes=1048576", "OC-25"),
        FrameExample(
            .tryLater(TryLaterFrame(channel: .bulk, address: at(0, 17), records: 16)),
            "tryLater channel=4 epoch=0 number=17 records=16", "OC-30"),
        FrameExample(
            .cancel(
                CancelFrame(
                    channel: .background, address: at(0, 5), predecessor: at(1, 2),
                    isExpired: true)),
            "cancel channel=2 expired=1 epoch=0 number=5 predecessor=1/2", "OC-37 OC-39"),
        FrameExample(
            .received(ReceivedFrame(channel: .background, address: at(0, 5))),
            "received channel=2 epoch=0 number=5", "OC-13"),
    ]

    private static let statements = [
        FrameExample(
            .acknowledgement(
                AcknowledgementFrame(
                    channel: .background, isApplied: true, epochIndex: 0,
                    numbers: ranges(1...3, 5...5, 300...301))),
            "acknowledgement channel=2 applied=1 epoch=0 numbers=1-3,5-5,300-301", "F-16"),
        FrameExample(
            .acknowledgement(
                AcknowledgementFrame(
                    channel: .bulk, isApplied: false, epochIndex: 1023, numbers: ranges(7...7))),
            "acknowledgement channel=4 applied=0 epoch=1023 numbers=7-7", "F-17"),
        FrameExample(
            .outcome(
                OutcomeFrame(
                    channel: .background, epochIndex: 1, numbers: 4...9, word: .skipped)),
            "outcome channel=2 epoch=1 numbers=4-9 outcome=1", "F-18"),
        FrameExample(
            .outcome(
                OutcomeFrame(
                    channel: .background, epochIndex: 0, numbers: 4...4,
                    word: .rejected(code: 513))),
            "outcome channel=2 epoch=0 numbers=4-4 outcome=4 code=513", "F-18"),
        FrameExample(
            .watermark(WatermarkFrame(channel: .background, address: at(0, 12))),
            "watermark channel=2 epoch=0 number=12", "F-19"),
        FrameExample(
            .epochList(EpochListFrame(type: .epochOver, epochs: [epoch, other])),
            "epochOver epochs=0102030405060708,a1a2a3a4a5a6a7a8", "F-21"),
        FrameExample(
            .epochList(EpochListFrame(type: .epochClosed, epochs: [epoch])),
            "epochClosed epochs=0102030405060708", "F-21"),
        FrameExample(
            .epochList(EpochListFrame(type: .epochsKnown, epochs: [epoch])),
            "epochsKnown epochs=0102030405060708", "F-21"),
        FrameExample(
            .epochHeld(
                EpochHeldFrame(
                    epoch: epoch,
                    parts: [
                        .init(channel: .background, through: 9, watermark: 7),
                        .init(channel: .bulk, through: 0, watermark: 0),
                        .init(channel: .urgent, through: 3, watermark: 1),
                    ])),
            "epochHeld epoch=0102030405060708 parts=2:9/7,4:0/0,5:3/1", "F-20"),
    ]

    private static let values = [
        FrameExample(
            .value(
                ValueFrame(
                    channel: .context, address: at(0, 300), kind: ContentKind(rawValue: 2),
                    key: key, body: [5, 6])),
            "value channel=3 epoch=0 version=300 kind=2 key=\(keyText) body=0506", "F-22"),
        FrameExample(
            .value(
                modified(
                    ValueFrame(
                        channel: .complication, address: at(1, 8), kind: ContentKind(rawValue: 5),
                        key: nil, body: [1])
                ) { frame in
                    frame.handle = 200
                    frame.isDelta = true
                    frame.base = ValueFrame.Base(version: 0x107, payload: [1, 2, 3])
                }),
            "value channel=1 delta=1 epoch=1 version=8 kind=5 handle=200 base=7/\(baseLow) body=01",
            "F-22"),
        FrameExample(
            .value(
                modified(
                    ValueFrame(
                        channel: .context, address: at(0, 8), kind: ContentKind(rawValue: 2),
                        key: key, body: [1])
                ) { frame in
                    frame.handle = 0
                    frame.marksBase = true
                    frame.base = ValueFrame.Base(version: 0x107, payload: [1, 2, 3])
                    frame.expiresAt = WallTime(milliseconds: 1_800_000_000_000)
                }),
            "value channel=3 marks=1 epoch=0 version=8 kind=2 key=\(keyText) handle=0 "
                + "expiry=1800000000000 base=7/\(baseLow) body=01", "F-22"),
        FrameExample(
            .values(
                modified(ValuesFrame()) { frame in
                    frame.first = at(0, 300)
                    frame.kind = ContentKind(rawValue: 12)
                    frame.firstHandle = 7
                    frame.firstKey = key
                    frame.further = [.init(step: 0, key: key), .init(step: 200, key: key)]
                    frame.body = [1, 2]
                }),
            "values channel=3 epoch=0 version=300 kind=12 handle=7 key=\(keyText) "
                + "further=0/\(keyText),200/\(keyText) body=0102", "F-30"),
        FrameExample(
            .needBase(NeedBaseFrame(subject: .key(name))), "needBase channel=3 key=\(keyText)",
            "L-22"),
        FrameExample(
            .needBase(NeedBaseFrame(subject: .handle(.complication, 200))),
            "needBase channel=1 handle=200", "L-23"),
        FrameExample(
            .needBase(NeedBaseFrame(subject: .version(.context, 9))),
            "needBase channel=3 version=9",
            "L-24"),
        FrameExample(
            .heldQuery(
                HeldQueryFrame(
                    wantsDigest: true, listing: 2,
                    ranges: [
                        .init(range: .init(number: 18)),
                        .init(range: .init(number: 0x123), wantsEntries: true),
                    ], epochs: [epoch])),
            "heldQuery wants=3 listing=2 ranges=18,291+ epochs=0102030405060708", "F-25 F-31"),
        FrameExample(
            .valueQuery(ValueQueryFrame(name: name, offset: 500)),
            "valueQuery channel=3 key=\(keyText) offset=500", "F-23"),
        FrameExample(.nothingLost(NothingLostFrame()), "nothingLost", "L-14"),
        FrameExample(
            .valueAcknowledgement(
                ValueAcknowledgementFrame(
                    isApplied: true, versions: ranges(4...5, 9...9))),
            "valueAcknowledgement level=1 versions=4-5,9-9", "F-24"),
        FrameExample(
            .valueOutcome(ValueOutcomeFrame(version: 5, rejection: nil)),
            "valueOutcome outcome=0 version=5", "L-34"),
        FrameExample(
            .valueOutcome(ValueOutcomeFrame(version: 5, rejection: 513)),
            "valueOutcome outcome=1 version=5 code=513", "L-31"),
        FrameExample(.mended(MendedFrame()), "mended", "L-14"),
        FrameExample(
            .heldDigest(
                HeldDigestFrame(digest: 0x0102, epochs: [.init(id: epoch, isKnown: true)])),
            "heldDigest digest=0000000000000102 epochs=0102030405060708/1", "L-35"),
        FrameExample(
            .held(
                HeldFrame(
                    listing: 2, watermark: 4, range: .init(number: 18), total: 3, start: 0,
                    entries: [
                        .init(
                            name: name, version: 9, disposition: .applied, isRemoval: false,
                            fingerprint: 0x0807_0605_0403_0201),
                        .init(
                            name: name, version: 10, disposition: .rejected(code: 513),
                            isRemoval: false, fingerprint: nil),
                        .init(
                            name: name, version: 11, disposition: .pending, isRemoval: true,
                            fingerprint: 1),
                    ])),
            "held listing=2 watermark=4 range=18 total=3 first=0 entries="
                + "3:\(keyText):9:0:0807060504030201;3:\(keyText):10:2/513;"
                + "3:\(keyText):11:1:0000000000000001:removal",
            "F-26 F-27"),
        FrameExample(
            .heldValue(HeldValueFrame(name: name, version: 0, piece: nil)),
            "heldValue channel=3 key=\(keyText) version=0", "F-23"),
        FrameExample(
            .heldValue(
                HeldValueFrame(
                    name: name, version: 9,
                    piece: .init(
                        kind: ContentKind(rawValue: 2), totalBytes: 300, offset: 200, bytes: [7]))),
            "heldValue channel=3 key=\(keyText) version=9 kind=2 total=300 offset=200 piece=07",
            "F-27"),
        FrameExample(
            .removalWatermark(RemovalWatermarkFrame(version: 70)), "removalWatermark version=70",
            "L-41"),
        FrameExample(
            .heldRanges(
                HeldRangesFrame(
                    listing: 2, digest: 0x0102, parts: (0..<16).map { UInt16($0 * 257) })),
            "heldRanges listing=2 range=1 digest=0000000000000102 parts="
                + "0000,0101,0202,0303,0404,0505,0606,0707,"
                + "0808,0909,0a0a,0b0b,0c0c,0d0d,0e0e,0f0f", "F-31"),
        FrameExample(
            .heldRanges(HeldRangesFrame(listing: 2, range: .init(number: 18))),
            "heldRanges listing=2 range=18 parts="
                + "0000,0000,0000,0000,0000,0000,0000,0000,"
                + "0000,0000,0000,0000,0000,0000,0000,0000", "F-31"),
    ]

    private static let lossy = [
        FrameExample(
            .ack(AckFrame(packets: ranges(0...1, 3...5, 8...8), delayMicroseconds: 300)),
            "ack delay=300 packets=0-1,3-5,8-8", "F-8 LR-3"),
        FrameExample(
            .arrival(ArrivalFrame(microseconds: 1 << 50, recoveredPackets: 2)),
            "arrival microseconds=\(UInt64(1) << 50) recovered=2", "LR-6 F-3"),
        FrameExample(
            .repair(RepairFrame(first: 300, count: 3, index: 0, bytes: [0xBE, 0, 0x56])),
            "repair first=300 packets=3 index=0 combination=be0056", "LR-8 F-3"),
    ]

    private static var baseLow: UInt16 {
        ValueFrame.Base(version: 0, payload: [1, 2, 3]).fingerprintLow
    }

    private static func modified<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
        var value = value
        change(&value)
        return value
    }
}
