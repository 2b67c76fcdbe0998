import Testing

@testable import FormerCore

@Suite struct GreetingTests {
    static func example() -> Greeting {
        let first = Greeting.OwnEpoch(
            id: EpochID(rawValue: 0xA1), parent: nil, parentHighest: [0, 0, 0, 0, 0],
            next: [1, 8, 100, 1, 1], floors: [1, 2, 100, 1, 1])
        let second = Greeting.OwnEpoch(
            id: EpochID(rawValue: 0xA2), parent: first.id, parentHighest: [0, 7, 99, 0, 0],
            next: [1, 1, 1, 1, 1], floors: [1, 1, 1, 1, 1])
        let third = Greeting.OwnEpoch(
            id: EpochID(rawValue: 0xA3), parent: EpochID(rawValue: 0x99),
            parentHighest: [0, 0, 4, 0, 0], next: [5, 1, 1, 1, 1], floors: [5, 1, 1, 1, 1])
        return Greeting(
            role: .watch, pairing: PairingID(rawValue: 77), highestVersion: 0,
            ownEpochs: [first, second, third],
            knownEpochs: [
                Greeting.KnownEpoch(id: EpochID(rawValue: 5), receivedThrough: [1, 2, 3, 4, 5])
            ],
            offers: [256, 256, 1024, 1024, 16], bytes: [1, 2, 3, 4, 5],
            heldDigests: [0, 42, 0, .max, 0], largestDatagramBytes: 65_536)
    }

    /// The greeting of a side that has sent nothing yet.
    static func of(
        _ role: DeviceRole, epoch: UInt64, pairing: PairingID = PairInABox.pairing
    ) -> [UInt8] {
        var greeting = example()
        greeting.role = role
        greeting.pairing = pairing
        greeting.ownEpochs = [
            Greeting.OwnEpoch(
                id: EpochID(rawValue: epoch), parent: nil, parentHighest: [0, 0, 0, 0, 0],
                next: [1, 1, 1, 1, 1], floors: [1, 1, 1, 1, 1])
        ]
        greeting.knownEpochs = []
        return greeting.encoded()
    }

    @Test func a_greeting_comes_back() throws {
        let greeting = Self.example()
        #expect(try Greeting.decode(greeting.encoded().span, limits: Limits()) == greeting)
    }

