import Testing

@testable import FormerCore

/// Journals as bytes: what was written is what is read, and nothing else is read.
@Suite struct JournalCodingTests {
    private static let pairing = PairingID(rawValue: 7)
    private let plain = JournalCoding(pairing: pairing)

    private func fold(_ entries: [JournalEntry]) -> JournalImage {
        entries.reduce(into: JournalImage()) { $0.apply($1) }
    }

    private func body(_ entries: [JournalEntry], _ coding: JournalCoding) -> [UInt8] {
        var body = JournalCoding.emptyBody
        coding.append(entries, to: &body)
        return body
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func entries_written_read_and_folded_equal_those_folded_directly(seed: UInt64) throws {
        var samples = JournalSamples(seed: seed)
        let entries = samples.entries(Int(samples.random.uniform(in: 0...120)))
        let read = try plain.entries(of: body(entries, plain).span)
        #expect(read == entries)
        #expect(fold(read) == fold(entries))
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func an_image_written_and_read_is_the_same_and_goes_on_the_same(seed: UInt64) throws {
        var samples = JournalSamples(seed: seed)
        let before = samples.entries(Int(samples.random.uniform(in: 0...200)))
        let after = samples.entries(60)
        var image = fold(before)
        let bytes = plain.encoded(image)
        var read = try plain.image(of: bytes.span)
        #expect(read == image)
        #expect(plain.encoded(read) == bytes)
        for entry in after { read.apply(entry) }
        var direct = image
        for entry in after { direct.apply(entry) }
        #expect(read == direct)
        for entry in after { image.apply(entry) }
        #expect(image == fold(before + after))
    }

    @Test func an_image_remembers_as_many_outcomes_as_the_log() throws {
        var image = JournalImage()
        for number in 1...UInt64(OutcomeLog.capacity + 10) {
            let id = RecordID(
                epoch: EpochID(rawValue: 1), lane: .background, number: RecordNumber(number))
            image.apply(.settled(id, .expired))
        }
        let read = try plain.image(of: plain.encoded(image).span)
        #expect(read == image)
        #expect(read.outcomes.entries.count == OutcomeLog.capacity)
        #expect(read.outcomes.entries.first?.id.number == RecordNumber(11))
    }

    @Test func images_that_differ_are_not_equal() {
        var samples = JournalSamples(seed: 3)
        let image = fold(samples.entries(80))
        for _ in 0..<200 {
            var other = image
            let entry = samples.entry()
            other.apply(entry)
            #expect((other == image) == (plain.encoded(other) == plain.encoded(image)))
        }
    }

    // MARK: Refusals

    @Test func every_cut_is_refused_or_ends_between_entries() throws {
        var samples = JournalSamples(seed: 11)
        let entries = samples.entries(60)
        var ends: Set<Int> = [1]
        var growing = JournalCoding.emptyBody
        for entry in entries {
            plain.append([entry], to: &growing)
            ends.insert(growing.count)
        }
        for count in 0..<growing.count {
            let cut = Array(growing[..<count])
            let isRead = (try? plain.entries(of: cut.span)) != nil
            #expect(isRead == ends.contains(count), "cut after \(count) bytes")
        }
        let image = plain.encoded(fold(entries))
        for count in 0..<image.count {
            #expect(throws: WireError.self) { try plain.image(of: Array(image[..<count]).span) }
        }
        #expect(throws: WireError.self) { try plain.image(of: (image + [0]).span) }
    }

    @Test func an_altered_byte_is_refused_or_is_another_value() throws {
        var samples = JournalSamples(seed: 12)
        let entries = samples.entries(40)
        let log = body(entries, plain)
        let image = fold(entries)
        let whole = plain.encoded(image)
        for _ in 0..<3_000 {
            var bytes = samples.random.chance(0.5) ? log : whole
            let isLog = bytes == log
            let place = Int(samples.random.uniform(in: 0...UInt64(bytes.count - 1)))
            bytes[place] ^= UInt8(1 << samples.random.uniform(in: 0...7))
            if isLog {
                if let read = try? plain.entries(of: bytes.span) {
                    #expect(read != entries)
                    #expect(body(read, plain) == bytes)
                }
            } else if let read = try? plain.image(of: bytes.span) {
                #expect(read != image)
                // Records stand in an image in no order that matters, and are written in one.
                let again = plain.encoded(read)
                #expect(again.sorted() == bytes.sorted())
                #expect(try plain.image(of: again.span) == read)
            }
        }
    }

    /// What stands in the bytes, the rule it breaks, and where.
    static let refused: [(String, [UInt8], WireError.Rule, Int)] = [
        ("nothing", [], .truncated, 0),
        ("a newer format", [8], .unknownCode, 0),
        ("entry 0", [1, 0], .unknownCode, 1),
        ("entry 26", [7, 26], .unknownCode, 1),
        (
            "three former openings",
            [7, 24] + epoch + [3] + epoch + epoch + epoch, .outOfRange, 10
        ),
        ("an opening named twice", [7, 24] + epoch + [2] + epoch + epoch, .outOfRange, 19),
        ("opening 0", [7, 25] + [UInt8](repeating: 0, count: 8), .outOfRange, 2),
        ("entry 22", [4, 22], .unknownCode, 1),
        ("entry 21 in format 3", [3, 21, 1], .unknownCode, 1),
        ("entry 20 in format 3", [3, 20, 1], .unknownCode, 1),
        ("entry 19 in format 2", [2, 19], .unknownCode, 1),
        ("entry 18 in format 2", [2, 18], .unknownCode, 1),
        ("a key in clear in format 3", [3, 2, 2] + epoch + [1, 0, 1], .unknownCode, 13),
        ("no names", [3, 2, 2] + epoch + [1, 0, 0, 0], .unknownCode, 14),
        ("names 4", [3, 2, 2] + epoch + [1, 0, 0, 1, 4], .unknownCode, 14),
        ("a key cut short", [3, 2, 2] + epoch + [1, 0, 0, 3, 1, 7, 7], .unknownCode, 14),
        ("a forgotten key of one byte", [3, 12, 3, 1, 7], .outOfRange, 3),
        ("a value without a key", [3, 14, 3] + epoch + [1, 0, 1, 0], .notCanonical, 13),
        (
            "a named payload beyond its lane",
            [3, 2, 1] + epoch + [1, 0, 0, 0x82, 0x20] + [UInt8](repeating: 0, count: 4098),
            .outOfRange, 14
        ),
        (
            "a named payload beyond its lane, and no room for a seal",
            [4, 2, 1] + epoch + [1, 0, 0, 0xA2, 0x20] + [UInt8](repeating: 0, count: 4130),
            .outOfRange, 14
        ),
        ("taken back as applied", [3, 18, 2] + epoch + [1, 0], .notCanonical, 12),
        ("entry 16 in format 1", [1, 16], .unknownCode, 1),
        ("entry 17 in format 1", [1, 17], .unknownCode, 1),
        ("a lane too many", [1, 3, 5] + epoch + [1, 0], .unknownCode, 2),
        ("number 0", [1, 3, 2] + epoch + [0, 0], .outOfRange, 11),
        ("the last number of all", [1, 3, 2] + epoch + last + [0], .outOfRange, 11),
        ("an overlong number", [1, 3, 2] + epoch + [0x81, 0, 0], .overlong, 11),
        ("stage 5", [1, 3, 2] + epoch + [1, 5], .unknownCode, 12),
        ("outcome 8", [1, 4, 2] + epoch + [1, 8], .unknownCode, 12),
        ("a rejection without a code", [1, 4, 2] + epoch + [1, 4, 9], .truncated, 13),
        ("disposition 3", [1, 9, 2] + epoch + [1, 3], .unknownCode, 12),
        ("a rank above 2^62", [1, 6] + epoch + aboveRanks, .outOfRange, 10),
        ("parent flag 2", [1, 1] + epoch + [2], .unknownCode, 10),
        ("record flag 6", [2, 2, 2] + epoch + [1, 0, 0x40], .unknownCode, 13),
        ("record flag 5 in format 1", [1, 2, 2] + epoch + [1, 0, 0x20], .unknownCode, 13),
        (
            "a key from the counterpart in format 1", [1, 8, 2] + epoch + [1, 0, 4], .unknownCode,
            13
        ),
        ("an expiry from the counterpart", [1, 8, 2] + epoch + [1, 0, 2], .unknownCode, 13),
        (
            "a payload beyond its lane and any seal",
            [1, 2, 1] + epoch + [1, 0, 0, 0x81, 0x28] + [UInt8](repeating: 0, count: 5121),
            .outOfRange, 14
        ),
        (
            "a payload beyond its lane",
            [1, 2, 1] + epoch + [1, 0, 0, 0x81, 0x20] + [UInt8](repeating: 0, count: 4097),
            .outOfRange, 14
        ),
    ]
    private static let epoch: [UInt8] = [9, 0, 0, 0, 0, 0, 0, 0]
    private static let aboveRanks: [UInt8] = [0x81] + [UInt8](repeating: 0x80, count: 7) + [0x40]
    private static let last: [UInt8] = [UInt8](repeating: 0xFF, count: 9) + [1]

    @Test(arguments: refused.indices)
    func refused_entries(_ index: Int) throws {
        let (name, bytes, rule, offset) = Self.refused[index]
        let error = #expect(throws: WireError.self, "\(name)") {
            try plain.entries(of: bytes.span)
        }
        #expect(error?.rule == rule && error?.offset == offset, "\(name): \(error as Any)")
    }

    @Test func an_image_holds_each_key_and_identity_only_once() throws {
        var image = JournalImage()
        let id = RecordID(epoch: EpochID(rawValue: 9), lane: .background, number: RecordNumber(1))
        image.apply(.settled(id, .expired))
        let good = plain.encoded(image)
        // version, no own epochs, no newest, none confirmed, then the outcomes.
        let outcome = Array(good[5..<16])
        #expect(good == [7, 0, 0, 0, 1] + outcome + [UInt8](repeating: 0, count: 17))
        let twice = [7, 0, 0, 0, 2] + outcome + outcome + [UInt8](repeating: 0, count: 17)
        let error = #expect(throws: WireError.self) { try plain.image(of: twice.span) }
        #expect(error?.rule == .notCanonical && error?.offset == 16)
    }

    @Test func what_format_1_wrote_is_read_as_it_was_meant() throws {
        // A queued record, "hi", that has an idempotency key and expires.
        let key: [UInt8] = [UInt8](repeating: 7, count: 16)
        let log: [UInt8] =
            [1, 2, 2] + Self.epoch + [1, 7, 6] + [5, 0, 0, 0, 0, 0, 0, 0] + key
            + [2, 0x68, 0x69]
        let entries = try plain.entries(of: log.span)
        guard case .queued(let record)? = entries.first, entries.count == 1 else {
            Issue.record("\(entries)")
            return
        }
        #expect(record.payload == [0x68, 0x69] && record.acceptedAt == nil)
        #expect(record.expiresAt == WallTime(milliseconds: 5) && record.idempotencyKey != nil)
        // An image that knows nothing but one outcome.
        let outcome: [UInt8] = [2] + Self.epoch + [1, 3]
        let old: [UInt8] = [1, 0, 0, 0, 0, 1] + outcome + [UInt8](repeating: 0, count: 8)
        let image = try plain.image(of: old.span)
        #expect(image.outcomes.entries.map(\.value) == [.expired])
        #expect(image.keys == IdempotencyWindow())
        // Format 2 ends with two lists more, and format 1 without them.
        let longer: [UInt8] = old + [0, 0]
        #expect(throws: WireError.self) { try plain.image(of: longer.span) }
        let shorter: [UInt8] = [2] + old.dropFirst()
        #expect(throws: WireError.self) { try plain.image(of: shorter.span) }
    }

    @Test func what_format_4_wrote_of_retired_and_lost_epochs_is_passed_over() throws {
        let old: [UInt8] =
            [4, 0, 0, 0, 2] + Self.epoch + Self.epoch + [UInt8](repeating: 0, count: 6)
            + [1] + Self.epoch + [1] + Self.epoch + [0, 0, 0, 7, 9]
        let image = try plain.image(of: old.span)
        #expect(image.lineage.epochs == [EpochID(rawValue: 9)])
        #expect(image.handshakesReserved == 7 && image.handshakeTaken == 9)
        #expect(image.lineage.forgottenThrough == nil)
        #expect(plain.encoded(image).first == JournalCoding.formatVersion)
        let newer: [UInt8] = [5] + old.dropFirst()
        #expect(throws: WireError.self) { try plain.image(of: newer.span) }
    }

    @Test func what_format_5_wrote_knows_no_path() throws {
        var image = JournalImage()
        image.apply(.handshakeTaken(9))
        let present = plain.encoded(image)
        let old: [UInt8] = [5] + present.dropFirst().dropLast(4)
        #expect(try plain.image(of: old.span) == image)
        let longer: [UInt8] = [5] + present.dropFirst()
        #expect(throws: WireError.self) { try plain.image(of: longer.span) }
        let memory = try #require(
            PathMemory(bytesPerSecond: 1000, roundTripMicroseconds: 1, lossPerTenThousand: 7))
        let entry = body([.pathMeasured(memory)], plain)
        #expect(entry == [7, 22, 0xE8, 0x07, 1, 7])
        #expect(try plain.entries(of: entry.span) == [.pathMeasured(memory)])
        let early: [UInt8] = [5] + entry.dropFirst()
        #expect(throws: WireError.self) { try plain.entries(of: early.span) }
        for wrong in [[6, 22, 0xE7, 0x07, 1, 7], [6, 22, 0xE8, 0x07, 0, 7]] as [[UInt8]] {
            #expect(throws: WireError.self) { try plain.entries(of: wrong.span) }
        }
    }

