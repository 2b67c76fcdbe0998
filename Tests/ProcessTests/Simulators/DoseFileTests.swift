import ControlProtocol
import Foundation
import Glibc
import Testing

/// The ledger of doses leaves a device as FHIR and comes into another one.
@Suite(.serialized, .timeLimit(.minutes(2))) struct DoseFileTests {
    private let bench = Bench()

    /// A phone with doses of three medications, taken and skipped.
    private func phone(_ journal: String? = nil) throws -> Program {
        let options = journal.map { ["--journal", bench.path($0)] } ?? []
        let phone = try Program("PhoneSim", ["--link", bench.link(), "--unsealed"] + options)
        try phone.call("import", ["path": .string(bench.list(count: 4))])
        try phone.call("dose.record", ["index": 0, "count": 3])
        try phone.call("dose.record", ["index": 3, "action": "skipped"])
        return phone
    }

    /// A watch that no phone reaches.
    private func loneWatch() throws -> Program {
        try Program("WatchSim", ["--link", "unix:\(bench.path("lone"))", "--unsealed"])
    }

    private func doses(_ program: Program) throws -> JSONValue? {
        try program.call("status")["doses"]?["digest"]
    }

    @Test(arguments: ["doses.json", "doses.ndjson"])
    func an_exported_ledger_is_imported_with_the_same_digest(name: String) throws {
        let phone = try phone("p")
        let path = JSONValue.string(bench.path(name))
        let reply = try phone.call("dose.export", ["path": path])
        #expect(reply["exported"] == 4)
        let size = try FileManager.default.attributesOfItem(atPath: bench.path(name))
        #expect(size[.size] as? Int64 == reply["bytes"]?.integer)
        #expect(size[.posixPermissions] as? Int == 0o600)
        let watch = try loneWatch()
        #expect(try watch.call("dose.import", ["path": path])["recorded"] == 4)
        #expect(try doses(watch) == doses(phone))
        for program in [watch, phone] {
            let again = try program.call("dose.import", ["path": path])
            #expect(again["recorded"] == 0 && again["known"] == 4)
        }
        #expect(try doses(watch) == doses(phone))
        let bundle = try watch.call("dose.export")["bundle"]
        #expect(bundle?["entry"]?.array?.count == 4)
        let key = try phone.call("dose.history", ["limit": 1])["doses"]?.array?.first?["key"]
        #expect(try phone.call("dose.export", ["key": key ?? .null])["exported"] == 1)
    }

    @Test func a_refused_import_changes_nothing_and_a_partial_one_lists_what_it_left_out() throws {
        let phone = try phone()
        let path = bench.path("doses.json")
        try phone.call("dose.export", ["path": .string(path)])
        let text = try String(contentsOfFile: path, encoding: .utf8)
        // One dose that its own elements contradict, and one of which the phone has another form.
        let faulty = bench.path("faulty.json")
        let status = #""status":"not-done""#
        try text.replacing(status, with: #""status":"completed""#)
            .write(toFile: faulty, atomically: true, encoding: .utf8)
        let other = bench.path("other.json")
        let code = #""valueCode":"skipped""#
        #expect(text.ranges(of: status).count == 1 && text.ranges(of: code).count == 1)
        try text.replacing(code, with: #""valueCode":"taken""#)
            .replacing(status, with: #""status":"completed""#)
            .write(toFile: other, atomically: true, encoding: .utf8)

        let watch = try loneWatch()
        for (program, file, refusal) in [
            (watch, faulty, "bad_input"), (phone, faulty, "bad_input"), (phone, other, "refused"),
        ] {
            let before = try doses(program)
            let reply = try program.request("dose.import", ["path": .string(file)])
            #expect(reply["error"]?["code"]?.string == refusal)
            #expect(try doses(program) == before)
        }
        let part = try watch.call("dose.import", ["path": .string(faulty), "partial": true])
        #expect(part["recorded"] == 3 && part["refused"] == 1)
        #expect(part["errors"]?.array?.count == 1)
        #expect(try watch.call("store")["doses"] == 3)
        let rest = try phone.call("dose.import", ["path": .string(other), "partial": true])
        #expect(rest["recorded"] == 0 && rest["known"] == 3 && rest["refused"] == 1)
    }

    /// A file of `count` doses taken as needed, each in a line.
    private func manyDoses(_ count: Int) throws -> String {
        let path = bench.path("many.ndjson")
        let phone = try phone()
        try phone.call("dose.export", ["path": .string(bench.path("few.ndjson"))])
        let few = try String(contentsOfFile: bench.path("few.ndjson"), encoding: .utf8)
        let line = String(try #require(few.split(separator: "\n").first))
        let node = try JSONParser.parse(line)
        let id = try #require(node["id"]?.string)
        let parts = line.components(separatedBy: id)
        #expect(parts.count == 3)
        var text = ""
        for number in 0..<count {
            let digits = String(number, radix: 16)
            let padding = String(repeating: "0", count: 12 - digits.count)
            text += parts.joined(separator: "00000000-0000-4000-8000-" + padding + digits) + "\n"
        }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private func start(_ journal: String, _ further: [String] = []) throws -> Program {
        try Program(
            "PhoneSim",
            ["--link", bench.link(), "--unsealed", "--journal", bench.path(journal)] + further)
    }

    /// A file of 27 MB, which took 70 MB of memory when all of it was read at once.
    @Test func very_many_doses_are_imported_and_exported_in_little_memory() throws {
        let count: Int64 = 30_000
        let file = JSONValue.string(try manyDoses(Int(count)))
        let device = try start("many")
        let reply = try device.call("dose.import", ["path": file])
        #expect(reply["recorded"] == .integer(count) && reply["refused"] == 0)
        #expect(try device.call("dose.import", ["path": file])["known"] == .integer(count))
        let out = JSONValue.string(bench.path("out.json"))
        #expect(try device.call("dose.export", ["path": out])["exported"] == .integer(count))
        let refused = try device.request("dose.export")["error"]
        #expect(refused?["code"] == "too_large")
        #expect(refused?["bytes"]?.integer ?? 0 > 20_000_000)
        let status = try String(contentsOfFile: "/proc/\(device.pid)/status", encoding: .utf8)
        let match = try #require(status.firstMatch(of: /VmHWM:\s+([0-9]+) kB/))
        let kilobytes = try #require(Int(match.output.1))
        #expect(kilobytes < 40 << 10)
    }

    private func size(of path: String) -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.size] as? Int64 ?? 0
    }

    @Test func a_device_that_is_killed_while_it_imports_has_all_doses_or_none() throws {
        let count: Int64 = 4_000
        let file = try manyDoses(Int(count))
        for (round, microseconds) in [0, 0, 200, 1_000, 5_000, 20_000].enumerated() {
            // The log grows with commits alone.
            let device = try start("killed-\(round)", ["--log-pages-ahead", "0"])
            try device.call("status")
            let log = bench.path("killed-\(round)-wal")
            let before = size(of: log)
            let command: JSONValue = ["id": 1, "cmd": "dose.import", "path": .string(file)]
            device.write(JSONWriter.text(command) + "\n")
            // Nothing else that the device writes is as large as the doses: their commit has begun.
            var looks = 0
            while size(of: log) < before + 65_536, looks < 50_000 {
                looks += 1
                usleep(100)
            }
            #expect(looks < 50_000, "no commit began")
            usleep(UInt32(microseconds))
            device.signal(SIGKILL)
            _ = try device.awaitEnd()
            let again = try start("killed-\(round)")
            let held = try again.call("status")["doses"]?["count"]?.integer ?? -1
            #expect(held == 0 || held == count, "\(held) after \(microseconds) µs")
            let rest = try again.call("dose.import", ["path": .string(file)])
            #expect(rest["recorded"] == .integer(count - held) && rest["known"] == .integer(held))
            try again.call("quit")
            _ = try again.awaitEnd()
        }
    }

    @Test func an_export_never_replaces_a_file() throws {
        let phone = try phone("p")
        let journal = try Data(contentsOf: URL(filePath: bench.path("p")))
        let reply = try phone.request("dose.export", ["path": .string(bench.path("p"))])
        #expect(reply["error"]?["code"] == "file_exists")
        #expect(try Data(contentsOf: URL(filePath: bench.path("p"))) == journal)
    }

    /// A dose that another program recorded counts on both devices, once.
    @Test func a_dose_of_another_program_travels() throws {
        let phone = try phone()
        let watch = try Program("WatchSim", ["--link", bench.link(), "--unsealed"])
        try phone.wait("reachability", ["reachable": true])
        let path = bench.path("foreign.json")
        try #"""
        {"resourceType":"MedicationAdministration","id":"7","status":"completed",
         "medicationCodeableConcept":{"text":"Aspirin 100 MG Oral Tablet"},
         "effectiveDateTime":"2026-02-14T08:00:00+01:00"}
        """#.write(toFile: path, atomically: true, encoding: .utf8)
        for _ in 0..<2 { try phone.call("dose.import", ["path": .string(path)]) }
        try watch.poll("store") { $0["doses"] == 5 }
        #expect(try doses(watch) == doses(phone))
        #expect(try watch.call("dose.import", ["path": .string(path)])["known"] == 1)
    }
}
