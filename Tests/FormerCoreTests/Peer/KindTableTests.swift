import Testing
import WatchProto
import WatchProtoRecords

/// What a peer knows of record kinds is the table it was given, and nothing else.
@Suite struct KindTableTests {
    private static let key = RecordKey(rawValue: 9)

    /// A medication, and the same one with a dose taken.
    private static func states() throws -> [[UInt8]] {
        var medication = LightweightMedication(
            id: MedicationID(rawValue: 9), name: "Metoprolol",
            dosage: Dosage(strength: "50 mg", form: .tablet),
            updatedAt: WallTime(milliseconds: 1_771_843_168_469))
        var states = [try medication.encoded()]
        medication.revision += 1
        states.append(try medication.encoded())
        return states
    }

    /// A pair that sends `payloads` of `kind` under one key, one after the other.
    private static func pair(
        _ kinds: RecordKinds, _ kind: ContentKind, _ payloads: [[UInt8]]
    ) throws -> PairInABox {
        let box = PairInABox { $0.kinds = kinds }
        box.connect()
        for payload in payloads {
            try box.send([RecordDraft(lane: .context, kind: kind, key: key, payload: payload)])
            box.advance(by: .seconds(1))
        }
        return box
    }

    @Test("With the product's table the second state of a medication travels as a delta")
    func with_a_table() throws {
        let states = try Self.states()
        let box = try Self.pair(.product, .medication, states)
        #expect(box.watch.host.delivered.map { $0.payload } == states)
        #expect(box.phone.counters.deltasSent == 1)
    }

    @Test("Without a table every state travels whole, whatever its kind")
    func without_a_table() throws {
        let states = try Self.states()
        let box = try Self.pair(RecordKinds(), .medication, states)
        #expect(box.watch.host.delivered.map { $0.payload } == states)
        #expect(box.phone.counters.deltasSent == 0)
    }

    @Test("An application's own kind has the deltas that its table gives it")
    func own_kind() throws {
        let kind = ContentKind(rawValue: 200)
        let table = RecordKinds([
            // The delta is the last byte; all others stay.
            RecordKind(
                kind, byteLimit: 32,
                makeDelta: { base, next in base.count == next.count ? [next[31]] : nil },
                applyDelta: { delta, base in
                    guard delta.count == 1 else { return nil }
                    return [UInt8](copying: base.extracting(0..<31)) + [delta[0]]
                })
        ])
        let states = [1, 2, 3].map { [UInt8](repeating: 7, count: 31) + [$0] }
        let box = try Self.pair(table, kind, states)
        #expect(box.watch.host.delivered.map { $0.payload } == states)
        #expect(box.phone.counters.deltasSent == 2)
    }

    @Test("A delta of a kind without a row, or to more than its row allows, is refused")
    func refused_deltas() {
        let kind = ContentKind(rawValue: 200)
        func table(limit: Int) -> RecordKinds {
            RecordKinds([
                RecordKind(
                    kind, byteLimit: limit, makeDelta: { _, _ in [1, 2, 3] },
                    applyDelta: { _, _ in [1, 2] })
            ])
        }
        let bytes: [UInt8] = [9, 9, 9, 9]
        #expect(table(limit: 2).applyDelta(kind, bytes.span, to: bytes.span) == [1, 2])
        #expect(table(limit: 1).applyDelta(kind, bytes.span, to: bytes.span) == nil)
        #expect(table(limit: 2).applyDelta(.opaque, bytes.span, to: bytes.span) == nil)
        // A delta as long as the value is none.
        #expect(table(limit: 2).makeDelta(kind, from: bytes.span, to: bytes.span) == [1, 2, 3])
        let short: [UInt8] = [9, 9, 9]
        #expect(table(limit: 2).makeDelta(kind, from: bytes.span, to: short.span) == nil)
    }

    @Test("Of two rows with one code the later counts; only kind 3 removes its key")
    func rows() {
        let kind = ContentKind(rawValue: 200)
        let table = RecordKinds([
            RecordKind(kind, byteLimit: 1, isRemoval: true), RecordKind(kind, byteLimit: 2),
        ])
        #expect(table[kind]?.byteLimit == 2)
        #expect(table.removals == [] && !table.isRemoval(kind))
        #expect(RecordKinds.product.removals == [.medicationRemoval])
        #expect(ContentKind.medicationRemoval.isRemoval && !ContentKind.medication.isRemoval)
    }
}
