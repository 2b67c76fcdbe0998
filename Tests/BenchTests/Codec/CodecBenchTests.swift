import ControlProtocol
import Foundation
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import Bench

@Suite struct CodecBenchTests {
    @Test func the_rule_makes_records_like_real_ones() {
        let records = CodecFixtures.records()
        #expect(records == CodecFixtures.records())
        #expect(records != CodecFixtures.records(seed: 2))
        func mean(_ text: (LightweightMedication) -> String) -> Double {
            Double(records.reduce(0) { $0 + text($1).utf8.count }) / Double(records.count)
        }
        #expect((15...19).contains(mean(\.name)))
        #expect((11...15).contains(mean(\.dosage.text)))
        #expect((41...49).contains(mean(\.instructions)))
        let beyondASCII = records.count { record in
            (record.name + record.dosage.text + record.instructions).utf8.contains { $0 > 127 }
        }
        #expect((50...110).contains(beyondASCII))
    }

    /// The generated records within the byte budget, as the report measures them.
    private static let medications = CodecFixtures.records().filter {
        (try? $0.encoded()) != nil
    }

    @Test func the_report_has_every_operation() throws {
        let report = try CodecBenchmark.run(
            samples: CodecFixtures.samples(count: 50), rounds: 1, passes: 1, countsObjects: false)
        #expect(report.records + report.leftOut == 50)
        let names = [
            "memcpy", "encode", "decode", "view", "lazy", "code", "uncode", "naive encode",
            "naive decode",
        ]
        for name in names {
            #expect((report[name]?.nanoseconds ?? 0) > 0, "\(name)")
            #expect(report.text().contains("\n" + name))
        }
        #expect(report.text().contains("not counted"))
        #expect(report.sizes.mean < report.sizes.jsonMean)
    }

    @Test func coded_records_of_the_rule_keep_to_the_goals() throws {
        let (coded, goals) = (CodedSizes(Self.medications), CodedSizes.generatedGoals)
        #expect(goals == (44, 38))
        #expect(coded.aloneMean <= goals.alone)
        #expect(coded.batchMean <= goals.batch)
    }

    /// A missed goal is marked at its figure, and the verb ends with exit code 2 by `meetsGoals`.
    @Test func a_missed_goal_is_marked_and_counts() throws {
        var report = try CodecBenchmark.run(
            samples: CodecFixtures.samples(count: 20), rounds: 1, passes: 1, countsObjects: false)
        for index in report.operations.indices { report.operations[index].nanoseconds = 1 }
        (report.sizes.mean, report.coded.aloneMean, report.coded.batchMean) = (116, 60, 52)
        report.updates.dose = ByteSpread([8, 10])
        #expect(report.meetsGoals)
        #expect(!report.text().contains("over the goal"))
        #expect(report.json["meets_goals"] == .bool(true))
        let misses: [(String, (inout CodecReport) -> Void)] = [
            ("mean 116.1 B (goal 116.0) over the goal", { $0.sizes.mean = 116.1 }),
            ("mean 60.1 B (goal 60.0) over the goal", { $0.coded.aloneMean = 60.1 }),
            ("100 52.1 B (goal 52.0) over the goal", { $0.coded.batchMean = 52.1 }),
            (
                "mean 44.1 B (goal 44.0) over the goal",
                { ($0.isGenerated, $0.coded.aloneMean, $0.coded.batchMean) = (true, 44.1, 38) }
            ),
            ("mean 9.3 B (goal 9.0) over the goal", { $0.updates.dose.mean = 9.3 }),
            ("max 17 (goal 16) over the goal", { $0.updates.dose.largest = 17 }),
            ("LOST: 1", { $0.new.lost = 1 }),
            ("LOST: 2", { $0.firstSync.lost = 2 }),
            ("over the goal", { $0.operations[5].nanoseconds = 50_001 }),
            ("over the goal", { $0.operations[6].nanoseconds = 50_001 }),
        ]
        for (text, miss) in misses {
            var missed = report
            miss(&missed)
            #expect(!missed.meetsGoals, "\(text)")
            #expect(missed.text().contains(text), "\(text)")
            #expect(missed.json["meets_goals"] == .bool(false))
        }
    }

    /// The article quotes the command, in whole bytes. Another release of Zstandard can take a
    /// little more or less.
    @Test func the_article_on_coding_has_the_sizes_of_the_report() throws {
        let (coded, others) = (CodedSizes(Self.medications), OtherSizes(Self.medications))
        let file = Self.root.appendingPathComponent(
            "Sources/WatchProtoRecords/WatchProtoRecords.docc/record-coding.md")
        let article = try String(contentsOf: file, encoding: .utf8)
        for (size, slack) in [
            (coded.aloneMean, 0), (coded.batchMean, 0), (others.zstdMean, 2),
            (others.zstdBatchMean, 2), (others.zstdJSONMean, 2),
        ] {
            let bytes = Int(size.rounded())
            let isQuoted = (bytes - slack...bytes + slack).contains {
                article.contains(" \($0) bytes")
            }
            #expect(isQuoted, "\(size)")
        }
    }

    /// Larger classes tell less and cost more; without padding almost every action is told.
    @Test func classes_of_sizes_are_weighed() throws {
        let table = try CodecBenchmark.run(
            samples: CodecFixtures.samples(count: 200), rounds: 1, passes: 1,
            countsObjects: false
        ).padding
        let rows = Dictionary(uniqueKeysWithValues: table.rows.map { ($0.name, $0) })
        let (none, used, all) = (rows["none"], rows["multiples of 64"], rows["1,024"])
        #expect((none?.bits ?? 0) > 1.5 && (none?.guessed ?? 0) > 0.6)
        #expect((used?.bits ?? 9) < (none?.bits ?? 0) && (all?.bits ?? 9) <= (used?.bits ?? 0))
        #expect((used?.bytes ?? 0) > (none?.bytes ?? 0) && (all?.bytes ?? 0) > (used?.bytes ?? 0))
        #expect(table.samples > 50 && table.rows.count { $0.isInUse } == 1)
    }

