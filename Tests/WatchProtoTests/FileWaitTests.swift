import Foundation
import Glibc
import Locks
import Testing
import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

@testable import WatchProto

/// Files that cannot go on for now, beside others that can.
@Suite struct FileWaitTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func receiver() throws -> FileDevice {
        try FileDevice(.watch, directory: folder.file("in"))
    }

    /// A device that has offered a file of three bytes as the record 1.
    private func sender(_ path: String) throws -> FileDevice {
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        let device = try FileDevice(.phone)
        let source = try #require(FileCenter.source(path, metadata: []))
        _ = device.center.keep(source, as: 1, for: 7)
        device.center.offered(1, for: 7, as: KeepingLink.record(1, .bulk))
        return device
    }

    /// A process that ends before its application answers leaves the file under its name.
    @Test func `a whole file of a former process goes when its sender cancels (T-11)`() throws {
        let device = try receiver()
        device.offer(1, [])
        device.work.run()
        let path = try #require(device.surroundings.paths.withLock { $0.first })
        let next = try receiver()
        next.offer(1, [])
        next.say(.stopped(.cancelled), of: 1)
        next.work.run()
        #expect(next.link.contents.withLock { $0.rejected } == [65_528])
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a whole file stays with the application that has it (T-11)`() throws {
        let device = try receiver()
        device.offer(1, [])
        device.work.run()
        device.exchange.end()
        device.exchange.begin(device.link, with: 7)
        device.offer(1, [])
        device.say(.stopped(.cancelled), of: 1)
        device.work.run()
        #expect(device.link.contents.withLock { $0.rejected } == [])
        let paths = device.surroundings.paths.withLock { $0 }
        #expect(paths.count == 2 && paths[0] == paths[1])
        #expect(FileManager.default.fileExists(atPath: paths[0]))
    }

    @Test func `an offer of a former session is known until it is cancelled (T-10)`() throws {
        let path = folder.file("a")
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        let device = try FileDevice(.phone)
        let source = try #require(FileCenter.source(path, metadata: [9]))
        _ = device.center.keep(source, as: 1, for: 7)
        let draft = RecordDraft(
            channel: .bulk, kind: .file, payload: source.offer.bytes, idempotencyKey: 1)
        _ = try device.link.transfer(draft, writes: []) { _, _ in }
        device.exchange.end()
        #expect(device.center.offers(for: 7).isEmpty)
        device.exchange.begin(device.link, with: 7)
        let offers = device.center.offers(for: 7)
        #expect(offers.map(\.file) == [1] && offers.map(\.metadata) == [[9]])
        #expect(device.center.offers(for: 8).isEmpty)
        let id = try #require(device.center.offer(of: 1, for: 7))
        #expect(device.center.change(id, to: .cancelled))
        #expect(device.center.offers(for: 7).isEmpty)
    }

    @Test func `each pause of an offered file counts, and each end of one (T-11)`() throws {
        let device = try receiver()
        let numbers = 1...150
        for number in numbers { device.offer(number, [1]) }
        // Nobody has looked at the offers yet.
        for number in numbers { device.say(.stopped(.paused), of: number) }
        // Files that were not offered take no memory.
        for number in 1_000..<3_000 { device.say(.stopped(.paused), of: number) }
        device.work.run()
        let paused = device.exchange.state.withLock { $0.arrivals.count(where: \.isPaused) }
        #expect(paused == 150 && device.asked.isEmpty)
        for number in numbers { device.say(.resumed, of: number) }
        device.work.run()
        let rest = device.exchange.state.withLock { $0.arrivals.count(where: \.isPaused) }
        #expect(rest == 0 && device.asked == [1])
    }

    @Test func `a file that its disk cannot take holds back no other (T-12)`() throws {
        let device = try receiver()
        device.offer(1, [1, 2])
        // A directory that is not empty stands where its content is to be.
        let id = KeepingLink.record(1, .bulk)
        let offer = FileOffer(
            size: 2, hash: [UInt8](repeating: 0, count: 32), name: "a1", metadata: [])
        let part = ArrivingFile.Place(id, offer, in: folder.file("in")).part
        try FileManager.default.createDirectory(
            atPath: part + "/x", withIntermediateDirectories: true)
        device.offer(2, [3, 4])
        device.work.run()
        #expect(device.asked == [2])
        #expect(device.surroundings.problems(of: id).count == 1)
        device.say(.block(offset: 0, [3, 4]), of: 2)
        device.work.run()
        #expect(device.surroundings.paths.withLock { $0.map { String($0.suffix(3)) } } == ["/a2"])
        try FileManager.default.removeItem(atPath: part)
        #expect(device.exchange.nextDeadline == .zero.advanced(by: .seconds(10)))
        device.pass(.seconds(9))
        #expect(device.asked == [2])
        device.pass(.seconds(1))
        #expect(device.asked == [2, 1])
    }

    @Test func `a file that its sender cannot read holds back no other (T-11)`() throws {
        let device = try receiver()
        for number in 1...2 { device.offer(number, [1, 2]) }
        device.work.run()
        device.say(.stopped(.unreadable), of: 1)
        device.work.run()
        #expect(device.asked == [1, 2])
        #expect(device.surroundings.problems(of: KeepingLink.record(1, .bulk)).count == 1)
        device.say(.block(offset: 0, [1, 2]), of: 2)
        device.work.run()
        device.pass(.seconds(10))
        #expect(device.asked == [1, 2, 1])
        // A session begins: it does not wait for the end of the pause.
        device.say(.stopped(.unreadable), of: 1)
        device.work.run()
        device.exchange.connected()
        device.work.run()
        #expect(device.asked.suffix(2) == [1, 1])
    }

    /// The other device sends single bytes while the disk is waited for.
    @Test func `small blocks are joined in memory (T-6)`() throws {
        let device = try receiver()
        let content = (0..<32_768).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        device.offer(1, content)
        device.work.run()
        for (offset, byte) in content.enumerated() {
            device.say(.block(offset: UInt64(offset), [byte]), of: 1)
        }
        #expect(device.exchange.state.withLock { $0.blocks.count } <= 6)
        device.work.run()
        let path = try #require(device.surroundings.paths.withLock { $0.first })
        #expect(Array(try Data(contentsOf: URL(fileURLWithPath: path))) == content)
    }

    @Test func `a file that was taken without an answer is fetched again (T-8)`() throws {
        let device = try receiver()
        func give() {
            device.offer(1, [1, 2])
            device.work.run()
        }
        give()
        device.say(.block(offset: 0, [1, 2]), of: 1)
        device.work.run()
        let path = try #require(device.surroundings.paths.withLock { $0.first })
        device.link.contents.withLock { $0.isOpen = false }
        #expect(!device.exchange.accept(KeepingLink.record(1, .bulk)))
        // It is there still.
        give()
        #expect(device.surroundings.paths.withLock { $0 } == [path, path] && device.asked == [1])
        try FileManager.default.removeItem(atPath: path)
        give()
        #expect(device.surroundings.paths.withLock { $0.count } == 2 && device.asked == [1, 1])
    }

    @Test func `an offer that comes again while it is answered is not fetched (T-8)`() throws {
        let device = try receiver()
        device.offer(1, [1, 2])
        device.work.run()
        device.say(.block(offset: 0, [1, 2]), of: 1)
        device.work.run()
        let path = try #require(device.surroundings.paths.withLock { $0.first })
        // A journal that was opened again gives it before the answer.
        device.offer(1, [1, 2])
        #expect(device.exchange.accept(KeepingLink.record(1, .bulk)))
        try FileManager.default.removeItem(atPath: path)
        device.work.run()
        #expect(device.asked == [1] && device.surroundings.paths.withLock { $0 } == [path])
    }

    @Test func `the receiver tells the bytes that are durable, not those it asks for`() throws {
        let device = try receiver()
        let content = [UInt8](repeating: 3, count: 600_000)
        device.offer(1, content)
        device.work.run()
        for begin in stride(from: 0, to: 32_768, by: 8_192) {
            let block = Array(content[begin..<(begin + 8_192)])
            device.say(.block(offset: UInt64(begin), block[...]), of: 1)
            device.work.run()
        }
        let wanted = device.sent().map(\.message)
        guard case .wanted(let offset, _, _, let durable) = wanted.last else {
            Issue.record("nothing was asked for")
            return
        }
        #expect(offset >= 32_768 && durable == 0)
        let path = folder.file("own.bin")
        let sender = try sender(path)
        sender.say(.wanted(offset: 2, count: 1, blockBytes: 8_192, durable: 1), of: 1)
        sender.work.run()
        #expect(sender.surroundings.reports.withLock { $0.map(\.done) } == [1])
    }

    @Test(arguments: ["directory", "pipe", "loop", "nothing"])
    func `a path that is no file any more ends the transfer (T-10)`(_ kind: String) throws {
        let path = folder.file("own.bin")
        let device = try sender(path)
        try FileManager.default.removeItem(atPath: path)
        switch kind {
        case "directory":
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
        case "pipe": #expect(unsafe mkfifo(path, 0o600) == 0)
        case "loop": #expect(unsafe symlink(path, path) == 0)
        default: break
        }
        device.say(.wanted(offset: 0, count: 3, blockBytes: 8_192, durable: 0), of: 1)
        device.work.run()
        #expect(device.sent().map(\.message) == [.stopped(.changed)])
    }

    @Test func `a read that fails is told to both applications (T-10)`() throws {
        let path = folder.file("own.bin")
        let device = try sender(path)
        try FileManager.default.removeItem(atPath: path)
        // No file system looks for such a name.
        #expect(unsafe symlink(String(repeating: "a", count: 256), path) == 0)
        device.say(.wanted(offset: 0, count: 3, blockBytes: 8_192, durable: 0), of: 1)
        device.work.run()
        #expect(device.sent().map(\.message) == [.stopped(.unreadable)])
        let problems = device.surroundings.problems(of: KeepingLink.record(1, .bulk))
        #expect(problems.count == 1 && problems[0].contains("name too long"), "\(problems)")
    }
}
