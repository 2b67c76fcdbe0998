import Testing

@testable import WatchProtoCore

/// A comparison asks for the ranges of names that differ; its cost follows the difference.
@Suite struct RangeSearchTests {
    /// A value of a key and its version in the first epoch.
    private static func value(_ key: Int, _ version: Int) -> (OutboundRecord, InboundRecord) {
        let id = RecordID(
            epoch: EpochID(rawValue: 1), channel: .context, number: RecordNumber(UInt64(version)))
        let recordKey = RecordKey(rawValue: UInt128(key))
        let payload = Array("value \(version)".utf8)
        let draft = RecordDraft(
            channel: .context, kind: TestKinds.text, key: recordKey, payload: payload)
        return (
            OutboundRecord(id: id, draft: draft, acceptedAt: WallTime(milliseconds: 0)),
            InboundRecord(id: id, kind: TestKinds.text, key: recordKey, payload: payload)
        )
    }

    private enum Side { case sender, receiver }

    /// A pair of which both sides hold `count` values, and the one that is not `behind` newer ones
    /// of some keys.
    private static func filled(
        _ count: Int, newer: [Int], behind: Side, limits: Limits = Limits()
    ) throws -> ValuePair {
        var pair = ValuePair(limits: limits, block: 1 << 20)
        try pair.connect()
        try pair.write(0, "value 1")
        try pair.settle()
        pair.disconnect()
        var sent: [JournalEntry] = []
        var received: [JournalEntry] = []
        let versions =
            (1..<count).map { ($0, $0 + 1) }
            + newer.enumerated().map { place, key in
                (key, count + 1 + place)
            }
        for (key, version) in versions {
            let (own, held) = value(key, version)
            let isNewer = version > count
            if !isNewer || behind == .receiver {
                sent.append(.value(own, .applied, seen: UInt64(version)))
            }
            if !isNewer || behind == .sender {
                received.append(.received(held, .applied, at: WallTime(milliseconds: 0)))
            }
        }
        pair.senderJournal.durable.append(sent)
        pair.receiverJournal.durable.append(received)
        pair.restartSender()
        pair.restartReceiver()
        pair.carriedBytes = 0
        pair.delivered = []
        return pair
    }

    private static let changed = [17, 4711, 9999]

    /// Exchanges questions and answers until the search for what differs is done.
    ///
    /// - Returns: the round trips.
    private static func search(_ pair: inout ValuePair) throws -> Int {
        var rounds = 0
        while let comparison = pair.sender.session?.comparison, comparison.held == nil,
            rounds < 100
        {
            rounds += 1
            var writer = WireWriter()
            _ = pair.sender.writeHints(to: &writer, room: 4000)
            try pair.carry(writer.bytes, toReceiver: true)
            while !pair.toReceiver.isEmpty { try pair.deliverForward() }
            for _ in 0..<100 where pair.receiver.session?.rangesOwed.isEmpty == false {
                try pair.transmitReceiver()
            }
            while !pair.toSender.isEmpty { try pair.deliverBackward() }
        }
        return rounds
    }

    @Test("3 of 10,000 values that differ cost less than 1,024 bytes of frames both ways (L-50)")
    func cost() throws {
        for behind in [Side.receiver, .sender] {
            var pair = try Self.filled(10_000, newer: Self.changed, behind: behind)
            try pair.connect()
            #expect((pair.sender.session?.verdict == .lost) == (behind == .sender))
            #expect(try Self.search(&pair) == 4)
            #expect((540...580).contains(pair.carriedBytes), "\(behind): \(pair.carriedBytes)")
            try pair.settle()
            #expect(pair.carriedBytes < 1024, "\(behind): \(pair.carriedBytes) bytes")
            for (place, key) in Self.changed.enumerated() {
                let text = "value \(10_001 + place)"
                #expect(pair.own(UInt128(key)) == text && pair.held(UInt128(key)) == text)
            }
            #expect(pair.delivered.count == (behind == .receiver ? 3 : 0))
            #expect(pair.sender.session?.comparison == nil && !pair.sender.hasUnsettled)
        }
    }

