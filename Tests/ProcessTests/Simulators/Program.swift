import CPosix
import ControlProtocol
import Glibc

/// A PhoneSim or WatchSim of the build under test, as another program would drive it: lines of JSON
/// on pipes. Dropping it ends it.
final class Program {
    enum End: Hashable {
        case exited(Int32)
        case signalled(Int32)
    }

    struct TimedOut: Error, CustomStringConvertible { var description: String }

    let pid: pid_t
    private(set) var events: [JSONValue] = []
    /// Every command sent by `request` with its reply, and every line that was no such reply.
    private(set) var exchanges: [(command: JSONValue, reply: JSONValue)] = []
    private(set) var others: [JSONValue] = []
    private(set) var ready: JSONValue = .null
    private var input: Int32
    let output: Int32
    private let errors: Int32
    private var reader = ControlLineReader()
    private var pieces: [ControlLineReader.Piece] = []
    private var errorBytes: [UInt8] = []
    private var nextID: Int64 = 1
    private var end: End?

    /// The directory of the programs: this test's own.
    static let directory: String = {
        var path = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/self/exe", &path, path.count)
        let bytes = path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.lastIndex(of: "/").map { String(text[..<$0]) } ?? "."
    }()

    static func path(_ name: String) -> String { "\(directory)/\(name)" }

    /// Starts the program `name` of the build, or the one at a path.
    ///
    /// - Parameter further: descriptors it inherits, by their numbers there.
    init(
        _ name: String, _ arguments: [String], further: [Int32: Int32] = [:],
        awaitsReady: Bool = true
    ) throws {
        // A program that has ended must not end this one.
        watchproto_ignore_broken_pipes()
        let executable = name.contains("/") ? name : Self.path(name)
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        pid = try Self.spawn(
            executable, arguments,
            [0: stdin.reading, 1: stdout.writing, 2: stderr.writing].merging(further) { $1 })
        close(stdin.reading)
        close(stdout.writing)
        close(stderr.writing)
        (input, output, errors) = (stdin.writing, stdout.reading, stderr.reading)
        if awaitsReady {
            ready = try line(within: 10)
            guard ready["event"] == "ready" else {
                throw TimedOut(description: "no 'ready' from \(name): \(ready)")
            }
        }
    }

    deinit {
        if end == nil {
            kill(pid, SIGKILL)
            _ = waitpid(pid, nil, 0)
        }
        if input >= 0 { close(input) }
        close(output)
        close(errors)
    }

    // MARK: Speaking

