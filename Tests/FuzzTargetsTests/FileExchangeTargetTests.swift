import Articles
import Foundation
import Testing
import WatchProto
import WatchProtoCore

@testable import FuzzTargets

/// The target of hostile transfers reaches the states of a transfer, and notices broken promises.
@Suite struct FileExchangeTargetTests {
    /// Every run ends with a file of five blocks in each direction.
    @Test func the_seeds_reach_each_state() throws {
        let seeds = try FuzzTargetTests.seeds("/^transfers() {/,/^}/p", "transfers")
        #expect(seeds.count >= 10)
        var (completed, given, stopped, resumed, ineffective) = (0, 0, 0, 0, 0)
        var rejected: Set<UInt16> = []
        for seed in seeds {
            let attack = try FileAttack(try #require(Hex.bytes(seed)))
            #expect(attack.run() == nil, "\(seed)")
            let events = attack.events
            completed += events.completed - 1
            given += events.given - 5
            stopped += events.stopped
            resumed += events.resumed
            ineffective += events.ineffective
            rejected.formUnion(events.rejected.keys)
        }
        #expect(completed > 0 && given > 25, "\(completed), \(given)")
        #expect(stopped > 0 && resumed > 0 && ineffective > 0)
        // Too many offers, differs, cancelled, changed, unreadable.
        #expect(
            rejected.isSuperset(of: [65_526, 65_527, 65_528, 65_529, 65_532]), "\(rejected)")
    }

    /// A device that has a whole file of the counterpart, which its application has not taken.
    private static func whole() throws -> FileAttack {
        let attack = try FileAttack([])
        for step in [0x31, 0x02, 0x02] as [UInt8] {
            try attack.perform(step)
            attack.check()
        }
        try #require(attack.complaint == nil && attack.whole.count == 1)
        return attack
    }

    @Test func a_name_without_the_content_of_its_offer_is_found() throws {
        let attack = try Self.whole()
        let path = try #require(attack.whole.values.first)
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        attack.compared = []
        attack.check()
        let complaint = try #require(attack.complaint)
        #expect(complaint == "a file has its name without the content of its offer: a1")
    }

    @Test func a_file_that_nobody_offered_is_found() throws {
        let attack = try Self.whole()
        try Data([1]).write(to: URL(fileURLWithPath: attack.place + "/x"))
        attack.check()
        #expect(attack.complaint == "something stands among the files: x")
    }

    @Test(
        arguments: [
            (101, 0, [0, 31, 62], nil), (101, 0, [0, 32], "a block has other bytes than its file"),
            (101, 199_999, [161, 192], "a block has other bytes than its file"),
            (1, 0, [0], "a block is given of a file that is not sent"),
        ] as [(UInt128, UInt64, [UInt8], String?)])
    func a_wrong_block_is_found(
        _ file: UInt128, _ offset: UInt64, _ bytes: [UInt8], _ complaint: String?
    ) throws {
        let attack = try FileAttack([])
        let payload = FileMessage.block(offset: offset, bytes[...]).bytes(of: file)
        let draft = RecordDraft(channel: .block, kind: .filePart, payload: payload)
        #expect(attack.link.transfer([draft]) { _, _ in } == nil)
        attack.check()
        #expect(attack.complaint == complaint)
        // A device that gives it again does not wait until it is settled.
        #expect(attack.link.transfer([draft]) { _, _ in } == nil)
        attack.check()
        #expect(attack.complaint == complaint ?? "a block begins in one that is on its way")
    }

    @Test func too_much_memory_is_found() throws {
        let load = try FileAttack([]).exchange.load
        #expect(FileAttack.complaint(on: load, offers: 0) == nil)
        let changes: [(inout FileExchange.Load) -> Void] = [
            { $0.offers = 1 }, { $0.arrivals = 1 }, { $0.offerBytes = 65_537 },
            { $0.requestedBytes = 524_289 }, { $0.blocks = 193 }, { $0.blockBytes = 524_289 },
            { $0.blocksUnderWay = 193 },
            { $0.bytesUnderWay = 1_048_577 }, { $0.unsentSignals = 3 },
        ]
        for (number, change) in changes.enumerated() {
            var other = load
            change(&other)
            #expect(FileAttack.complaint(on: other, offers: 0) != nil, "change \(number)")
        }
    }

    /// The bounds of T-1, whatever the counterpart has offered (T-1).
    @Test(arguments: [(0x04, 64), (0x08, 15)] as [(UInt8, Int)])
    func too_many_offers_are_found(_ choice: UInt8, _ most: Int) throws {
        let attack = try FileAttack([UInt8](repeating: choice, count: 5))
        for _ in 0..<4 { try attack.perform(0x01) }
        let load = attack.exchange.load
        #expect(load.offers == most && load.arrivals == most)
        #expect(attack.events.rejected[65_526] ?? 0 > 0)
        #expect(FileAttack.complaint(on: load, offers: 2_000) == nil)
        // A device without the bounds keeps a further one, or a payload of the largest record.
        var other = load
        other.offers = 65
        #expect(FileAttack.complaint(on: other, offers: 2_000) != nil)
        other = load
        other.offerBytes += 1 << 22
        #expect(FileAttack.complaint(on: other, offers: 2_000) != nil)
    }

    @Test func nothing_stays_on_the_disk() throws {
        var place = ""
        do {
            let attack = try FileAttack([0, 0x51, 0, 0x02])
            #expect(attack.run() == nil)
            place = attack.place
            #expect(FileManager.default.fileExists(atPath: place))
            withExtendedLifetime(attack) {}
        }
        let folder = URL(fileURLWithPath: place).deletingLastPathComponent().path
        #expect(!FileManager.default.fileExists(atPath: folder))
    }
}
