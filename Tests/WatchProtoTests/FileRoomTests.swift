import Foundation
import Locks
import Testing
import WatchProtoCore

@testable import WatchProto

/// A receiver whose disk is full for a while (T-12), and the reports of a transfer.
@Suite struct FileRoomTests {
    private let folder: Folder
    private let device: FileDevice
    /// The bytes that stay free for the journal.
    private static let reserve: UInt64 = 64 << 20
    private let id = KeepingLink.record(1, .bulk)

    init() throws {
        folder = try Folder()
        device = try FileDevice(.watch, directory: folder.file("in"))
    }

    private func content(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    private func setRoom(_ bytes: UInt64) {
        device.surroundings.freeBytes.withLock { $0 = bytes }
    }

    private func tryAgain() { device.pass(.seconds(10)) }

    private var problems: [String] { device.surroundings.problems(of: id) }

    /// The durable bytes of the file.
    private var durable: UInt64 {
        device.exchange.state.withLock { $0.arrivals.first { $0.record.id == id }?.durable ?? 0 }
    }

    @Test func `a file needs room for its bytes and 64 MiB beside it (T-12)`() throws {
        setRoom(Self.reserve + 299_999)
        device.offer(1, content(300_000))
        device.offer(2, content(3))
        device.work.run()
        #expect(problems == ["No space left on device"] && device.asked == [2])
        device.say(.block(offset: 0, content(3)[...]), of: 2)
        device.work.run()
        tryAgain()
        #expect(problems.count == 2 && device.asked == [2])
        setRoom(Self.reserve + 300_000)
        tryAgain()
        #expect(problems.count == 2 && device.asked == [2, 1])
    }

    /// An honest sender of one file.
    private struct Sender {
        let content: [UInt8]
        /// The requests that it read.
        private(set) var requests: [Range<UInt64>] = []
        private var looked = 0
        private var blocks: [Range<Int>] = []

        init(_ content: [UInt8]) { self.content = content }

        /// Gives the next block that was requested. Returns whether there was one.
        mutating func give(to device: FileDevice) -> Bool {
            let sent = device.sent()
            for (_, message) in sent[looked...] {
                guard case .wanted(let offset, let count, let blockBytes, _) = message else {
                    continue
                }
                let (begin, end) = (Int(offset), Int(offset) + count)
                requests.append(offset..<UInt64(end))
                blocks += stride(from: begin, to: end, by: blockBytes).map {
                    $0..<min($0 + blockBytes, end)
                }
            }
            looked = sent.count
            guard !blocks.isEmpty else { return false }
            let block = blocks.removeFirst()
            let bytes = Array(content[block])
            device.say(.block(offset: UInt64(block.lowerBound), bytes[...]), of: 1)
            device.work.run()
            return true
        }

        mutating func forget() { (requests, blocks) = ([], []) }
    }

    @Test func `room that is lost between checkpoints leaves the durable bytes (T-12)`() throws {
        let size: UInt64 = 1_000_000
        setRoom(1 << 40)
        var sender = Sender(content(Int(size)))
        device.offer(1, sender.content)
        device.work.run()
        while durable == 0, sender.give(to: device) {}
        let kept = durable
        #expect(kept >= 262_144 && kept < size)
        // Each checkpoint leaves room for the journal.
        setRoom(Self.reserve)
        while durable == kept, sender.give(to: device) {}
        let more = durable
        #expect(more >= kept + 262_144 && more < size && problems.isEmpty)
        setRoom(Self.reserve - 1)
        while problems.isEmpty, sender.give(to: device) {}
        #expect(problems == ["No space left on device"] && durable == more)
        let asked = device.asked.count
        setRoom(Self.reserve + size - more - 1)
        tryAgain()
        #expect(problems.count == 2 && durable == more && device.asked.count == asked)
        // Blocks that are on their way are of no use.
        while sender.give(to: device) {}
        sender.forget()
        setRoom(Self.reserve + size - more)
        tryAgain()
        #expect(problems.count == 2)
        while sender.give(to: device) {}
        #expect(sender.requests.first?.lowerBound == more)
        #expect(sender.requests.reduce(0) { $0 + $1.count } == Int(size - more))
        let path = try #require(device.surroundings.paths.withLock { $0.first })
        #expect(Array(try Data(contentsOf: URL(fileURLWithPath: path))) == sender.content)
    }

    @Test func `of a fast file its first and its last bytes are told`() {
        setRoom(1 << 40)
        var sender = Sender(content(1_000_000))
        device.offer(1, sender.content)
        device.work.run()
        while sender.give(to: device) {}
        func told() -> [UInt64] { device.surroundings.reports.withLock { $0.map(\.done) } }
        #expect(told().count == 1 && device.surroundings.paths.withLock { $0.count } == 1)
        device.pass(ProgressReports.pause)
        #expect(told().count == 2 && told().last == 1_000_000)
        #expect(device.exchange.nextDeadline == nil)
    }
}
