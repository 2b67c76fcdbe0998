import Testing
import WatchProtoCore

@testable import WatchProtoRecords

/// The coding of medications against the table of words.
@Suite(.timeLimit(.minutes(2))) struct VocabularyTests {
    private let table = Vocabulary.shared
    private let reference = CodingReference(minute: 3_200_000, offset: 120)

    private func samples(_ seed: UInt64, _ count: Int) -> [LightweightMedication] {
        var samples = RecordSamples(seed: seed)
        return (0..<count).map { _ in samples.medication() }.filter { $0.encodedSize <= 200 }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func every_medication_comes_back(seed: UInt64) throws {
        var coded = 0
        for medication in samples(seed, 1_000) {
            guard let bytes = table.encode([medication], reference) else { continue }
            let back = try table.decode(bytes, [medication.id], reference)
            #expect(try back[0].encoded() == medication.encoded())
            coded += 1
        }
        #expect(coded > 500)
    }

    @Test func a_batch_comes_back() throws {
        for size in [1, 2, 100] {
            let batch = Array(samples(7, 1_000).filter { table.encode([$0], reference) != nil })
                .prefix(size)
            let bytes = try #require(table.encode(Array(batch), reference))
            let back = try table.decode(bytes, batch.map(\.id), reference)
            #expect(try back.map { try $0.encoded() } == batch.map { try $0.encoded() })
        }
        #expect(table.encode([], reference) == nil)
        #expect(table.encode(Array(repeating: samples(7, 9)[0], count: 101), reference) == nil)
    }

    @Test(arguments: [4, 5] as [UInt64])
    func every_update_comes_back(seed: UInt64) throws {
        var samples = RecordSamples(seed: seed)
        var coded = 0
        for _ in 0..<1_000 {
            let base = samples.medication()
            var next = samples.edit(base)
            next.id = base.id
            guard base.encodedSize <= 200, next.encodedSize <= 200,
                let bytes = table.encode(next, from: base, reference)
            else { continue }
            let back = try table.decode(bytes, from: base, reference)
            #expect(try back.encoded() == next.encoded())
            coded += 1
        }
        #expect(coded > 300)
    }

    @Test func texts_of_any_characters_come_back() throws {
        var random = SeededGenerator(seed: 11)
        let blocks: [ClosedRange<UInt32>] = [
            0...0x7F, 0x80...0x24F, 0x370...0x52F, 0x590...0x6FF, 0x900...0xE7F, 0x2000...0x22FF,
            0x3000...0x30FF, 0x4E00...0x4FFF, 0xAC00...0xAD00, 0x1F300...0x1F600,
        ]
        let words = [
            "Take", "TAKE", "tABLET", "mg", "mL", "500", "1,000", "0.5", ". ", ") ", " ", "-",
        ]
        for _ in 0..<3_000 {
            var text = ""
            while text.utf8.count < 60, random.uniform(in: 0...9) > 0 {
                if random.uniform(in: 0...1) == 0 {
                    text += words[Int(random.uniform(in: 0...UInt64(words.count - 1)))]
                } else {
                    let block = blocks[Int(random.uniform(in: 0...UInt64(blocks.count - 1)))]
                    let value =
                        block.lowerBound
                        + UInt32(random.uniform(in: 0...UInt64(block.count - 1)))
                    text.unicodeScalars.append(Unicode.Scalar(value) ?? " ")
                }
            }
            var medication = RecordSamples.plain
            medication.instructions = text
            guard medication.encodedSize <= 200 else { continue }
            let bytes = try #require(table.encode([medication], reference))
            let back = try table.decode(bytes, [medication.id], reference)
            #expect(Array(back[0].instructions.utf8) == Array(text.utf8))
        }
    }

    /// Times of every grain, the last of the day too, alone and behind another one.
    @Test func every_time_of_the_day_comes_back() throws {
        for minute in 0..<1_440 {
            for minutes in [[minute], [min(minute, 725), max(minute, 726)]] {
                var medication = RecordSamples.plain
                medication.schedule = DoseSchedule(
                    slots: try #require(DoseSlots(minutes: minutes)))
                let bytes = try #require(table.encode([medication], reference))
                let back = try table.decode(bytes, [medication.id], reference)
                #expect(back[0].schedule == medication.schedule)
            }
        }
    }

    /// A usual name of another language is a word of the table, and a new name is its letters.
    @Test func names_of_further_languages_take_few_bytes() throws {
        func size(_ name: String, _ instructions: String = "") throws -> Int {
            var medication = RecordSamples.plain
            medication.name = name
            medication.instructions = instructions
            return try #require(table.encode([medication], reference)).count
        }
        let empty = try size("")
        for name in ["Метопролол", "ランソプラゾール", "Furosémide", "Losartán", "Torasemid"] {
            #expect(try size(name) <= empty + 3, "\(name)")
        }
        #expect(try size("A", "Ask Mirovalenz") <= size("A", "Ask") + 8)
    }

    /// Texts that Swift takes for equal have their own bytes.
    @Test func texts_that_compose_differently_keep_their_bytes() throws {
        var first = RecordSamples.plain
        first.instructions = "Caf\u{E9}. Cafe\u{301}. Caf\u{E9}"
        var second = first
        second.id = MedicationID(rawValue: 2)
        second.name = "Cafe\u{301}"
        first.name = "Caf\u{E9}"
        let bytes = try #require(table.encode([first, second], reference))
        let back = try table.decode(bytes, [first.id, second.id], reference)
        #expect(try back.map { try $0.encoded() } == [first.encoded(), second.encoded()])
        let update = try #require(table.encode(second.with(first.id), from: first, reference))
        let next = try table.decode(update, from: first, reference)
        #expect(try next.encoded() == second.with(first.id).encoded())
    }

    @Test func damaged_bytes_are_refused_or_give_a_medication() throws {
        var random = SeededGenerator(seed: 13)
        var refused = 0
        for medication in samples(17, 400) {
            guard var bytes = table.encode([medication], reference), !bytes.isEmpty else {
                continue
            }
            for _ in 0..<20 {
                let place = Int(random.uniform(in: 0...UInt64(bytes.count - 1)))
                bytes[place] ^= UInt8(random.uniform(in: 1...255))
                do {
                    let back = try table.decode(bytes, [medication.id], reference)
                    _ = try? back[0].encoded()
                } catch {
                    refused += 1
                    #expect(error.offset <= bytes.count)
                }
            }
        }
        for _ in 0..<5_000 {
            let bytes = (0..<random.uniform(in: 0...90)).map { _ in
                UInt8(random.uniform(in: 0...255))
            }
            let identities = (0..<random.uniform(in: 1...100)).map {
                MedicationID(rawValue: UInt128($0))
            }
            do { _ = try table.decode(bytes, identities, reference) } catch { refused += 1 }
        }
        #expect(refused > 1_000)
    }

    /// The figures of *Record coding*: what a receiver notices that has another reference or base.
    @Test func the_check_shows_two_of_three_and_44_of_45_updates() throws {
        let all = samples(23, 3_000)
        let other = CodingReference(minute: reference.minute + 1, offset: reference.offset)
        var (alone, seen, updates, noticed) = (0, 0, 0, 0)
        for medication in all {
            if let bytes = table.encode([medication], reference) {
                let back = try? table.decode(bytes, [medication.id], other)
                if back != [medication] { alone += 1 }
                if back == nil { seen += 1 }
            }
            var (base, next) = (medication, medication)
            base.updatedAt.milliseconds &+= 60_000
            next.revision &+= 1
            if let bytes = table.encode(next, from: medication, reference) {
                let back = try? table.decode(bytes, from: base, reference)
                if back != next { updates += 1 }
                if back == nil { noticed += 1 }
            }
        }
        #expect(alone > 1_500 && (0.6...0.7).contains(Double(seen) / Double(alone)), "\(seen)")
        #expect(updates > 1_500 && noticed * 1_000 > updates * 965, "\(noticed) of \(updates)")
    }

    @Test func bytes_after_the_last_symbol_are_refused() throws {
        let medication = RecordSamples.plain
        let bytes = try #require(table.encode([medication], reference))
        for further in [[0], [0, 0, 0, 0, 0, 7], [1, 2, 3, 4, 5]] as [[UInt8]] {
            #expect(throws: WireError.self) {
                try table.decode(bytes + further, [medication.id], reference)
            }
        }
    }

    @Test func the_table_keeps_what_the_coder_relies_on() {
        for word in 0..<table.wordCount {
            let scalars = String(decoding: table.bytes(of: UInt16(word)), as: UTF8.self)
                .unicodeScalars.map(\.value)
            let hasLetters = scalars.contains {
                Letters.isLetter($0) || Letters.isDigit($0) || Letters.isIdeograph($0)
            }
            #expect((table.wordClass(UInt16(word)) == .punctuation) != hasLetters, "\(word)")
            #expect(table.word(Array(table.bytes(of: UInt16(word)))) == UInt16(word))
            // A text is cut so: else no text could have the word.
            #expect(table.tokens(scalars).map(\.symbol) == [UInt16(word)], "\(word)")
        }
        for sums in table.sums { #expect(zip(sums, sums.dropFirst()).allSatisfy { $0 < $1 }) }
        #expect(table.sums.allSatisfy { ($0.last ?? 0) < 1 << 20 })
        #expect(table.successors.allSatisfy { $0.frequency > 0 })
        #expect(table.contexts.values.allSatisfy { $0.escape > 0 })
        for row in table.kindFrequencies + table.caseFrequencies + table.timeFrequencies {
            #expect(row.allSatisfy { $0 > 0 })
        }
        for context in table.letters.values {
            #expect(context.escape > 0 && context.letters.allSatisfy { $0.frequency > 0 })
        }
        for (count, lists) in table.times.enumerated() {
            #expect(lists.allSatisfy { $0.count == count })
        }
    }

    /// These bytes hold for the coder of this revision and the table of this version. If they
    /// change, `CODER` of `scripts/vocabulary` changes with them.
    @Test func the_coding_is_the_one_of_the_version() throws {
        var samples = RecordSamples(seed: 21)
        var hash: UInt64 = 0
        for _ in 0..<500 {
            let medication = samples.medication()
            var next = samples.edit(medication)
            next.id = medication.id
            for coding in [
                table.encode([medication], reference),
                table.encode(next, from: medication, reference),
            ] {
                hash = hash &* 31 &+ ContentHash.of(coding ?? [])
            }
        }
        #expect(
            [table.version, UInt32(truncatingIfNeeded: hash)] == [3_015_048_062, 1_048_397_144])
    }

    /// The figures of *Record coding*.
    @Test func a_usual_medication_takes_few_bytes() throws {
        var medication = RecordSamples.plain
        medication.name = "Metformin"
        medication.dosage = Dosage(
            strength: "500 mg", form: .tablet, amount: Amount(mantissa: 1, unit: .tablet))
        medication.schedule = DoseSchedule(slots: try #require(DoseSlots(minutes: [480, 1200])))
        medication.instructions = "Take with food"
        medication.nextDose = WallMinute(minutes: 3_200_000 / 1440 * 1440 + 480 - 120)
        let bytes = try #require(table.encode([medication], reference))
        #expect(bytes.count <= 17, "\(bytes.count)")
        #expect(try medication.encoded().count > 60)
        var next = medication
        next.revision += 1
        next.nextDose?.minutes += 720
        next.updatedAt.milliseconds =
            try #require(medication.nextDose).wallTime.milliseconds + 61_234
        let update = try #require(table.encode(next, from: medication, reference))
        #expect(update.count <= 7, "\(update.count)")
    }
}

extension RecordSamples {
    /// A medication with little.
    static let plain = LightweightMedication(
        id: MedicationID(rawValue: 1), name: "A", dosage: Dosage(strength: ""),
        updatedAt: WallTime(milliseconds: 1_770_000_000_000))
}

extension LightweightMedication {
    func with(_ id: MedicationID) -> LightweightMedication {
        var medication = self
        medication.id = id
        return medication
    }
}
