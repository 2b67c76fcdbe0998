import Articles
import ControlProtocol
import Foundation
import Testing
import WatchProtoCore
import WatchProtoRecords

@Suite struct RecordRefusalTests {
    @Test func every_broken_rule_is_named_with_its_place() throws {
        for vector in try RejectedRecord.all() {
            let refusal = vector.refusal()
            #expect(
                refusal?.rule == vector.rule, "\(vector.kind), \(vector.name): \(refusal as Any)")
            #expect(refusal?.offset == vector.offset, "\(vector.kind), \(vector.name)")
            if vector.kind == "medication", let refusal {
                #expect(throws: refusal, "the view must agree: \(vector.name)") {
                    _ = try MedicationView(vector.bytes.span)
                }
                #expect(throws: refusal, "the lazy record must agree: \(vector.name)") {
                    _ = try LazyMedication(vector.bytes)
                }
            }
        }
    }

    @Test func the_rejected_vectors_are_those() throws {
        let written = try RejectedRecord.all().map(\.json)
        #expect(try RecordVector.fixture("rejected.json", written) == written)
        #expect(written.count > 70)
    }

    @Test func every_golden_encoding_is_refused_when_cut() throws {
        for vector in try RecordVector.golden() {
            for count in 0..<vector.bytes.count {
                #expect(decode(vector, [UInt8](vector.bytes[..<count])) == nil, "\(vector.name)")
            }
        }
    }

    /// Bytes that decode are canonical: their value encodes to the very same bytes.
    @Test func a_changed_byte_is_refused_or_means_something_else() throws {
        for vector in try RecordVector.golden() {
            for index in vector.bytes.indices {
                for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] as [UInt8] {
                    var bytes = vector.bytes
                    bytes[index] ^= flip
                    guard let again = decode(vector, bytes) else { continue }
                    #expect(again == bytes, "\(vector.kind), \(vector.name), byte \(index)")
                }
            }
        }
    }

    @Test func random_bytes_are_refused_or_canonical() throws {
        var random = SeededGenerator(seed: 31)
        let golden = try RecordVector.golden()
        for _ in 0..<20_000 {
            let vector = golden[Int(random.uniform(in: 0...UInt64(golden.count - 1)))]
            var bytes = vector.bytes
            for _ in 0...random.uniform(in: 0...4) where !bytes.isEmpty {
                let place = Int(random.uniform(in: 0...UInt64(bytes.count - 1)))
                switch random.uniform(in: 0...2) {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
                }
            }
            guard let again = decode(vector, bytes) else { continue }
            #expect(again == bytes, "\(vector.kind) \(Hex.string(bytes))")
        }
    }

    /// What `bytes` decode to, encoded again; for a delta what it makes, made into a delta again.
    private func decode(_ vector: RecordVector, _ bytes: [UInt8]) -> [UInt8]? {
        switch vector.kind {
        case "medication": return try? LightweightMedication(decoding: bytes).encoded()
        case "doseEvent": return try? DoseEvent(decoding: bytes).encoded()
        case "complication": return try? ComplicationState(decoding: bytes).encoded()
        default:
            let kind = RecordVector.contentKind(vector.kind)
            guard let base = vector.value["base"]?.string.flatMap({ Hex.bytes($0) }),
                let next = try? RecordDelta.apply(kind: kind, delta: bytes.span, to: base)
            else { return nil }
            return RecordDelta.make(kind: kind, base: base, next: next)
        }
    }

    /// A file of cases from elsewhere; where it is not there, the test says so and does nothing.
    private static let textCases = FixtureFiles.root.deletingLastPathComponent()
        .appendingPathComponent("shared/vectors/text/utf8tests.json")

    private static var hasTextCases: Bool {
        let isThere = FileManager.default.fileExists(atPath: textCases.path)
        if !isThere { print("skipped: no ../shared/vectors/text/utf8tests.json") }
        return isThere
    }

    @Test(.enabled(if: hasTextCases, "needs ../shared/vectors/text"))
    func text_is_taken_exactly_where_it_is_utf8() throws {
        let cases =
            try JSONParser.parse([UInt8](Data(contentsOf: Self.textCases))).value.array ?? []
        #expect(cases.count == 222)
        let good = try RecordExamples.usual.encoded()
        for item in cases {
            let hex = try #require(item["hex"]?.string)
            let text = try #require(Hex.bytes(hex))
            let isValid = item["valid"]?.bool == true
            guard text.count <= 140 else { continue }
            // As the name, as the strength and as the instructions.
            for (length, place) in [(4, 39..<49), (5, 49..<54), (6, 54..<68)] {
                var bytes = good
                bytes.replaceSubrange(place, with: text)
                bytes[length] = UInt8(text.count)
                guard bytes.count <= 200 else { continue }
                let taken = (try? LightweightMedication(decoding: bytes)) != nil
                #expect(taken == isValid, "\(item["id"]?.string ?? "") at \(length)")
                #expect(((try? LazyMedication(bytes)) != nil) == isValid)
            }
        }
    }
}
