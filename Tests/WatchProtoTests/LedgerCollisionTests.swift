import Testing
import WatchProtoCore
import WatchProtoJournal

@testable import WatchProto

/// Comparisons in which short forms are the same by chance, or by the other device's intent.
@Suite struct LedgerCollisionTests {
    private static let salt = LedgerSalt(byte: 1)

    /// Two events of one node of one digit whose short forms are the same.
    private func twins(_ short: (LedgerMark) -> UInt32) throws -> (DoseEvent, DoseEvent) {
        var known: [UInt64: DoseEvent] = [:]
        for event in DoseEvent.random(100_000, seed: 1) {
            let fingerprint = LedgerDigest.fingerprint(try event.encoded())
            let mark = LedgerMark(identity: event.id.rawValue, fingerprint: fingerprint)
            let key = (fingerprint >> 60) << 32 | UInt64(short(mark))
            if let other = known.updateValue(event, forKey: key) { return (other, event) }
        }
        throw Missing()
    }

    private struct Missing: Error {}

    private func expectFound(_ one: DoseEvent, _ other: DoseEvent, questions: Int) throws {
        let pair = try LedgerPair([one], [other])
        let cost = try pair.compare(salt: Self.salt.byte)
        #expect(cost.questions == questions && cost.next == .onceMore)
        #expect(pair.phone.identities.count == 1 && pair.watch.identities.count == 1)
        #expect(try pair.compare(salt: Self.salt.byte + 1).next == .nothing)
        #expect(try pair.compare().next == .equal)
        #expect(pair.phone.identities.count == 2 && pair.watch.identities.count == 2)
    }

    @Test("Events with the same name are found with the next salt (D-21, D-27)")
    func names() throws {
        let (one, other) = try twins(Self.salt.name)
        try expectFound(one, other, questions: 2)
    }

    @Test("Nodes with the same short digest are found with the next salt (D-21, D-27)")
    func digests() throws {
        let (one, other) = try twins { mark in
            var digest = LedgerDigest()
            digest.insert(mark.fingerprint)
            return Self.salt.short(digest)
        }
        try expectFound(one, other, questions: 1)
    }

    @Test(
        "A comparison of weak fingerprints ends, and finds all that can be told apart (D-10)",
        arguments: [0, 0xFFF, 0xFFF << 52, 0xF0F0F << 20, 0x8000_0000_0000_0000, 0xFFFFF])
    func weak(_ mask: UInt64) throws {
        let events = DoseEvent.random(400, seed: 5)
        let pair = try LedgerPair(events.prefix(300), events.suffix(300), mask: mask)
        for salt in UInt8(1)...8 {
            // One question for the root, and one for each digit.
            #expect(try pair.compare(salt: salt).questions <= 17)
        }
        func fingerprints(_ ledger: FaultyLedger) throws -> Set<UInt64> {
            Set(try ledger.marks(in: 0...255).map(\.fingerprint))
        }
        #expect(try fingerprints(pair.phone) == fingerprints(pair.watch))
    }

    @Test("A node of more than 64 events is opened, down to sixteen digits (D-10)")
    func crowded() throws {
        let events = DoseEvent.random(400, seed: 6)
        let pair = try LedgerPair(events.prefix(300), events.suffix(300), mask: 0xFFF)
        var digits: [Int] = []
        _ = try pair.compare { question in
            if case .nodes(_, let parts) = question { digits += parts.map(\.node.digits) }
            return nil
        }
        #expect(digits.filter { $0 <= 13 } == Array(1...13))
        #expect(digits.contains(14) && digits.allSatisfy { $0 <= 16 })
    }

    @Test(
        "Made-up answers cost no more questions than the phone's own events (D-17)",
        arguments: 1...8)
    func madeUp(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let events = DoseEvent.random(Int(random.next() % 5_000), seed: seed)
        let pair = try LedgerPair(events, [])
        let cost = try pair.compare(salt: UInt8(seed)) { question in
            func digests(_ nodes: Int) -> [UInt32] {
                (0..<16 * nodes).map { _ in UInt32(random.next() % 0x100_0000) }
            }
            guard case .nodes = question else { return .digests(digests(1)) }
            let (opened, names) = question.asked
            return .found(
                LedgerReply.Findings(
                    hasMore: random.next() % 2 == 0, digests: digests(opened.count),
                    lacks: (0..<names).map { _ in random.next() % 2 == 0 }))
        }
        #expect(cost.questions <= 2 + 256 / LedgerRequest.nodeLimit + events.count / 1_000)
    }

    // MARK: Messages