    @Test("A wiped receiver answers for all names at once, and its sender lists none (L-46, L-47)")
    func emptyReceiver() throws {
        var pair = try Self.filled(1000, newer: [], behind: .receiver)
        pair.receiverJournal = TestJournal()
        pair.restartReceiver()
        try pair.connect(lossless: true)
        var writer = WireWriter()
        _ = pair.sender.writeHints(to: &writer, room: 1000)
        try pair.carry(writer.bytes, toReceiver: true)
        while !pair.toReceiver.isEmpty { try pair.deliverForward() }
        try pair.transmitReceiver()
        while !pair.toSender.isEmpty { try pair.deliverBackward() }
        #expect(pair.sender.session?.comparison == nil, "all is missing there")
        #expect(pair.carriedBytes < 50, "\(pair.carriedBytes) bytes")
        try pair.settle()
        for key in 0..<1000 { #expect(pair.held(UInt128(key)) == "value \(key + 1)") }
    }

    // MARK: The same results

    /// The values of both sides in the end, and the conflicts that were told.
    private struct Outcome: Hashable {
        var own: [String?] = []
        var held: [String?] = []
        var conflicts: Set<[[UInt8]]> = []
        var hasUnsettled = false
    }

    private static let keys: UInt64 = 60

    /// A history with a restored or wiped journal at its end.
    private static func outcome(_ seed: UInt64, rangeKeys: Int) throws -> Outcome {
        var limits = Limits()
        limits.rangeKeys = rangeKeys
        var random = SeededGenerator(seed: seed)
        var pair = ValuePair(limits: limits, block: seed % 3 == 0 ? 4 : 512)
        pair.disposition = { record in
            let number = record.id.number.rawValue
            return number % 7 == 0 ? .rejected(code: 7) : number % 11 == 0 ? .pending : .applied
        }
        func change(_ pair: inout ValuePair, _ count: Int) throws {
            for step in 0..<count {
                let key = UInt128(random.uniform(in: 0...keys - 1))
                if random.chance(0.2) {
                    try pair.remove(key)
                } else {
                    try pair.write(key, "\(count) \(step)")
                }
            }
        }
        var backup = (pair.senderJournal, pair.receiverJournal)
        try pair.connect()
        for round in 0..<4 {
            if round == 3 { backup = (pair.senderJournal, pair.receiverJournal) }
            try change(&pair, 100 - 20 * round)
            try pair.settle()
        }
        try change(&pair, 5)
        pair.commitSender()
        pair.disposition = { _ in .applied }
        let fault = seed % 5
        if fault == 0 || fault == 2 { pair.senderJournal = backup.0 }
        if fault == 1 || fault == 2 { pair.receiverJournal = backup.1 }
        if fault == 3 { pair.senderJournal = TestJournal() }
        if fault == 4 { pair.receiverJournal = TestJournal() }
        pair.restartSender()
        pair.restartReceiver()
        try change(&pair, 4)
        pair.events = []
        try pair.connect()
        try pair.settle()
        var outcome = Outcome()
        for key in 0..<UInt128(keys) {
            outcome.own.append(pair.own(key))
            outcome.held.append(pair.held(key))
        }
        for case .conflict(let ours, let theirs) in pair.events {
            outcome.conflicts.insert([ours.payload, theirs.payload])
        }
        outcome.hasUnsettled = pair.sender.hasUnsettled
        return outcome
    }

    @Test("Ranges of names lead to what a listing of all leads to (L-46)")
    func sameResults() throws {
        var conflicts = 0
        for seed in 0..<20 as Range<UInt64> {
            let whole = try Self.outcome(seed, rangeKeys: .max)
            for rangeKeys in [0, 1, 8] {
                let found = try Self.outcome(seed, rangeKeys: rangeKeys)
                #expect(found == whole, "seed \(seed), \(rangeKeys) keys")
            }
            conflicts += whole.conflicts.count
        }
        #expect(conflicts > 0)
    }

    // MARK: Changes during a search

    @Test(
        "A listing says nothing of a value that was answered since it was taken down (L-47, L-48)",
        arguments: [true, false])
    func answerDuringSearch(_ isRejected: Bool) throws {
        var pair = try Self.filled(200, newer: [5], behind: .receiver)
        try pair.connect()
        var writer = WireWriter()
        _ = pair.sender.writeHints(to: &writer, room: 1000)
        try pair.carry(writer.bytes, toReceiver: true)
        while !pair.toReceiver.isEmpty { try pair.deliverForward() }
        // The receiver takes its listing down, and tells the digests of the first parts.
        try pair.transmitReceiver()
        #expect(pair.receiver.session?.listing?.number == 1)
        pair.disposition = { _ in isRejected ? .rejected(code: 7) : .applied }
        let late = try pair.write(9, "late")
        pair.commitSender()
        pair.sentFrames = []
        try pair.settle()
        let sent = pair.sentFrames.filter { $0.address.number == late.number.rawValue }
        #expect(sent.count == 1, "it leaves once")
        #expect(pair.held(9) == (isRejected ? "value 10" : "late"))
        #expect(pair.sender.session?.comparison == nil && pair.sender.session?.listings == 1)
        // The next session has nothing to compare.
        pair.disposition = { _ in .applied }
        pair.disconnect()
        try pair.connect()
        try pair.settle()
        #expect(pair.sender.session?.listings == 0)
        #expect(pair.sender.session?.verdict == .nothingLost)
    }

    @Test("Two lists that differ in everything take few round trips (L-46)")
    func roundTrips() throws {
        let count = 4000
        var pair = try Self.filled(count, newer: Array(0..<count), behind: .sender)
        try pair.connect()
        #expect(try Self.search(&pair) == 6)
        try pair.settle()
        for key in 0..<count { #expect(pair.own(UInt128(key)) == pair.held(UInt128(key))) }
    }

    // MARK: Loss

    @Test("Questions and answers that are lost are sent again, of the same listing (L-47)")
    func losses() throws {
        var random = SeededGenerator(seed: 5)
        var pair = try Self.filled(1000, newer: [1, 2, 500, 999], behind: .receiver)
        try pair.connect(lossless: false)
        for _ in 0..<500 where pair.sender.session?.comparison != nil {
            var writer = WireWriter()
            let asked = pair.sender.writeHints(to: &writer, room: 100)
            // A packet that counts as lost may have arrived.
            var fate = random.uniform(in: 0...3)
            if fate > 0 { try pair.carry(writer.bytes, toReceiver: true) }
            if fate < 2 { for reference in asked { pair.sender.lost(reference) } }
            while !pair.toReceiver.isEmpty { try pair.deliverForward() }
            writer = WireWriter()
            let told = pair.receiver.writeStatements(
                to: &writer, room: 100, known: pair.receiverEpochs)
            fate = random.uniform(in: 0...3)
            if fate > 0 { try pair.carry(writer.bytes, toReceiver: false) }
            if fate < 2 { for reference in told { pair.receiver.lost(reference) } }
            while !pair.toSender.isEmpty { try pair.deliverBackward() }
        }
        #expect(pair.sender.session?.comparison == nil)
        #expect(pair.sender.session?.listings == 1)
        try pair.settle()
        for (place, key) in [1, 2, 500, 999].enumerated() {
            #expect(pair.held(UInt128(key)) == "value \(1001 + place)")
        }
    }

    // MARK: Chance and malice

    /// The answer about all names of a receiver that holds what the sender has.
    private static func own(_ sender: LatestValueSender, _ listing: UInt64) -> HeldRangesFrame {
        let table = sender.values.table
        let entries = zip(table.keys, table.values).map { name, value in
            HeldFrame.Entry(name: name, version: value.versionThere)
        }
        return HeldListing(number: listing, watermark: 0, entries).frame(of: HeldRange())
    }

    @Test("Short digests that are the same by chance are found by the digest of all (L-49)")
    func chance() throws {
        var pair = try Self.filled(100, newer: [5], behind: .receiver)
        try pair.connect()
        var forever = pair.sender
        var answer = Self.own(pair.sender, 1)
        answer.digest &+= 1
        try pair.sender.receive(answer)
        #expect(pair.sender.session?.comparison?.search.listing == 2)
        try pair.settle()
        #expect(pair.held(5) == "value 101")
        // A counterpart that never tells it right costs three listings.
        var listings: [UInt64] = []
        while let search = forever.session?.comparison?.search, listings.count < 9 {
            listings.append(search.listing)
            var answer = Self.own(forever, search.listing)
            answer.digest &+= 1
            try forever.receive(answer)
        }
        #expect(listings == [1, 2, 3] && forever.session?.isMatched == false)
    }

    @Test("A receiver owes 256 ranges at most, of one listing (L-47)")
    func hostileQuestions() throws {
        var pair = try Self.filled(100, newer: [5], behind: .receiver)
        try pair.connect()
        func ask(_ listing: UInt64, _ numbers: some Sequence<UInt64>) throws(WireError) {
            let asked = numbers.map { HeldQueryFrame.Asked(range: HeldRange(number: $0)) }
            try pair.receiver.receive(HeldQueryFrame(listing: listing, ranges: asked))
        }
        func owed() -> Int { pair.receiver.session?.rangesOwed.count ?? 0 }
        for _ in 0..<100 { try ask(1, 16..<32) }
        #expect(owed() == 16)
        for first in stride(from: 256, to: 496, by: 60) as StrideTo<UInt64> {
            try ask(1, first..<first + 60)
        }
        #expect(owed() == 256)
        #expect(throws: WireError.self) { try ask(1, [1]) }
        #expect(owed() == 256, "what is refused has changed nothing")
        try ask(2, [1])
        try ask(1, [17])
        #expect(owed() == 1)
        var writer = WireWriter()
        _ = pair.receiver.writeStatements(
            to: &writer, room: 200, known: pair.receiverEpochs)
        #expect(pair.receiver.session?.listing?.number == 2 && owed() == 0)
    }

    @Test("A sender refuses answers that contradict its questions, and passes over others (L-46)")
    func hostileAnswers() throws {
        var limits = Limits()
        limits.rangeKeys = 50
        var pair = try Self.filled(100, newer: [5], behind: .receiver, limits: limits)
        try pair.connect()
        var answer = Self.own(pair.sender, 1)
        for place in answer.parts.indices { answer.parts[place] &+= 1 }
        var other = answer
        other.listing = 2
        try pair.sender.receive(other)
        #expect(pair.sender.session?.comparison?.search.awaits(.init(), of: 1) == true)
        try pair.sender.receive(answer)
        let names = pair.sender.values.table.keys
        let first = VersionDigest.place(of: names[0]) >> 60 | 16
        let own = HeldRange(number: first)
        let next = HeldRange(number: first ^ 1)
        func refuses(_ frames: [HeldFrame]) -> Bool {
            var sender = pair.sender
            do { for frame in frames { try sender.receive(frame) } } catch { return true }
            return false
        }
        let entry = HeldFrame.Entry(name: names[0], version: 1)
        let good = HeldFrame(listing: 1, range: own, total: 2, entries: [entry])
        #expect(!refuses([good]))
        var sender = pair.sender
        #expect(throws: WireError.self) {
            try sender.receive(HeldRangesFrame(listing: 1, range: own))
        }
        #expect(refuses([HeldFrame(listing: 1, range: next, total: 1, entries: [entry])]))
        #expect(refuses([good, HeldFrame(listing: 1, range: own, total: 3)]))
        #expect(refuses([good, HeldFrame(listing: 1, watermark: 1, range: next, total: 3)]))
        let limit = HeldFrame.keyLimit(Limits())
        #expect(refuses([good, HeldFrame(listing: 1, range: next, total: limit - 1)]))
        #expect(!refuses([good, HeldFrame(listing: 1, range: next, total: limit - 2)]))
    }

    @Test("The parts of a range hold each of its names once, and the smallest have none (F-31)")
    func ranges() {
        var random = SeededGenerator(seed: 3)
        let places = (0..<5000).map { _ in random.next() }.sorted()
        var (range, digits) = (HeldRange(), 0)
        #expect(range.isAll && range.rows(in: places) == 0..<5000)
        while !range.isSmallest {
            var end = range.rows(in: places).lowerBound
            for part in range.parts {
                let rows = part.rows(in: places)
                #expect(rows.lowerBound == end && part.isValid && !part.isAll)
                for row in rows { #expect(part.contains(places[row])) }
                end = rows.upperBound
            }
            #expect(end == range.rows(in: places).upperBound)
            digits += 1
            let place = places[range.rows(in: places).lowerBound]
            range = HeldRange.around(place)[digits]
        }
        #expect(digits == 6)
        #expect(VersionDigest.short(7, in: 1) != VersionDigest.short(7, in: 2))
        // As the peer of `Examples/peer` computes them.
        let key = RecordKey(rawValue: 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f)
        let name = ValueName(channel: .context, key: key)
        #expect(VersionDigest.place(of: name) == 0xf038_24da_7844_eb96)
        #expect(VersionDigest.short(0xffff_ffff_ffff_fffb, in: 7) == 0x148a)
    }
}
