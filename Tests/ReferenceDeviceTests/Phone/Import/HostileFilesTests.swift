import Foundation
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// Files with bytes changed, cut, doubled and put elsewhere: refused or imported, never a crash,
/// and what is imported fits.
@Suite struct HostileFilesTests {
    private let now = WallTime(iso8601: "2026-02-14T08:00:00Z")!

    @Test(arguments: ["nasty.json", "statements.ndjson", "bundle.json", "list-50.json"])
    func `A damaged file is refused or imported, never more`(name: String) throws {
        let url = TestFiles.medications.appending(path: name)
        let whole = try TestFiles.bytes(url)
        // A part is enough: each run then costs little.
        let lines = whole.split(separator: 0x0A, omittingEmptySubsequences: false)
        let isLines = name.hasSuffix("ndjson")
        let original = isLines ? Array(lines[..<6].joined(separator: [0x0A])) : whole
        var generator = SeededGenerator(seed: UInt64(name.utf8.count))
        let values = ["-1", "1e308", "null", "[]", "{}", "\"\"", "99999999999999999999", "true"]
        for _ in 0..<(isLines ? 200 : 25) {
            var bytes = original
            for _ in 0...generator.uniform(in: 0...3) {
                let place = Int(generator.uniform(in: 0...UInt64(bytes.count - 1)))
                switch generator.uniform(in: 0...4) {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
                case 1: bytes.remove(at: place)
                case 2: bytes.removeLast(min(place, bytes.count - 1) / 8)
                case 3: bytes.insert(contentsOf: bytes[place...].prefix(40), at: place)
                default:
                    // Another value in the place of a number or a string's first character.
                    let value = values[Int(generator.uniform(in: 0...7))]
                    let digit = bytes[place...].firstIndex { $0 >= 0x30 && $0 <= 0x39 } ?? place
                    bytes.replaceSubrange(digit...digit, with: Array(value.utf8))
                }
            }
            do throws(ImportRefusal) {
                let summary = try MedicationImporter.read(bytes, file: name, now: now)
                let clock = WallClock(time: now)
                var store = MedicationStore()
                _ = try? store.take(summary, at: clock)
                #expect((try? store.complicationState(at: clock).encodedSize) ?? 999 <= 200)
                for medication in summary.medications {
                    let record = try? MedicationProjection.project(
                        medication, nextDose: medication.nextDose(after: clock))
                    #expect((record?.encodedSize ?? 999) <= 200)
                    #expect(record?.dosage.strength == medication.strength)
                }
            } catch {
                #expect(!error.errors.isEmpty)
                #expect(!error.description(source: bytes).isEmpty)
            }
        }
    }
}