    /// The other formats are what their specifications say, and each is larger.
    @Test func formats_of_others_are_written_as_specified() throws {
        // RFC 8949, appendix A.
        let examples: [(JSONValue, [UInt8])] = [
            (.integer(0), [0x00]), (.integer(23), [0x17]), (.integer(24), [0x18, 0x18]),
            (.integer(1_000), [0x19, 0x03, 0xE8]),
            (.integer(1_000_000_000_000), [0x1B, 0, 0, 0, 0xE8, 0xD4, 0xA5, 0x10, 0]),
            (.integer(-1_000), [0x39, 0x03, 0xE7]), (.null, [0xF6]), (.bool(true), [0xF5]),
            (.string("IETF"), [0x64, 0x49, 0x45, 0x54, 0x46]),
            (.array([.integer(1), .array([.integer(2)])]), [0x82, 0x01, 0x81, 0x02]),
            (["a": 1, "b": [2, 3]], [0xA2, 0x61, 0x61, 1, 0x61, 0x62, 0x82, 2, 3]),
        ]
        for (value, bytes) in examples { #expect(CBOR.bytes(value) == bytes) }
        #expect(CBOR.bytes(["a": "x"], replacing: ["a": [7]]) == [0xA1, 0x61, 0x61, 0x41, 7])
        // The guide of Protocol Buffers to its encoding.
        var writer = Protobuf.Writer()
        writer.number(1, 150)
        writer.text(2, Array("testing".utf8))
        #expect(writer.bytes == [0x08, 0x96, 0x01, 0x12, 0x07] + Array("testing".utf8))
        let (others, coded) = (OtherSizes(Self.medications), CodedSizes(Self.medications))
        let json = ByteSpread(CodecFixtures.samples().map(\.jsonBytes)).mean
        #expect(others.cborMean < json && others.protobufMean < others.cborMean)
        #expect(others.zstdJSONMean < others.protobufMean)
        #expect(coded.aloneMean < others.zstdMean && others.zstdMean < others.zstdJSONMean)
        #expect(coded.batchMean < others.zstdBatchMean && others.zstdBatchMean < others.zstdMean)
    }

    @Test func a_list_with_a_fault_is_refused_with_its_place() {
        #expect(throws: RecordFile.Problem.self) { try RecordFile.samples([UInt8]("[{".utf8)) }
        do {
            _ = try RecordFile.samples([UInt8]("[\n {\"id\": 1},\n {}]".utf8))
            Issue.record("records without fields were taken")
        } catch {
            #expect(error.description.contains("2:2") && error.description.contains("3:2"))
        }
    }

    /// Records from elsewhere; where they are not there, the tests say so and do nothing.
    private static let file = root.deletingLastPathComponent()
        .appendingPathComponent("shared/vectors/records/records.json")

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static var isThere: Bool {
        let isThere = FileManager.default.fileExists(atPath: file.path)
        if !isThere { print("skipped: no ../shared/vectors/records/records.json") }
        return isThere
    }

    @Test(.enabled(if: isThere, "needs ../shared/vectors/records"))
    func real_records_fit_and_come_back() throws {
        let samples = try RecordFile.samples([UInt8](Data(contentsOf: Self.file)))
        #expect(samples.count == 1_000)
        var bytes = 0
        for sample in samples {
            let encoding = try sample.medication.encoded()
            bytes += encoding.count
            #expect(try LightweightMedication(decoding: encoding) == sample.medication)
        }
        #expect(bytes <= 116 * samples.count)
    }

    /// A one-line dosage is shown again as it was written, byte for byte.
    @Test(.enabled(if: isThere, "needs ../shared/vectors/records"))
    func real_dosages_are_shown_as_written() throws {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        var withForm = 0
        for line in text.split(separator: "\n") where line.hasPrefix("\"dosage\"") {
            let dosage = String(line.dropFirst(11).dropLast(2))
            let parsed = Dosage(text: dosage)
            #expect(Array(parsed.text.utf8) == Array(dosage.utf8))
            withForm += parsed.form == .unknown ? 0 : 1
        }
        #expect(withForm > 700)
    }

    @Test(.enabled(if: isThere, "needs ../shared/vectors/records"))
    func real_records_are_coded_in_42_bytes() throws {
        let samples = try RecordFile.samples([UInt8](Data(contentsOf: Self.file)))
        let medications = samples.map(\.medication)
        let coded = CodedSizes(medications)
        #expect(coded.aloneMean < 42)
        #expect(coded.batchMean < 36.5)
        #expect(coded.largest < 100)
        let updates = try UpdateSizes.measure(medications)
        #expect(updates.dose.largest <= UpdateSizes.goals.largest && updates.sentWhole == 0)
    }

    @Test(.enabled(if: isThere, "needs ../shared/vectors/records"))
    func a_dose_costs_seven_bytes_for_every_real_record() throws {
        for sample in try RecordFile.samples([UInt8](Data(contentsOf: Self.file))) {
            var next = sample.medication
            guard let due = next.nextDose else { continue }
            next.nextDose = WallMinute(minutes: due.minutes + 480)
            next.flags.formSymmetricDifference(.isOverdue)
            next.revision += 1
            next.updatedAt.milliseconds += 8 * 3_600_000 + 1_234
            let delta = RecordDelta.make(
                kind: .medication, base: try sample.medication.encoded(),
                next: try next.encoded())
            #expect((delta?.count ?? .max) <= 7)
        }
    }
}
