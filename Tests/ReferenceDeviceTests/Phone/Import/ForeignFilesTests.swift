import ControlProtocol
import Foundation
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// Other people's files; skipped, with a line that says so, where they are absent.
@Suite(.enabled(if: TestFiles.hasVectors, "needs ../shared/vectors"))
struct ForeignFilesTests {
    private let now = WallTime(iso8601: "2026-02-14T08:00:00Z")!

    @Test func `Every bundle and line of FHIR is imported or explained`() throws {
        let folder = TestFiles.vectors.appending(path: "fhir")
        let files = try TestFiles.list(folder, "json")
        #expect(files.count == 7)
        var records: [LightweightMedication] = []
        for file in files {
            let bytes = try TestFiles.bytes(file)
            let summary = try MedicationImporter.read(
                bytes, file: file.lastPathComponent, now: now)
            print(summary)
            let orders = try Self.orders(in: bytes, isLines: file.pathExtension == "ndjson")
            #expect(summary.medications.count + summary.skips.count == orders)
            #expect(summary.medications.count > 0)
            for medication in summary.medications {
                let record = try MedicationProjection.project(medication)
                #expect(record.encodedSize <= 196)
                #expect(record.dosage.strength == medication.strength)
                records.append(record)
            }
        }
        try checkCoding(records, "fhir")
    }

    /// Every record comes back from its coding. No list of the table was made from these files.
    /// `Fixtures/words/vocabulary.tsv` has the words that only lists have whose writers had seen
    /// such files.
    private func checkCoding(_ records: [LightweightMedication], _ name: String) throws {
        let table = Vocabulary.shared
        let reference = CodingReference(minute: WallMinute(now).minutes)
        var (alone, batches) = (0, 0)
        for record in records {
            let bytes = try #require(table.encode([record], reference))
            let back = try table.decode(bytes, [record.id], reference)
            #expect(try back[0].encoded() == record.encoded())
            alone += bytes.count + 16
        }
        for start in stride(from: 0, to: records.count, by: Vocabulary.largestBatch) {
            let batch = Array(records[start...].prefix(Vocabulary.largestBatch))
            let bytes = try #require(table.encode(batch, reference))
            #expect(try table.decode(bytes, batch.map(\.id), reference) == batch)
            batches += bytes.count + 16 * batch.count
        }
        let count = max(1, records.count)
        print("\(name): \(count) records, coded \(alone / count), in batches \(batches / count) B")
        #expect(alone <= 60 * count && batches <= 52 * count)
    }

    @Test func `Every drug product fits with its strength whole, or is refused`() throws {
        let file = TestFiles.vectors.appending(path: "drugs/fda_sample_5000.json")
        let products = try JSONParser.parse(TestFiles.bytes(file)).array ?? []
        #expect(products.count == 5000)
        var refused: [String: Int] = [:]
        var shortened = 0
        var records: [LightweightMedication] = []
        for product in products {
            func text(_ name: String) -> String { product[name]?.string ?? "" }
            let name = text("name") + " (" + text("ingredient") + ")"
            var medication = Medication(
                id: MedicationID(derivedFrom: name), name: name, createdAt: now)
            medication.strength = text("strength")
            medication.form = DoseForm(named: text("form")) ?? .unknown
            do throws(ProjectionRefusal) {
                let record = try MedicationProjection.project(medication, nextDose: WallMinute(now))
                #expect(record.encodedSize <= 196)
                #expect(record.dosage.strength == medication.strength)
                shortened += record.flags.contains(.nameShortened) ? 1 : 0
                ShorteningRules.expectSafeName(record.name, of: medication)
                records.append(record)
            } catch {
                #expect(error.needed > error.budget)
                refused[error.field.rawValue, default: 0] += 1
            }
        }
        let fields = refused.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        try checkCoding(records, "drugs/fda_sample_5000.json")
        print("drugs/fda_sample_5000.json: names shortened \(shortened), refused \(fields)")
    }

    @Test func `Every drug as prescribed gives up its strength whole`() throws {
        let file = TestFiles.vectors.appending(path: "drugs/synthea_rxnorm_drugs.tsv")
        let rows = String(decoding: try TestFiles.bytes(file), as: UTF8.self).split(separator: "\n")
        var separated = 0
        for row in rows.dropFirst() {
            let line = String(row.split(separator: "\t")[1])
            let parts = StrengthSeparation.separate(line)
            // Every number of the line is in the name or the strength, none twice, none lost.
            let numbers = QuantityScan.groups(of: line).sorted()
            let kept = QuantityScan.groups(of: parts.name) + QuantityScan.groups(of: parts.strength)
            #expect(kept.sorted() == numbers, "\(line)")
            separated += parts.strength.isEmpty ? 0 : 1
        }
        print("drugs/synthea_rxnorm_drugs.tsv: \(separated) of \(rows.count - 1) separated")
        #expect(separated > 100)
    }

    @Test func `Every generated record fits`() throws {
        let file = TestFiles.vectors.appending(path: "records/records.json")
        let rows = try JSONParser.parse(TestFiles.bytes(file)).array ?? []
        #expect(rows.count == 1000)
        var shortened = 0
        for row in rows {
            let id = try #require(row["id"]?.string.flatMap(MedicationID.init(uuid:)))
            var medication = Medication(id: id, name: row["name"]?.string ?? "", createdAt: now)
            let dosage = Dosage(text: row["dosage"]?.string ?? "")
            medication.strength = dosage.strength
            medication.form = dosage.form
            medication.instructions = row["instructions"]?.string ?? ""
            medication.schedule.minutes = (row["minutes"]?.array ?? []).compactMap(Self.whole)
            let record = try MedicationProjection.project(medication, nextDose: WallMinute(now))
            #expect(record.encodedSize <= 196)
            shortened += record.flags.contains(.instructionsShortened) ? 1 : 0
        }
        print("records/records.json: instructions shortened \(shortened)")
    }

    /// Apart, because the compiler of Swift 6.3.1 fails where it is inlined (a fault of its own in
    /// CopyPropagation).
    @inline(never) private static func whole(_ node: JSONNode) -> Int? {
        node.integer.map(Int.init)
    }

    /// Counted without the importer: what it must account for.
    private static func orders(in bytes: [UInt8], isLines: Bool) throws -> Int {
        let nodes = isLines ? try JSONLines.parse(bytes) : [try JSONParser.parse(bytes)]
        func count(_ node: JSONNode) -> Int {
            let type = node["resourceType"]?.string ?? ""
            if type == "Bundle" {
                return (node["entry"]?.array ?? []).compactMap { $0["resource"] }
                    .reduce(0) { $0 + count($1) }
            }
            return type == "MedicationRequest" || type == "MedicationStatement" ? 1 : 0
        }
        return nodes.reduce(0) { $0 + count($1) }
    }
}
