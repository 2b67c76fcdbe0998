import CPosix
import ControlProtocol
import Glibc

/// A directory for the sockets and files of one test; removed at its end.
final class Bench {
    let directory: String

    init() {
        var template = Array("/tmp/watchproto-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe mkdtemp(buffer.baseAddress!) != nil
        }
        precondition(made)
        directory = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in files { _ = unsafe unlink("\(directory)/\(name)") }
        _ = unsafe rmdir(directory)
    }

    /// The names of the files in the directory.
    var files: [String] { names(in: directory) }

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    /// The address of a socket that both sides meet at.
    func link(_ scheme: String = "unix") -> String { "\(scheme):\(path("link.sock"))" }

    /// A list of `count` medications, as a file.
    func list(count: Int = 20, notes: String = "") -> String {
        let entries = (0..<count).map { index -> JSONValue in
            [
                "name": .string("Medicine \(index)"), "strength": .string("\(index + 1) mg"),
                "form": "tablet", "isAsNeeded": true,
                "instructions": "Take with a glass of water.",
                "notes": .string(notes),
                "createdAt": "2026-01-01T00:00:00Z",
            ]
        }
        let name = path("list.json")
        write(
            JSONWriter.text(
                ["format": "watchproto.medications/1", "medications": .array(entries)]), to: name)
        return name
    }

    func write(_ text: String, to name: String) {
        let file = unsafe fopen(name, "w")
        _ = unsafe fputs(text, file)
        _ = unsafe fclose(file)
    }

    /// Connects to a Unix socket as an attacker would; -1 when that fails.
    static func connect(_ path: String) -> Int32 {
        // A listener that has closed must not end the tests.
        watchproto_ignore_broken_pipes()
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let bytes = Array(path.utf8)
        if unsafe watchproto_unix_connect(number, bytes, bytes.count) == 0 { return number }
        close(number)
        return -1
    }
}

/// A phone and a watch that speak with each other.
struct Pair {
    let bench: Bench
    var phone: Program
    var watch: Program

    /// Starts both on the link and waits until they can hear each other.
    init(
        _ bench: Bench, link: String? = nil, phoneFirst: Bool = false, further: [String] = []
    ) throws {
        self.bench = bench
        let link = link ?? bench.link()
        if phoneFirst {
            phone = try Program("PhoneSim", ["--link", link] + further)
            // Long enough to have found nobody.
            usleep(100_000)
            watch = try Program("WatchSim", ["--link", link] + further)
        } else {
            watch = try Program("WatchSim", ["--link", link] + further)
            phone = try Program("PhoneSim", ["--link", link] + further)
        }
        try pairIfNeeded()
        try awaitReachability()
    }

    /// Takes two that are started already, and waits until they can hear each other.
    init(
        _ bench: Bench, phone: @autoclosure () throws -> Program,
        watch: @autoclosure () throws -> Program
    ) throws {
        self.bench = bench
        self.watch = try watch()
        self.phone = try phone()
        try pairIfNeeded()
        try awaitReachability()
    }

    /// Pairs the two where they are not a pair yet: the watch shows a code.
    func pairIfNeeded() throws {
        let both = [phone, watch]
        guard both.contains(where: { $0.ready["sealed"] == true && $0.ready["paired"] == false })
        else { return }
        try Self.pair(shows: watch, enters: phone)
    }

    /// Makes the files `p` and `w` of a pair.
    static func couple(_ bench: Bench) throws {
        let pair = try Pair(
            bench,
            phone: Program("PhoneSim", ["--link", bench.link(), "--journal", bench.path("p")]),
            watch: Program("WatchSim", ["--link", bench.link(), "--journal", bench.path("w")]))
        for program in [pair.phone, pair.watch] {
            try program.call("quit")
            _ = try program.awaitEnd()
        }
    }

    /// Pairs two devices: a code, and both confirmations with it.
    static func pair(shows: Program, enters: Program) throws {
        let code = try shows.call("pair.show", ["confirmed": true])["code"] ?? .null
        try enters.call("pair.enter", ["code": code, "confirmed": true])
        try enters.wait("pairing.done")
        try shows.wait("pairing.done")
    }

    func awaitReachability() throws {
        try phone.wait("reachability", ["reachable": true])
        try watch.wait("reachability", ["reachable": true])
    }

    /// Imports `file`, synchronizes, and waits until the watch holds the same. Gives the reply to
    /// `sync`.
    @discardableResult
    func synchronize(_ file: String? = nil) throws -> JSONValue {
        if let file { try phone.call("import", ["path": .string(file)]) }
        let reply = try phone.call("sync")
        let digest = try phone.call("list")["digest"]
        try watch.poll("store") { $0["digest"] == digest }
        return reply
    }
}

/// The words of `counterpart` for a device that lost state.
enum Change {
    static let wentBack: JSONValue = "went_back"
    static let wiped: JSONValue = "wiped"
    static let lostQueue: JSONValue = "went_back"
    static let lostLastRecords: JSONValue = "went_back"
    /// The first session of the phone's process.
    static let restarted: JSONValue = "first"
}

extension Bench {
    /// Three medications, at eight in the morning and in the evening.
    func plannedList() -> String {
        let entries = (0..<3).map { index -> JSONValue in
            [
                "name": .string("Medicine \(index)"), "strength": "5 mg", "form": "tablet",
                "schedule": ["times": ["08:00", "20:00"]], "createdAt": "2026-01-01T00:00:00Z",
            ]
        }
        let name = path("planned.json")
        write(
            JSONWriter.text(
                ["format": "watchproto.medications/1", "medications": .array(entries)]), to: name)
        return name
    }
}
