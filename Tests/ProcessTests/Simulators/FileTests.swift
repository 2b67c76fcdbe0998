import CPosix
import ControlProtocol
import Foundation
import Glibc
import Testing

/// The program that lifts the limit of a process that runs (util-linux).
private enum Lifting { static let program = "/usr/bin/prlimit" }

/// Files between processes that are killed, and on disks that are full (article *Files*).
@Suite(.serialized, .timeLimit(.minutes(5))) final class FileTests {
    private let bench = Bench()

    /// Mebibytes of the large file; `WATCHPROTO_FILE_MIB=1024` sends a gibibyte.
    private static let mebibytes =
        ProcessInfo.processInfo.environment["WATCHPROTO_FILE_MIB"].flatMap(Int.init) ?? 64

    init() throws {
        try FileManager.default.createDirectory(
            atPath: bench.path("in"), withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: bench.path("in")) }

    private func phone() throws -> Program {
        try Program("PhoneSim", ["--link", bench.link(), "--journal", bench.path("p")])
    }

    private var wordsOfWatch: [String] {
        ["--link", bench.link(), "--journal", bench.path("w"), "--inbox", bench.path("in")]
    }

    private func watch() throws -> Program { try Program("WatchSim", wordsOfWatch) }

    private func kill(_ program: Program) throws {
        program.signal(SIGKILL)
        #expect(try program.awaitEnd() == .signalled(SIGKILL))
    }

    /// A file whose parts differ.
    private func file(_ mebibytes: Int) throws -> String {
        let path = bench.path("scan.bin")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        var part = (0..<(1 << 20)).map { _ in UInt8.random(in: 0...255) }
        for number in 0..<mebibytes {
            part[number & 0xFFFF] &+= 1
            try file.write(contentsOf: part)
        }
        try file.close()
        return path
    }

    /// The bytes that a device told last, of those that a file has.
    private func told(_ program: Program) -> Int64 {
        let last = program.events.last { $0["event"] == "file.progress" }
        return last?["done"]?.integer ?? 0
    }

    /// Waits until the watch has told of so many bytes, or all is over; gives those it told of.
    private func reach(
        _ bytes: Int64, _ watch: Program, unless isOver: () throws -> Bool = { false }
    ) throws -> Int64 {
        var failure: (any Error)?
        try watch.poll("status", times: 2000) { _ in
            do { return try told(watch) >= bytes || isOver() } catch {
                failure = error
                return true
            }
        }
        if let failure { throw failure }
        return told(watch)
    }

    /// Each of the two is killed at moments that nobody chose. No durable byte is fetched again,
    /// and the file is whole.
    @Test func a_file_survives_kills_of_both() throws {
        try Pair.couple(bench)
        let pair = try Pair(bench, phone: phone(), watch: watch())
        var (phone, watch) = (pair.phone, pair.watch)
        // A watch tells ten times a second, and a twentieth of this may arrive between two reports.
        let path = try file(384)
        let size = Int64(384 << 20)
        let sent = try phone.call("send", ["kind": "file", "path": .string(path)])
        func isOver() throws -> Bool {
            try phone.call("record.status", sent.recordID)["outcome"] == "applied"
        }
        var durable: Int64 = 0
        var killed = 0
        for number in 0..<6 where durable < size / 4 * 3 {
            durable = try reach(durable + Int64.random(in: 1...size / 16), watch, unless: isOver)
            if try isOver() { break }
            killed += 1
            if number % 2 == 0 {
                try kill(watch)
                watch = try self.watch()
                _ = try reach(1, watch, unless: isOver)
                if try isOver() { break }
                // The first that it tells is behind everything that was durable.
                let first = watch.events.first { $0["event"] == "file.progress" }
                let begun = first?["done"]?.integer ?? 0
                #expect(begun >= durable, "\(begun) bytes after \(durable)")
                durable = begun
            } else {
                try kill(phone)
                phone = try self.phone()
            }
        }
        #expect(killed >= 4)
        try phone.poll("record.status", sent.recordID, times: 1000) { $0["outcome"] == "applied" }
        // The watch that told where it is may be one that was killed.
        let names = try FileManager.default.contentsOfDirectory(atPath: bench.path("in"))
        #expect(names.count == 1, "\(names)")
        let below = try FileManager.default.subpathsOfDirectory(atPath: bench.path("in"))
        let place = bench.path("in/" + (below.max { $0.count < $1.count } ?? ""))
        #expect(FileManager.default.contentsEqual(atPath: path, andPath: place), "\(below)")
    }

    @Test func a_pause_outlives_a_kill_and_a_cancelled_file_leaves_nothing() throws {
        try Pair.couple(bench)
        let pair = try Pair(bench, phone: phone(), watch: watch())
        var phone = pair.phone
        // A large one without content, which takes seconds and no room here.
        let path = bench.path("large.bin")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let large = try FileHandle(forWritingTo: URL(filePath: path))
        try large.truncate(atOffset: 1 << 29)
        try large.close()
        let sent = try phone.call("send", ["kind": "file", "path": .string(path)]).recordID
        _ = try reach(1 << 20, pair.watch)
        try phone.call("file.pause", sent)
        try pair.watch.poll("status") { _ in
            pair.watch.events.last { $0["event"] == "file.progress" }?["problem"] != nil
        }
        let paused = told(pair.watch)
        try kill(phone)
        phone = try self.phone()
        try phone.poll("status") { $0["reachable"] == true }
        usleep(300_000)
        try pair.watch.call("status")
        #expect(told(pair.watch) == paused)
        try phone.call("file.resume", sent)
        _ = try reach(paused + 1 << 20, pair.watch)
        try phone.call("cancel", sent)
        try phone.poll("record.status", sent) { $0["outcome"] == "cancelled" }
        let names = try FileManager.default.contentsOfDirectory(atPath: bench.path("in"))
        #expect(names == [])
    }

    @Test func `a cancellation outlives a kill that follows it (T-10)`() throws {
        try Pair.couple(bench)
        let pair = try Pair(bench, phone: phone(), watch: watch())
        var phone = pair.phone
        let path = try file(1)
        for _ in 0..<6 {
            try phone.call("link.close")
            let sent = try phone.call("send", ["kind": "file", "path": .string(path)]).recordID
            try phone.call("file.pause", sent)
            try phone.call("link.open")
            try phone.poll("record.status", sent) { $0["stage"] == "committed" }
            // The watch cannot hear of the end from the process that is killed.
            try phone.call("link.close")
            try phone.call("cancel", sent)
            try kill(phone)
            phone = try self.phone()
            try phone.poll("status") { $0["reachable"] == true }
            try phone.poll("record.status", sent) { $0["outcome"] == "cancelled" }
        }
    }

    /// The disk of the watch is full for a while: it says so, and the file comes when there is
    /// space.
    @Test(.enabled(if: unsafe access(Lifting.program, X_OK) == 0, "needs prlimit"))
    func a_full_disk_is_told_and_survived() throws {
        try Pair.couple(bench)
        // No file may grow beyond 4 MiB, until that is lifted below.
        let script = "ulimit -S -f 8192; exec \"$0\" \"$@\""
        let pair = try Pair(
            bench, phone: phone(),
            watch: Program("/bin/sh", ["-c", script, Program.path("WatchSim")] + wordsOfWatch))
        let path = try file(6)
        try pair.phone.call("send", ["kind": "file", "path": .string(path)])
        try pair.watch.poll("status") { _ in
            pair.watch.events.contains { $0["problem"] != nil }
        }
        let problem = pair.watch.events.last { $0["problem"] != nil }
        #expect(problem?["problem"]?.string?.contains("File too large") == true)
        // Others pass meanwhile.
        try pair.phone.call("send", ["kind": "user_info", "text": "beside"])
        try pair.watch.wait("record.arrived", ["text": "beside"])
        let lifting = ["--pid", "\(pair.watch.pid)", "--fsize=unlimited"]
        let lifted = try Program(Lifting.program, lifting, awaitsReady: false)
        try #require(try lifted.awaitEnd() == .exited(0), "the limit stayed")
        try pair.watch.poll("status", times: 1000) { _ in
            pair.watch.events.contains { $0["kind"] == "file" }
        }
        let arrived = pair.watch.events.last { $0["kind"] == "file" }
        let place = try #require(arrived?["path"]?.string)
        #expect(FileManager.default.contentsEqual(atPath: path, andPath: place))
    }

    /// The journal of the phone cannot grow for a while: it says so, every offer that it accepted
    /// arrives, and so does one that it refused and that is made again.
    @Test(.enabled(if: unsafe access(Lifting.program, X_OK) == 0, "needs prlimit"))
    func a_full_disk_of_the_sender_is_told_and_survived() throws {
        try Pair.couple(bench)
        // No file may grow beyond 300 KiB, until that is lifted below.
        let script = "ulimit -S -f 600; exec \"$0\" \"$@\""
        let words = [
            "--link", bench.link(), "--journal", bench.path("p"), "--log-pages-ahead", "0",
        ]
        let pair = try Pair(
            bench,
            phone: Program("/bin/sh", ["-c", script, Program.path("PhoneSim")] + words),
            watch: watch())
        let path = bench.path("small.bin")
        try Data([1, 2, 3]).write(to: URL(filePath: path))
        let text = String(repeating: "a", count: 3_000)
        let offer: JSONValue = ["kind": "file", "path": .string(path), "text": .string(text)]
        var accepted: [JSONValue] = []
        var refused = 0
        for _ in 0..<300 where refused < 3 {
            let reply = try pair.phone.request("send", offer)
            if reply["ok"] == true { accepted.append(reply.recordID) } else { refused += 1 }
        }
        try #require(refused == 3 && !accepted.isEmpty, "the disk was never full")
        #expect(pair.phone.events.contains { $0["error"]?["code"] == "journal_failed" })
        let lifting = ["--pid", "\(pair.phone.pid)", "--fsize=unlimited"]
        let lifted = try Program(Lifting.program, lifting, awaitsReady: false)
        try #require(try lifted.awaitEnd() == .exited(0), "the limit stayed")
        try pair.phone.poll("status", times: 1000) { $0["reachable"] == true }
        let again = try pair.phone.call("send", offer).recordID
        for id in accepted + [again] {
            try pair.phone.poll("record.status", id, times: 1000) { $0["outcome"] == "applied" }
        }
    }

    /// The most memory that a process has had, in bytes.
    private func peakBytes(of program: Program) -> Int {
        let status = try? String(contentsOfFile: "/proc/\(program.pid)/status", encoding: .utf8)
        let line = (status ?? "").split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (line.split(separator: " ").compactMap { Int($0) }.first ?? 0) << 10
    }

    @Test func a_large_file_takes_little_memory_of_either_device() throws {
        try Pair.couple(bench)
        let pair = try Pair(bench, phone: phone(), watch: watch())
        // Code that the first block of all needs is not meant.
        let small = bench.path("small.bin")
        try Data(repeating: 7, count: 8_192).write(to: URL(filePath: small))
        try pair.phone.call("send", ["kind": "file", "path": .string(small)])
        try pair.watch.wait("record.arrived", ["kind": "file"])
        // The most that a pairing took is not meant, either (proc(5), `clear_refs`).
        for program in [pair.phone, pair.watch] {
            try Data("5".utf8).write(to: URL(filePath: "/proc/\(program.pid)/clear_refs"))
        }
        let before = [pair.phone, pair.watch].map(peakBytes)
        let path = try file(Self.mebibytes)
        let begin = watchproto_monotonic_nanoseconds()
        try pair.phone.call("send", ["kind": "file", "path": .string(path)], within: 60)
        try pair.watch.poll("status", times: 10_000) { _ in
            pair.watch.events.count { $0["event"] == "record.arrived" } == 2
        }
        let time = seconds(since: begin)
        let growth = zip([pair.phone, pair.watch].map(peakBytes), before).map { $0 - $1 }
        print(
            "a file of \(Self.mebibytes) MiB between processes: \(time) s; the phone grew by "
                + "\(growth[0] >> 10) KB, the watch by \(growth[1] >> 10)")
        // `rig lab files` has the same bound.
        for bytes in growth { #expect(bytes <= 1 << 20) }
    }
}
