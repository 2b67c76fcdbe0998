import CommandLine
import ControlProtocol
import Reports
import Testing
import WatchProtoSecurity

@testable import Rig

@Suite(.serialized, .timeLimit(.minutes(2))) struct RigSealingTests {
    @Test func the_rows_of_sealing_are_measured() throws {
        let rig = try RigProgram()
        let run = try rig.run(["lab", "sealing", "--json", "--quiet"])
        let metrics = try #require(try JSONParser.parse(run.stdout).value["metrics"]?.array)
        func number(_ id: String, _ member: String) throws -> Double {
            let row = metrics.first { $0["id"]?.string == id }
            return try #require(row?[member]?.number, "\(id) \(member)")
        }
        #expect(metrics.allSatisfy { $0["device"] == "host" })
        #expect(metrics.allSatisfy { $0["status"] != "NODATA" && $0["status"] != "TOO FEW" })
        #expect(try number("aead.rate", "n") == 3)
        #expect(try number("aead.seal", "n") == 3000)
        #expect(try number("key.read", "n") == 1000)
        #expect(try number("key.read", "target") == 5e6)
        #expect(try number("key.read.android", "max") == 50e6)
        let mean = try number("aead.memory.mean", "actual")
        let peak = try number("aead.memory.peak", "actual")
        // A thousand blobs, sealed and opened, cannot be in less than two megabytes.
        #expect(mean > 1e6 && mean <= peak && peak > 2e6 && peak < 50e6, "\(mean) \(peak)")
        let all = metrics.first { $0["id"] == "aead.all" }?["remark"]?.string ?? ""
        #expect(all.hasPrefix("\(Files.usableProcessors.count) core"), "\(all)")
        #expect(run.leftovers == [])
    }

    /// A row counts nothing that does not open.
    @Test(arguments: [1, 2, 7])
    func blobs_sealed_at_once_open_in_their_order(threads: Int) throws {
        let sealer = try AtRestSealer(key: AtRestKey.random())
        let blobs = (0..<333).map { [UInt8]("blob \($0)".utf8) }
        let sealed = try SealAll.run(sealer, blobs, associatedData: [1], threads: threads)
        #expect(try sealed.map { try sealer.open($0, associatedData: [1]) } == blobs)
    }

    @Test func memory_that_work_takes_is_seen() throws {
        var idle = OwnMemory()
        idle.sample()
        var busy = OwnMemory()
        // Other tests give memory back meanwhile.
        let block = [UInt8](repeating: 7, count: 96 << 20)
        busy.sample()
        #expect(block.last == 7)
        let (most, mean) = (try #require(busy.peak), try #require(busy.mean))
        #expect(most >= 48 << 20 && mean >= Double(48 << 20), "\(most) \(mean)")
        #expect(try #require(idle.mean) < Double(8 << 20))
    }
}
