import Articles
import Foundation
import PictureCoding
import Pictures
import Testing
import WatchProtoCore
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

    /// A watch decodes each form of each of them.
    @Test func the_pictures_of_the_fixtures_find_nothing() throws {
        let folder = Self.root.appendingPathComponent("Fixtures/pictures")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(!files.isEmpty)
        for file in files {
            let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
            for target in [FuzzTarget.picture, .pictureFile] {
                #expect(target.complaint(bytes) == nil, "\(target.name): \(file)")
            }
        }
    }

    /// Decoders that keep none of the bounds, shrink too much, and shrink without need.
    @Test func a_picture_beyond_its_bounds_is_found() throws {
        func problem(_ width: Int, _ height: Int, fitting most: Int? = nil) throws -> String? {
            let rgb = [UInt8](repeating: 90, count: 3 * width * height)
            let jpeg = try PictureWriter.jpeg(
                of: Bitmap(width: width, height: height, rgb: rgb), quality: 50)
            #expect(FuzzTarget.picture.complaint(jpeg) == nil, "\(width) x \(height)")
            return FuzzTarget.pictureProblem(jpeg) { bytes, side throws(PictureError) in
                try BaselineDecoder.decode(bytes, fitting: min(side, most ?? side))
            }
        }
        #expect(try problem(40, 26) == nil)
        #expect(try problem(40, 27) == "the picture is too large")
        #expect(try problem(256, 256) == "the picture is too large")
        #expect(try problem(256, 257) == "the picture has too many pixels")
        #expect(try problem(64, 64, fitting: 20) == "the picture is too small")
        #expect(try problem(30, 30, fitting: 29) == "the picture has another size")
    }

    /// Each kind of message is read in every length.
    @Test func the_messages_about_pictures_find_nothing() {
        let target = FuzzTarget.named("picture-message")
        for kind in 0...4 as ClosedRange<UInt8> {
            for size in 0...50 {
                for first in 0...4 as ClosedRange<UInt8> {
                    let rest = [first] + [UInt8](repeating: 1, count: size)
                    #expect(target.complaint([kind] + rest) == nil, "\(kind), \(rest)")
                }
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
            let isSlow = target.name.hasPrefix("peer") || target.name == "file-exchange"
            for _ in 0..<(isSlow ? 100 : 3_000) {
                let count = Int(random.uniform(in: 0...60))
                var bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                if count > 0, random.chance(0.5) { bytes[0] = 1 }
                #expect(target.complaint(bytes) == nil, "\(target.name): \(bytes)")
            }
        }
    }

    /// The lines that a function of `scripts/fuzz` writes.
    ///
    /// - Parameters:
    ///   - functions: selects the functions that it needs, as `sed` does.
    ///   - name: its name.
    static func seeds(_ functions: String, _ name: String) throws -> [Substring] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.currentDirectoryURL = Self.root
        process.arguments = [
            "bash", "-c", #"eval "$(sed -n '\#(functions)' scripts/fuzz)"; \#(name)"#,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
    }

    /// The seeds that `scripts/fuzz` makes of the fixture: a coding and an encoding for each row.
    @Test func the_seeds_of_codings_are_decoded() throws {
        let seeds = try Self.seeds(#"/^rows()/p;/^counted()/p;/^codings() {/,/^}/p"#, "codings")
        #expect(seeds.count > 350)
        var counts: Set<Int> = []
        for place in stride(from: 0, to: seeds.count, by: 2) {
            let bytes = try #require(Hex.bytes(seeds[place]))
            var rest = bytes[...]
            let coding = try #require(FuzzedCoding(&rest), "\(seeds[place])")
            let medications = try coding.decode(Array(rest))
            #expect(medications.count == max(1, Int(bytes[0])))
            counts.insert(medications.count)
            #expect(FuzzTarget.coding.complaint(bytes) == nil)
            let other = try #require(Hex.bytes(seeds[place + 1]))
            var encoding = other[...]
            _ = FuzzedCoding(&encoding)
            #expect(throws: Never.self) {
                try LightweightMedication(decoding: Array(encoding))
            }
        }
        #expect(counts.isSuperset(of: [1, 2, 20, 100]))
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