    /// Writes to its standard input. Returns whether it took all of it.
    @discardableResult
    func write(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        var offset = 0
        while offset < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(
                    input, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
            }
            if count <= 0 { return false }
            offset += count
        }
        return true
    }

    func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// Sends a command and gives its reply, whatever it is.
    @discardableResult
    func request(
        _ command: String, _ fields: JSONValue = [:], within seconds: Double = 15
    ) throws -> JSONValue {
        let id = nextID
        nextID += 1
        var object = JSONObject()
        object["id"] = .integer(id)
        object["cmd"] = .string(command)
        for member in fields.object?.members ?? [] { object[member.name] = member.value }
        write(JSONWriter.text(.object(object)) + "\n")
        while true {
            let value = try line(within: seconds)
            if value["id"] == .integer(id), value["ok"] != nil {
                exchanges.append((.object(object), value))
                return value
            }
            others.append(value)
            events.append(value)
        }
    }

    /// Sends a command that must succeed.
    @discardableResult
    func call(
        _ command: String, _ fields: JSONValue = [:], within seconds: Double = 15
    ) throws -> JSONValue {
        let reply = try request(command, fields, within: seconds)
        guard reply["ok"] == true else {
            throw TimedOut(description: "'\(command)' refused: \(JSONWriter.text(reply))")
        }
        return reply
    }

    /// Lets the program wait for an event.
    @discardableResult
    func wait(_ event: String, _ members: JSONValue = [:]) throws -> JSONValue {
        var fields = members.object ?? JSONObject()
        fields["event"] = .string(event)
        fields["timeout_ms"] = 8000
        return try call("wait", .object(fields))["matched"] ?? .null
    }

    /// Asks until the reply to `command` satisfies `condition`, so many times.
    @discardableResult
    func poll(
        _ command: String, _ fields: JSONValue = [:], times: Int = 400,
        until condition: (JSONValue) -> Bool
    ) throws -> JSONValue {
        for _ in 0..<times {
            let reply = try call(command, fields)
            if condition(reply) { return reply }
            usleep(20_000)
        }
        throw TimedOut(description: "'\(command)' never answered as expected")
    }

    // MARK: Listening

    /// The next line, parsed.
    func line(within seconds: Double) throws -> JSONValue {
        let deadline = watchproto_monotonic_nanoseconds() + UInt64(seconds * 1e9)
        while pieces.isEmpty {
            guard let bytes = Self.read(output, until: deadline) else {
                throw TimedOut(description: "no line within \(seconds) s")
            }
            guard !bytes.isEmpty else {
                throw TimedOut(description: "the output has ended; stderr: \(errorText())")
            }
            pieces += reader.append(bytes)
        }
        guard case .line(let line) = pieces.removeFirst() else {
            throw TimedOut(description: "a line was too long")
        }
        return try JSONParser.parse(line).value
    }

    /// The next line that is a reply.
    func reply() throws -> JSONValue {
        while true {
            let value = try line(within: 5)
            if value["ok"] != nil { return value }
            events.append(value)
        }
    }

    /// Everything up to the end of the output, parsed.
    func rest() throws -> [JSONValue] {
        var lines: [JSONValue] = []
        do {
            while true { lines.append(try line(within: 10)) }
        } catch is TimedOut {
            return lines
        }
    }

    /// The text on standard error until it is closed.
    func errorText() -> String {
        let deadline = watchproto_monotonic_nanoseconds() + 5_000_000_000
        while let chunk = Self.read(errors, until: deadline), !chunk.isEmpty { errorBytes += chunk }
        return String(decoding: errorBytes, as: UTF8.self)
    }

    /// Waits for the end of the process.
    func awaitEnd(seconds: Double = 10) throws -> End {
        let deadline = watchproto_monotonic_nanoseconds() + UInt64(seconds * 1e9)
        while true {
            var status: Int32 = 0
            if unsafe waitpid(pid, &status, WNOHANG) == pid {
                let signal = status & 0x7F
                let end = signal == 0 ? End.exited((status >> 8) & 0xFF) : .signalled(signal)
                self.end = end
                return end
            }
            guard watchproto_monotonic_nanoseconds() < deadline else {
                throw TimedOut(description: "process \(pid) did not end")
            }
            usleep(2000)
        }
    }

    func signal(_ number: Int32) { kill(pid, number) }

    // MARK: The system

    /// The bytes that can be read, empty at the end, nil when the deadline passes first.
    static func read(_ number: Int32, until deadline: UInt64) -> [UInt8]? {
        let now = watchproto_monotonic_nanoseconds()
        guard now < deadline else { return nil }
        var waiting = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32((deadline - now) / 1_000_000 + 1)
        guard unsafe Glibc.poll(&waiting, 1, milliseconds) > 0 else { return nil }
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe Glibc.read(number, &chunk, chunk.count)
        return Array(chunk.prefix(max(0, count)))
    }

    struct Pipe {
        var reading: Int32 = -1
        var writing: Int32 = -1
        init() { _ = unsafe watchproto_pipe(&reading, &writing) }
    }

    private static func spawn(
        _ executable: String, _ arguments: [String], _ streams: [Int32: Int32]
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // All to numbers that no other one has first, so that none is overwritten before its turn.
        let unused = (Array(streams.keys) + streams.values).reduce(0, max) + 1
        let high = streams.sorted { $0.key < $1.key }.enumerated().map { place, stream in
            (target: stream.key, source: stream.value, parked: unused + Int32(place))
        }
        for stream in high {
            unsafe posix_spawn_file_actions_adddup2(&actions, stream.source, stream.parked)
        }
        for stream in high {
            unsafe posix_spawn_file_actions_adddup2(&actions, stream.parked, stream.target)
            unsafe posix_spawn_file_actions_addclose(&actions, stream.parked)
        }
        // The program starts with no signal ignored, whatever the tests ignore.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var words = unsafe ([executable] + arguments).map { unsafe strdup($0) }
        unsafe words.append(nil)
        defer { for index in unsafe words.indices { unsafe free(words[index]) } }
        var pid: pid_t = 0
        let result = unsafe posix_spawnp(
            &pid, executable, &actions, &attributes, words, watchproto_environment())
        guard result == 0 else { throw TimedOut(description: "cannot start \(executable)") }
        return pid
    }
}
