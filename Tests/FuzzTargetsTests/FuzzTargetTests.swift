import Foundation
import Testing
import WatchProto
import WatchProtoRecords

@testable import FuzzTargets

@Suite struct FuzzTargetTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test func no_finding_comes_back() throws {
        for target in FuzzTarget.all {
            let folder = Self.root.appendingPathComponent("Fixtures/fuzz/" + target.name)
            let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
            for file in (files ?? []).sorted() {
                let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
                #expect(target.complaint(bytes) == nil, "\(target.name)/\(file)")
            }
        }
    }

    @Test func every_target_has_an_executable_and_the_other_way_round() throws {
        let folder = Self.root.appendingPathComponent("Fuzz")
        let folders = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(folders == FuzzTarget.all.map(\.name).sorted())
        let manifest = try String(
            contentsOf: Self.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        for name in folders {
            #expect(manifest.contains("\"\(name)\""), "\(name) is not in Package.swift")
            let entry = try String(
                contentsOf: folder.appendingPathComponent(name + "/Entry.swift"), encoding: .utf8)
            #expect(entry.contains("FuzzTarget.run(\"\(name)\""), "\(name) runs another target")
        }
    }

    @Test func short_random_bytes_find_nothing() {
        var random = SeededGenerator(seed: 5)
        for target in FuzzTarget.all {
            for _ in 0..<(target.name.hasPrefix("peer") ? 100 : 3_000) {
                let count = Int(random.uniform(in: 0...60))
                var bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                if count > 0, random.chance(0.5) { bytes[0] = 1 }
                #expect(target.complaint(bytes) == nil, "\(target.name): \(bytes)")
            }
        }
    }

    @Test func golden_frames_written_into_a_session_find_nothing() throws {
        let table = try String(
            contentsOf: Self.root.appendingPathComponent("Fixtures/wire/frames/golden.tsv"),
            encoding: .utf8)
        for line in table.split(separator: "\n") where !line.hasPrefix("#") {
            let columns = line.split(separator: "\t")
            let frame = try #require(columns.last.flatMap { Self.bytes(String($0)) })
            guard frame.count < 256 else { continue }
            let block = [UInt8(frame.count)] + frame
            for options in [UInt8](0...15) {
                let session = [options, 2, 3, 0x83, 4, 1] + block + [2, 4]
                for name in ["peer-stream", "peer-datagram"] {
                    let complaint = FuzzTarget.named(name).complaint(session)
                    #expect(complaint == nil, "\(name): \(columns[0])")
                }
            }
        }
    }

    /// Hostile frames must reach the victim's tables, or the sessions show nothing.
    @Test(arguments: [true, false])
    func a_lie_in_a_session_is_believed_and_survived(isStream: Bool) throws {
        // A receipt: the background lane of the first epoch is applied up to 1.
        let receipt: [UInt8] = [0x12, 0x42, 0, 2, 0]
        var session = HostileSession([0, 2, 4, 2, 1, 5] + receipt, isStream: isStream)
        #expect(session.run() == nil)
        var lying = HostileSession([0, 2, 1, 5] + receipt, isStream: isStream)
        #expect(lying.run() == nil)
        #expect(lying.lied == [true] && lying.delivered == 0)
        var honest = HostileSession([0, 2, 2], isStream: isStream)
        #expect(honest.run() == nil)
        #expect(honest.lied == [false, false] && honest.delivered == 2)
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8]? {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        guard digits.count == hexadecimal.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] * 16 + digits[$0 + 1])
        }
    }

    /// The check itself must be able to fail.
    @Test func a_decoder_that_takes_too_much_is_found() throws {
        let good = try ComplicationState(name: "a").encoded()
        let sloppy: ([UInt8]) throws(WireError) -> ComplicationState = { bytes throws(WireError) in
            try ComplicationState(decoding: [UInt8](bytes[..<min(bytes.count, good.count)]))
        }
        #expect(FuzzTarget.roundTripComplaint(good, sloppy) == nil)
        #expect(FuzzTarget.roundTripComplaint(good + [0], sloppy) != nil)
    }
}
