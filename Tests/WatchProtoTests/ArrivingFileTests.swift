import Foundation
import Glibc
import Testing
import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

@testable import WatchProto

/// The durable bytes that a receiver finds when it opens a file again.
@Suite struct ArrivingFileTests {
    private static let step = Int(ArrivingFile.checkpointBytes)
    private static let id = KeepingLink.record(1)
    private static let freeBytes: FileCenter.FreeBytes = { file throws(SystemErrorNumber) in
        try file.freeBytes()
    }
    private let folder: Folder
    private let content: [UInt8]
    private let offer: FileOffer

    init() throws {
        folder = try Folder()
        var random = SeededGenerator(seed: 5)
        content = (0..<(4 * Self.step + 1_000)).map { _ in
            UInt8(truncatingIfNeeded: random.next())
        }
        offer = Self.offer(of: content)
    }

    private static func offer(of content: [UInt8]) -> FileOffer {
        var digest = FileDigest()
        digest.update(content.span)
        return FileOffer(
            size: UInt64(content.count), hash: digest.finish(), name: "a.bin", metadata: [])
    }

    private var place: String { folder.file("in") }
    private var part: String { ArrivingFile.Place(Self.id, offer, in: place).part }

    private func open(_ offer: FileOffer? = nil) throws -> ArrivingFile {
        try ArrivingFile.open(Self.id, offer ?? self.offer, in: place, Self.freeBytes, at: .zero)
    }

    /// Appends the content up to an offset, with its checkpoints.
    private func fill(_ file: inout ArrivingFile, to end: Int) throws {
        while file.received < UInt64(end) {
            let begin = Int(file.received)
            try file.append(content[begin..<min(begin + 61_440, end)])
            _ = try file.checkpoint(at: .zero)
        }
    }