    /// The present opening stands at the end, where an older version does not look.
    @Test func an_opening_that_is_not_listed_is_named() throws {
        var greeting = Self.example()
        let plain = greeting.encoded()
        #expect(greeting.presentID == EpochID(rawValue: 0xA3))
        let last = greeting.ownEpochs[2]
        greeting.isCut = true
        #expect(greeting.presentID == nil)
        #expect(try Greeting.decode((plain + [2]).span, limits: Limits()) == greeting)
        #expect(throws: WireError.self) {
            try Greeting.decode((plain + [3]).span, limits: Limits())
        }
        let presents = [
            Greeting.PresentEpoch(
                id: EpochID(rawValue: 0xA9), parent: nil, parentHighest: [0, 0, 0, 0, 0]),
            Greeting.PresentEpoch(
                id: EpochID(rawValue: 0xA9), parent: last.id, parentHighest: [4, 0, 0, 0, 0]),
            Greeting.PresentEpoch(
                id: EpochID(rawValue: 0xA9), parent: EpochID(rawValue: 0xA8),
                parentHighest: [1, 2, 3, 4, 5]),
        ]
        for present in presents {
            greeting.present = present
            let bytes = greeting.encoded()
            #expect(Array(bytes.prefix(plain.count)) == plain)
            #expect(try Greeting.decode(bytes.span, limits: Limits()) == greeting)
            #expect(try Greeting.decode((bytes + [1, 2]).span, limits: Limits()) == greeting)
            #expect(greeting.presentID == EpochID(rawValue: 0xA9))
            for count in (plain.count + 1)..<bytes.count {
                #expect(throws: WireError.self, "cut at \(count)") {
                    try Greeting.decode(Array(bytes[..<count]).span, limits: Limits())
                }
            }
        }
        greeting.present = Greeting.PresentEpoch(
            id: last.id, parent: nil, parentHighest: [0, 0, 0, 0, 0])
        #expect(throws: WireError.self, "it is listed") {
            try Greeting.decode(greeting.encoded().span, limits: Limits())
        }
    }

    /// An epoch has another place, or none, where it is named and not listed.
    @Test func a_list_with_the_present_opening_is_not_one_that_names_it() {
        let whole = Self.example()
        var cut = whole
        let last = cut.ownEpochs.removeLast()
        cut.present = Greeting.PresentEpoch(
            id: last.id, parent: last.parent, parentHighest: last.parentHighest)
        cut.isCut = true
        #expect(whole.presentID == cut.presentID)
        #expect(whole.epochs != cut.epochs)
    }

    @Test func a_greeting_cut_short_is_refused() {
        let bytes = Self.example().encoded()
        for count in 0..<bytes.count {
            #expect(throws: WireError.self, "cut at \(count)") {
                try Greeting.decode(Array(bytes[..<count]).span, limits: Limits())
            }
        }
    }

    /// A greeting of one epoch in which one number is `number`.
    static func bytes(next: UInt64, parent: UInt64, known: UInt64) -> [UInt8] {
        var greeting = example()
        greeting.ownEpochs = [greeting.ownEpochs[2]]
        greeting.ownEpochs[0].next[2] = next
        greeting.ownEpochs[0].floors[2] = next
        greeting.ownEpochs[0].parentHighest[2] = parent
        greeting.knownEpochs[0].receivedThrough[2] = known
        return greeting.encoded()
    }

    @Test(arguments: [(1 << 62) + 1, 1 << 63, .max] as [UInt64])
    func numbers_no_record_can_have_are_refused(_ number: UInt64) throws {
        let largest = RecordNumber.largest
        let good = Self.bytes(next: largest + 1, parent: largest, known: largest + 1)
        _ = try Greeting.decode(good.span, limits: Limits())
        for bad in [
            Self.bytes(next: number, parent: 0, known: 1),
            Self.bytes(next: 1, parent: number, known: 1),
            Self.bytes(next: 1, parent: 0, known: number),
        ] {
            let error = #expect(throws: WireError.self) {
                try Greeting.decode(bad.span, limits: Limits())
            }
            #expect(error?.rule == .outOfRange)
        }
    }

    @Test func a_parent_that_stands_right_before_is_not_spelled_out() throws {
        let bytes = Self.example().encoded()
        let first = Self.example().ownEpochs[0]
        // The second epoch: its parent code stands behind its identity.
        var writer = WireWriter()
        writer.uint64(Self.example().ownEpochs[1].id.rawValue)
        writer.byte(1)
        let range = try #require(bytes.firstRange(of: writer.bytes))
        var spelled = WireWriter()
        spelled.byte(2)
        spelled.uint64(first.id.rawValue)
        for next in first.next { spelled.varint(next - 1) }
        let code = range.upperBound - 1
        let changed = Array(bytes[..<code]) + spelled.bytes + bytes[(code + 1)...]
        let error = #expect(throws: WireError.self) {
            try Greeting.decode(changed.span, limits: Limits())
        }
        #expect(error?.rule == .notCanonical && error?.offset == code)
    }

    @Test func what_a_newer_version_appends_is_ignored() throws {
        let greeting = Self.example()
        let bytes = greeting.encoded() + [0, 2, 3]
        #expect(try Greeting.decode(bytes.span, limits: Limits()) == greeting)
    }

    @Test func a_common_greeting_fits_a_small_datagram() {
        var greeting = Self.example()
        greeting.ownEpochs.removeLast(2)
        #expect(greeting.encoded().count <= 128, "\(greeting.encoded().count)")
    }
}