    @Test func what_format_6_wrote_knows_no_openings() throws {
        var image = JournalImage()
        image.apply(.handshakeTaken(9))
        let present = plain.encoded(image)
        let old: [UInt8] = [6] + present.dropFirst().dropLast(3)
        #expect(try plain.image(of: old.span) == image)
        let (first, second) = (EpochID(rawValue: 1), EpochID(rawValue: 2))
        let entries: [JournalEntry] = [
            .openingMet(first), .counterpartMet(second, former: [first]),
            .counterpartRefused(first),
        ]
        let written = body(entries, plain)
        let eight: (UInt8) -> [UInt8] = { [$0, 0, 0, 0, 0, 0, 0, 0] }
        #expect(
            written == [7, 23] + eight(1) + [24] + eight(2) + [1] + eight(1)
                + [25] + eight(1))
        for entry in try plain.entries(of: written.span) { image.apply(entry) }
        #expect(image.formerOpenings == [first] && image.metOpenings.newest == second)
        #expect(image.metOpenings.refused == [first])
        #expect(try plain.image(of: plain.encoded(image).span) == image)
        let early: [UInt8] = [6] + written.dropFirst()
        #expect(throws: WireError.self) { try plain.entries(of: early.span) }
    }

    @Test func what_format_2_wrote_is_read_as_it_was_meant() throws {
        // A record that is unsettled and came as far as the counterpart's commit.
        var image = JournalImage()
        let id = RecordID(epoch: EpochID(rawValue: 9), lane: .background, number: RecordNumber(1))
        image.apply(.queued(OutboundRecord(id: id, draft: userInfo("hi"))))
        image.apply(.reached(id, .committed))
        let record: [UInt8] = [2] + Self.epoch + [1, 7, 0, 2, 0x68, 0x69]
        let old: [UInt8] =
            [2, 0, 0, 1] + Self.epoch + [0, 0, 1] + record + [3] + [UInt8](repeating: 0, count: 9)
        #expect(try plain.image(of: old.span) == image)
        image.apply(.withdrawalAsked(id, .expired))
        let present = try plain.image(of: plain.encoded(image).span)
        // A value with its key in clear, on both sides.
        let context = RecordID(epoch: id.epoch, lane: .context, number: RecordNumber(1))
        let key: [UInt8] = [UInt8](repeating: 0, count: 15) + [7]
        let log: [UInt8] =
            [2, 2, 3] + Self.epoch + [1, 0, 1] + key + [1, 5]
            + [8, 3] + Self.epoch + [1, 0, 1] + key + [1, 5, 0] + [12, 3] + key
            + [16] + key + [2] + Self.epoch + [1, 0] + [UInt8](repeating: 0, count: 8)
        let draft = RecordDraft(
            lane: .context, kind: .opaque, key: RecordKey(rawValue: 7), payload: [5])
        #expect(
            try plain.entries(of: log.span) == [
                .queued(OutboundRecord(id: context, draft: draft)),
                .received(
                    InboundRecord(id: context, kind: .opaque, key: draft.key, payload: [5]),
                    .applied),
                .counterpartKeyForgotten(.context, RecordKey(rawValue: 7)),
                .keyRemembered(7, id, .applied, at: WallTime(milliseconds: 0)),
            ])
        #expect(present == image && present.outboundInOrder().map(\.withdrawal) == [.expired])
    }

    // MARK: Places

    @Test func places_have_different_associated_data() {
        let id = RecordID(epoch: EpochID(rawValue: 1), lane: .context, number: RecordNumber(2))
        var lane = id
        lane.lane = .background
        var epoch = id
        epoch.epoch = EpochID(rawValue: 2)
        var number = id
        number.number = RecordNumber(3)
        let places: [PayloadPlace] = [
            .record(Self.pairing, id), .record(PairingID(rawValue: 8), id),
            .record(Self.pairing, lane), .record(Self.pairing, epoch),
            .record(Self.pairing, number),
            .counterpartValue(Self.pairing, .context, rank: 1, number: 2),
            .namedRecord(Self.pairing, id), .idempotencyKey(Self.pairing, id),
            .namedCounterpartValue(Self.pairing, .context, rank: 1, number: 2),
            .ownForgottenKey(Self.pairing, .context), .forgottenKey(Self.pairing, .context),
            .forgottenKey(Self.pairing, .complication),
        ]
        #expect(Set(places.map(\.associatedData)).count == places.count)
        #expect(places.allSatisfy { $0.associatedData.count == 34 })
    }
}