    /// The bytes of the file on the disk.
    private func bytes() throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: part)))
    }

    private func write(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: part))
    }

    private func damage(_ offset: Int) throws {
        var bytes = try bytes()
        bytes[offset] ^= 1
        try write(bytes)
    }

    /// The durable bytes after a file of which so many bytes came is opened again.
    private func reopened(after end: Int, _ change: () throws -> Void = {}) throws -> UInt64 {
        do {
            var file = try open()
            try fill(&file, to: end)
        }
        try change()
        return try found()
    }

    /// The durable bytes of a file that is opened.
    private func found(_ offer: FileOffer? = nil) throws -> UInt64 {
        let file = try open(offer)
        let (received, durable) = (file.received, file.durable)
        #expect(received == durable)
        return durable
    }

    /// Gives the file its name. Returns its path; nil if its content differs.
    private func finished(_ offer: FileOffer? = nil) throws -> String? {
        let file = try open(offer)
        let isComplete = file.isComplete
        #expect(isComplete)
        return try file.finish()
    }

    private func offset(_ place: Int) -> Int { Int(FileCheckpoint.offset(place, offer)) }

    @Test func `the newest checkpoint counts, and the rest of the content follows it (T-8)`()
        throws
    {
        var told: UInt64 = 0
        do {
            var file = try open()
            try fill(&file, to: 3 * Self.step + 70_000)
            told = file.durable
        }
        #expect(try told == 614_400 && found() == told)
        do {
            var file = try open()
            try fill(&file, to: content.count)
        }
        let path = try #require(try finished())
        #expect(Array(try Data(contentsOf: URL(fileURLWithPath: path))) == content)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place).count == 1)
    }

    @Test func `a checkpoint that is torn leaves the former one (T-8)`() throws {
        // Blocks of 61,440 bytes: checkpoints at 5 and 10 of them, in the places 0 and 1.
        let durable = try reopened(after: 700_000) { try damage(offset(1) + 3) }
        #expect(durable == 5 * 61_440)
    }

    @Test(arguments: [8, 40]) func `nothing counts if both are torn (T-8)`(field: Int) throws {
        let durable = try reopened(after: 700_000) {
            for place in FileCheckpoint.places { try damage(offset(place) + field) }
        }
        #expect(durable == 0)
        #expect(try bytes() == [])
    }

    @Test(arguments: [(400_000, 307_200), (307_199, 0), (614_400, 614_400)])
    func `content that is damaged does not count (T-8)`(damaged: Int, rest: UInt64) throws {
        #expect(try reopened(after: 700_000) { try damage(damaged) } == rest)
    }

    @Test func `a checkpoint of another offer does not count (T-8)`() throws {
        #expect(try reopened(after: 700_000) == 614_400)
        var other = offer
        other.hash[0] ^= 1
        #expect(try found(other) == 0)
        #expect(FileCheckpoint([UInt8](repeating: 0, count: 72), of: offer) == nil)
        #expect(try reopened(after: 0) == 0)
    }

    /// Of the blocks of the disk that changed since the last sync, any may be there.
    @Test func `no durable byte is lost with the power (T-8)`() throws {
        var random = SeededGenerator(seed: 9)
        var newer = 0
        for _ in 0..<60 {
            try? FileManager.default.removeItem(atPath: place)
            let end = Int(random.next() % UInt64(content.count - Self.step))
            var (synced, written): ([UInt8], [UInt8]) = ([], [])
            var durable: UInt64 = 0
            do {
                var file = try open()
                try fill(&file, to: end)
                durable = file.durable
                // The sync has ended for the durable bytes; the rest may be there or not.
                synced = try bytes()
                try fill(&file, to: end + Self.step)
                written = try bytes()
            }
            // Most of the blocks, or all.
            let most = random.next() % 2 == 0
            for begin in stride(from: 0, to: written.count, by: 4_096)
            where !most || random.next() % 8 > 0 {
                let block = begin..<min(begin + 4_096, written.count)
                if synced.count < block.upperBound {
                    synced += [UInt8](repeating: 0, count: block.upperBound - synced.count)
                }
                synced.replaceSubrange(block, with: written[block])
            }
            try write(synced)
            let found = try found()
            #expect(found >= durable, "\(found) after \(durable) of \(end)")
            if found > durable { newer += 1 }
            var file = try open()
            try fill(&file, to: content.count)
            let path = try file.finish()
            #expect(path != nil)
        }
        #expect(newer > 0 && newer < 60)
    }

    @Test func `a file that was cut off for its name is whole when it is opened again (T-8)`()
        throws
    {
        let durable = try reopened(after: content.count) {
            let file = try OpenFile(writing: part)
            try file.truncate(to: offer.size)
        }
        #expect(durable == offer.size)
        let path = try #require(try finished())
        // The application did not answer.
        #expect(try found() == offer.size)
        #expect(try bytes() == content && !FileManager.default.fileExists(atPath: path))
        // It changed the file.
        _ = try #require(try finished())
        try Data(content.reversed()).write(to: URL(fileURLWithPath: path))
        #expect(try found() == 0)
    }

    @Test(arguments: [true, false])
    func `a link in the place of the content is removed alone (T-8)`(isHard: Bool) throws {
        let other = folder.file("other")
        let bytes = Array(content[..<1_000])
        try Data(bytes).write(to: URL(fileURLWithPath: other))
        try Directories.make(place)
        if isHard {
            try FileManager.default.linkItem(atPath: other, toPath: part)
        } else {
            try FileManager.default.createSymbolicLink(
                atPath: part, withDestinationPath: other)
        }
        #expect(try reopened(after: content.count) == offer.size)
        _ = try #require(try finished())
        #expect(Array(try Data(contentsOf: URL(fileURLWithPath: other))) == bytes)
    }

    @Test func `a file with both of its names goes on (T-8)`() throws {
        #expect(try reopened(after: content.count) == offer.size)
        let path = try #require(try finished())
        // The process ended while it took the file back.
        try FileManager.default.linkItem(atPath: path, toPath: part)
        #expect(try found() == offer.size)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `no file is taken or written through a link to a directory (T-12)`() throws {
        let other = folder.file("other")
        try FileManager.default.createDirectory(
            atPath: other, withIntermediateDirectories: false)
        let file = "\(other)/\(offer.name)"
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: file))
        try Directories.make(place)
        try FileManager.default.createSymbolicLink(
            atPath: ArrivingFile.Place(Self.id, offer, in: place).folder,
            withDestinationPath: other)
        #expect(try reopened(after: content.count) == offer.size)
        #expect(throws: SystemErrorNumber(20)) { _ = try finished() }
        #expect(Array(try Data(contentsOf: URL(fileURLWithPath: file))) == [1, 2, 3])
        #expect(try found() == offer.size)
    }

    @Test func `the directory of the files may be a link (T-12)`() throws {
        let other = folder.file("other")
        try Directories.make(other)
        try FileManager.default.createSymbolicLink(
            atPath: place, withDestinationPath: other)
        #expect(try reopened(after: content.count) == offer.size)
        let path = try #require(try finished())
        #expect(path.hasPrefix(place))
    }

    /// A directory that may not be read cannot be synced. In a process of its own, as root may read
    /// any.
    @Test func a_file_gets_its_name_when_that_of_its_directory_is_durable() async throws {
        #expect(try reopened(after: content.count) == offer.size)
        await #expect(processExitsWith: .success) {
            [
                folder = folder.path as String, place = place as String,
                bytes = offer.bytes as [UInt8]
            ] in
            // The other user may not be allowed into the directories above.
            #expect(unsafe chdir(folder) == 0)
            let offer = try FileOffer(bytes)
            let place = String(place.dropFirst(folder.count + 1))
            let names = ArrivingFile.Place(Self.id, offer, in: place)
            if getuid() == 0 {
                for path in [".", place, names.part] {
                    _ = unsafe chown(path, 65_534, 65_534)
                }
                _ = setgid(65_534)
                _ = setuid(65_534)
            }
            _ = unsafe chmod(place, 0o300)
            defer { _ = unsafe chmod(place, 0o700) }
            let file = try ArrivingFile.open(Self.id, offer, in: place, Self.freeBytes, at: .zero)
            do throws(SystemErrorNumber) {
                _ = try file.finish()
                Issue.record("the directory was not synced")
            } catch {
                #expect(error == SystemErrorNumber(EACCES))
            }
            #expect(Directories.isDirectory(names.folder, followsLink: false))
            #expect(FileManager.default.fileExists(atPath: names.part))
            #expect(!FileManager.default.fileExists(atPath: names.whole))
        }
    }

    @Test func `an empty file needs no checkpoint (T-8)`() throws {
        let empty = Self.offer(of: [])
        let path = try #require(try finished(empty))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
    }

    @Test func `content that differs gets no name (T-9)`() throws {
        var other = offer
        other.hash[0] ^= 1
        var file = try open(other)
        try fill(&file, to: content.count)
        let path = try file.finish()
        #expect(path == nil)
    }
}