    private static let asked = LedgerRequest.nodes(
        salt,
        [
            .init(node: LedgerNode(first: 0x1 << 60, digits: 1), names: nil),
            .init(node: LedgerNode(first: 0x2F << 56, digits: 2), names: [1, 2, 3]),
        ])

    @Test("Questions that cannot be read are refused (D-14)")
    func hostileQuestions() throws {
        let nodes: [UInt8] = [2, 1]
        let bad: [[UInt8]] = [
            [], [0], [4], [1], [1, 2, 3], [3, 0], [2], nodes,
            // A digest without a time, and with a byte too many.
            [1, 1] + [UInt8](repeating: 0, count: 12), [1, 1] + [UInt8](repeating: 0, count: 21),
            // No digit, 17 digits, and a digit after the last one.
            nodes + [0, 0], nodes + [17] + [UInt8](repeating: 0, count: 10), nodes + [1, 0x11, 0],
            // Names that are missing, too many, and a node of 16 digits that is opened.
            nodes + [1, 0x10, 1, 0, 0], nodes + [1, 0x10, 65] + [UInt8](repeating: 0, count: 195),
            nodes + [16] + [UInt8](repeating: 0, count: 8) + [255],
            // Nodes that do not rise: the same, a lower one, and one within another.
            nodes + [1, 0x10, 0, 1, 0x10, 0], nodes + [1, 0x20, 0, 1, 0x10, 0],
            nodes + [1, 0x10, 0, 2, 0x12, 0],
        ]
        for bytes in bad {
            #expect(throws: WireError.self, "\(bytes)") { try LedgerRequest(bytes) }
        }
        func many(_ count: UInt8) -> [UInt8] { nodes + (0..<count).flatMap { [2, $0, 0] } }
        #expect(throws: WireError.self) { try LedgerRequest(many(65)) }
        #expect(try LedgerRequest(many(64)).bytes == many(64))
        #expect(try LedgerRequest(Self.asked.bytes) == Self.asked)
    }

    @Test("Answers that cannot be read are refused (D-17)")
    func hostileAnswers() throws {
        let digests = [UInt8](repeating: 9, count: 48)
        let bad: [[UInt8]] = [
            [], [0], [1], [2] + digests, [4], [3], [3, 0], [3, 0] + digests,
            [3, 2] + digests + [0],
            [3, 0] + digests + [8], [3, 0] + digests + [0, 0],
            [3, 0] + Array(digests.dropLast()) + [0],
        ]
        for bytes in bad {
            #expect(throws: WireError.self, "\(bytes)") { try LedgerReply(bytes, to: Self.asked) }
        }
        #expect(
            try LedgerReply([3, 1] + digests + [5], to: Self.asked)
                == .found(
                    .init(
                        hasMore: true, digests: [UInt32](repeating: 0x09_0909, count: 16),
                        lacks: [true, false, true])))
        for bytes in [
            [], [2], [2] + Array(digests.dropLast()), [2] + digests + [0], [3, 0], [1, 0], [4],
        ] {
            #expect(throws: WireError.self, "\(bytes)") {
                try LedgerReply(
                    bytes, to: .compare(LedgerDigest(), Self.salt, at: .init(milliseconds: 0)))
            }
        }
        for bytes: [UInt8] in [[1], [3, 0], [4, 4]] {
            #expect(throws: WireError.self) { try LedgerReply(bytes, to: .call) }
        }
    }

    @Test func random_bytes_never_trap() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            var bytes = (0..<Int(random.next() % 80)).map { _ in
                UInt8(truncatingIfNeeded: random.next() % 7)
            }
            if !bytes.isEmpty { bytes[0] %= 5 }
            guard let request = try? LedgerRequest(bytes) else { continue }
            #expect(request.bytes == bytes)
            if let reply = try? LedgerReply(bytes, to: request) { #expect(reply.bytes == bytes) }
        }
    }

    @Test("A file has the buckets, digests and events of a ledger in memory (D-8)")
    func file() throws {
        let folder = try Folder()
        let tables = LedgerTables(
            try JournalFile(
                path: folder.file("j"), options: JournalOptions(stores: [LedgerTables.schema])))
        let events = DoseEvent.random(300, seed: 7)
        let memory = try MemoryLedger(of: events)
        try tables.write(try events.map { LedgerTables.insertion($0, try $0.encoded()) })
        #expect(try tables.digests() == memory.digests())
        for buckets in [0...255, 16...31, 7...7] {
            #expect(try Set(tables.marks(in: buckets)) == Set(memory.marks(in: buckets)))
        }
        tables.file.close()
    }
}
