import Testing
import WatchProtoRecords

@testable import FormerCore

/// Bodies of format 3, which sealed each payload and each name for itself: read as they were meant,
/// and refused in another place. Their bytes were written by the last version of that format.
@Suite struct FormatThreeTests {
    private let pairing = PairingID(rawValue: 7)
    private let key = RecordKey(rawValue: 0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210)
    private let act: UInt128 = 0xA1A2_A3A4_A5A6_A7A8_B1B2_B3B4_B5B6_B7B8

    private func id(_ epoch: UInt64, _ lane: Lane, _ number: UInt64) -> RecordID {
        RecordID(epoch: EpochID(rawValue: epoch), lane: lane, number: RecordNumber(number))
    }

    /// What was written as an image, and what followed it in the log's body.
    private var entries: (folded: [JournalEntry], forgotten: [JournalEntry]) {
        func theirs(_ number: UInt64, _ disposition: Disposition) -> JournalEntry {
            .received(
                InboundRecord(id: id(2, .context, number), kind: .opaque, key: key, payload: [1]),
                disposition)
        }
        var named = userInfo("act")
        named.idempotencyKey = act
        let value = RecordDraft(lane: .context, kind: .opaque, key: key, payload: [1])
        let removal = RecordDraft(lane: .context, kind: .medicationRemoval, key: key, payload: [])
        let inbound = InboundRecord(
            id: id(2, .background, 1), kind: .userInfo, key: nil, payload: [1], idempotencyKey: act)
        let folded: [JournalEntry] = [
            .epochOpened(
                EpochID(rawValue: 1), parent: nil,
                parentHighest: Lane.allCases.map { _ in RecordNumber(0) }),
            .counterpartEpoch(EpochID(rawValue: 2), rank: 1, parent: nil),
            .queued(OutboundRecord(id: id(1, .context, 1), draft: value)),
            .settled(id(1, .context, 1), .applied),
            .queued(OutboundRecord(id: id(1, .context, 2), draft: value)),
            .queued(OutboundRecord(id: id(1, .context, 3), draft: removal)),
            .queued(OutboundRecord(id: id(1, .background, 1), draft: named)),
            theirs(1, .applied), theirs(2, .pending),
            .received(inbound, .pending),
            .keyRemembered(act, inbound.id, .pending, at: WallTime(milliseconds: 5)),
            .adopted(
                JournalImage.OwnValue(
                    lane: .context, key: key, id: id(1, .context, 1), kind: .opaque, payload: [1])),
        ]
        return (
            folded,
            [.counterpartKeyForgotten(.context, key), .ownKeyForgotten(.context, key)]
        )
    }

    private var image: JournalImage { entries.folded.reduce(into: JournalImage()) { $0.apply($1) } }

    @Test func what_format_3_sealed_is_read_as_it_was_meant() throws {
        let coding = ToySeal.coding(pairing)
        #expect(try coding.entries(of: Self.body.span) == entries.folded + entries.forgotten)
        #expect(try coding.image(of: Self.image.span) == image)
        // And written without a seal of its own.
        let plain = JournalCoding(pairing: pairing)
        #expect(coding.encoded(image) == plain.encoded(image))
        #expect(try plain.image(of: coding.encoded(image).span) == image)
    }

    @Test(arguments: [(8, 0x5A), (7, 0x5B)] as [(UInt128, UInt8)])
    func what_was_sealed_for_another_place_or_key_is_refused(pairing: UInt128, key: UInt8) {
        let coding = ToySeal.coding(PairingID(rawValue: pairing), key: key)
        var error = #expect(throws: WireError.self) { try coding.entries(of: Self.body.span) }
        #expect(error?.rule == .doesNotOpen)
        error = #expect(throws: WireError.self) { try coding.image(of: Self.image.span) }
        #expect(error?.rule == .doesNotOpen)
    }

    /// Whoever has no key cannot write what is taken for sealed.
    @Test func an_altered_byte_is_refused_or_is_another_value() throws {
        let coding = ToySeal.coding(pairing)
        let whole = try coding.image(of: Self.image.span)
        for place in Self.image.indices {
            var bytes = Self.image
            bytes[place] ^= 1
            if let read = try? coding.image(of: bytes.span) {
                #expect(read != whole, "byte \(place)")
            }
        }
    }

    private static let body = bytes(
        """
        030101000000000000000000000000000602000000000000000100020301000000000000000100001b5a5b5b
        791f3dd3f197b5a486e0c22c0e684a5b435ec203967be32a0403010000000000000001000203010000000000
        00000200001b5a5b5b791f3dd3f197b5a486e0c22c0e684a5be07ff4e27a26f3cd0203010000000000000003
        03001a5a5b5b791f3dd3f197b5a486e0c22c0e684a01cae3ed83ededec020201000000000000000107001d5a
        58fbf8f9fefffcfdf2ebe8e9eeefecede23b392e10c435a71bd5123c080302000000000000000100001b5a5b
        5b791f3dd3f197b5a486e0c22c0e684a5bc0b1cedabbd7ef9d00080302000000000000000200001b5a5b5b79
        1f3dd3f197b5a486e0c22c0e684a5b23909cfbd62ce0fa01080202000000000000000107001b5a58fbf8f9fe
        fffcfdf2ebe8e9eeefecede25b937029d0f57806c9011002020000000000000001195afbf8f9fefffcfdf2eb
        e8e9eeefecede20943ed54ed1325160105000000000000000e03010000000000000001001b5a5b5b791f3dd3
        f197b5a486e0c22c0e684a5b435ec203967be32a0c03195a5b791f3dd3f197b5a486e0c22c0e684a546c1341
        7f3315e41303195a5b791f3dd3f197b5a486e0c22c0e684a079d7cf4a839312d
        """)
    private static let image = bytes(
        """
        0301010000000000000000000000000001010204010101000000000000000000000000000101020401010100
        00000000000000010301000000000000000100030201000000000000000107001d5a58fbf8f9fefffcfdf2eb
        e8e9eeefecede23b392e10c435a71bd5123c00000301000000000000000200001b5a5b5b791f3dd3f197b5a4
        86e0c22c0e684a5be07ff4e27a26f3cd00000301000000000000000303001a5a5b5b791f3dd3f197b5a486e0
        c22c0e684a01cae3ed83ededec00000103010000000000000001001b5a5b5b791f3dd3f197b5a486e0c22c0e
        684a5b435ec203967be32a0102000000000000000100010c0200020001000100010003000300020001000100
        01020302000000000000000101001b5a5b5b791f3dd3f197b5a486e0c22c0e684a5b92bae2dee9afbb010302
        000000000000000102001b5a5b5b791f3dd3f197b5a486e0c22c0e684a5b7170f3d3e0e8c0e2020302000000
        000000000200001b5a5b5b791f3dd3f197b5a486e0c22c0e684a5b23909cfbd62ce0fa020200000000000000
        0107001b5a58fbf8f9fefffcfdf2ebe8e9eeefecede25b937029d0f57806c901010000000000000000010200
        0000000000000100000102020000000000000001195afbf8f9fefffcfdf2ebe8e9eeefecede20943ed54ed13
        251601050000000000000000
        """)

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.filter(\.isHexDigit).map { UInt8($0.hexDigitValue!) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
