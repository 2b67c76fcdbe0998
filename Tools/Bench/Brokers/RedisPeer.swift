internal import Locks

/// Two clients of Redis, each with a stream to read from, over its Unix socket.
package final class RedisPeer: EchoPeer {
    /// When what was appended reaches the disk.
    package enum Sync: String, Sendable, CaseIterable {
        /// Once a second.
        case everySecond = "everysec"
        /// Before it is acknowledged.
        case always
    }

    /// The package it needs.
    package static let package = PeerPackage("redis-server", file: "/usr/bin/redis-server")

    private let program: PeerProgram
    private let phone: RedisConnection
    private let watch: RedisConnection

    package let name: String
    package let guarantee: String

    /// Starts a server of its own.
    ///
    /// - Throws: where it is missing or does not come up.
    package init(_ sync: Sync) throws(PeerFailure) {
        name = "Redis Streams, appendfsync \(sync.rawValue)"
        guarantee = "may be read again until it is trimmed"
        program = try Self.makeProgram(sync)
        phone = try Self.connect(program)
        watch = try Self.connect(program)
        // An entry to read after, so that no first message can be missed.
        try phone.begin("pong")
        try watch.begin("ping")
    }

    private static func makeProgram(_ sync: Sync) throws(PeerFailure) -> PeerProgram {
        let program = try PeerProgram("Redis", package.file)
        try program.start(arguments(program, sync))
        return program
    }

    private static func arguments(_ program: PeerProgram, _ sync: Sync) -> [String] {
        [
            "--port", "0", "--unixsocket", "\(program.directory)/socket", "--dir",
            program.directory, "--appendonly", "yes", "--appendfsync", sync.rawValue, "--save", "",
        ]
    }

    private static func connect(_ program: PeerProgram) throws(PeerFailure) -> RedisConnection {
        RedisConnection(try PeerStream("Redis", path: "\(program.directory)/socket"))
    }

    package func roundTrip(_ payload: [UInt8]) throws(PeerFailure) {
        // Both leave at once: waiting for the entry's number would be a round trip more.
        try phone.add(payload, to: "ping", thenRead: "pong")
        _ = try phone.reply()
        guard try phone.entry() == payload else {
            throw PeerFailure("Redis brought another message")
        }
    }

    package func echo() throws(PeerFailure) {
        try watch.read("ping")
        let payload = try watch.entry()
        try watch.add(payload, to: "pong")
        _ = try watch.reply()
    }

    package func end() { program.end() }

    /// Appends, ends the server by SIGKILL once it has acknowledged all, starts it again, counts.
    ///
    /// - Throws: when the server does not start, or does not acknowledge.
    package static func kill(count: Int, _ sync: Sync) throws(PeerFailure) -> KillOutcome {
        let program = try makeProgram(sync)
        defer { program.end() }
        let phone = try connect(program)
        for number in 1...count {
            try phone.add(Array("message \(number)".utf8), to: "ping")
            guard case .text = try phone.reply() else {
                throw PeerFailure("Redis did not take a message")
            }
        }
        program.kill()
        try program.start(arguments(program, sync))
        return KillOutcome(
            acknowledged: count, kept: try connect(program).length(of: "ping"))
    }
}

/// The part of RESP (Redis serialization protocol, version 2) that streams need.
final class RedisConnection: Sendable {
    /// A value of the protocol.
    indirect enum Value: Hashable, Sendable {
        case text([UInt8])
        case number(Int)
        case list([Value])
        case nothing
    }

    private let stream: PeerStream
    /// The number of the entry that was read last.
    private let last = Mutex<[UInt8]>(Array("0".utf8))

    init(_ stream: PeerStream) { self.stream = stream }

    /// Begins the stream `key` with an entry, which counts as read.
    func begin(_ key: String) throws(PeerFailure) {
        // The server answers with an error while it loads.
        for _ in 0..<500 {
            try add([], to: key)
            if case .text(let number) = try reply() {
                last.withLock { $0 = number }
                return
            }
        }
        throw PeerFailure("Redis takes no entries")
    }

    func add(_ payload: [UInt8], to key: String, thenRead other: String? = nil)
        throws(PeerFailure)
    {
        let words = ["XADD", key, "MAXLEN", "~", "1000", "*", "p"].map { Array($0.utf8) }
        var bytes = Self.command(words + [payload])
        if let other { bytes += reading(other) }
        try stream.write(bytes)
    }

    func read(_ key: String) throws(PeerFailure) { try stream.write(reading(key)) }

    /// The payload of the entry that the last read brings.
    func entry() throws(PeerFailure) -> [UInt8] {
        guard case .list(let streams) = try reply(), case .list(let pair)? = streams.first,
            pair.count == 2, case .list(let entries) = pair[1],
            case .list(let entry)? = entries.first, entry.count == 2,
            case .text(let number) = entry[0], case .list(let fields) = entry[1],
            case .text(let payload)? = fields.last
        else { throw PeerFailure("Redis brought no entry") }
        last.withLock { $0 = number }
        return payload
    }

    func length(of key: String) throws(PeerFailure) -> Int {
        for _ in 0..<500 {
            try stream.write(Self.command(["XLEN", key].map { Array($0.utf8) }))
            if case .number(let count) = try reply() { return count }
        }
        throw PeerFailure("Redis does not tell the length of a stream")
    }

    private func reading(_ key: String) -> [UInt8] {
        let words = ["XREAD", "COUNT", "1", "BLOCK", "0", "STREAMS", key].map { Array($0.utf8) }
        return Self.command(words + [last.withLock { $0 }])
    }

    static func command(_ words: [[UInt8]]) -> [UInt8] {
        var bytes = Array("*\(words.count)\r\n".utf8)
        for word in words { bytes += Array("$\(word.count)\r\n".utf8) + word + [13, 10] }
        return bytes
    }

    func reply() throws(PeerFailure) -> Value {
        let line = try stream.readLine()
        let rest = String(line.dropFirst())
        switch line.first {
        case "+": return .text(Array(rest.utf8))
        case ":": return .number(Int(rest) ?? 0)
        case "$":
            guard let count = Int(rest), count >= 0 else { return .nothing }
            return .text(Array(try stream.read(count + 2).dropLast(2)))
        case "*":
            guard let count = Int(rest), count >= 0 else { return .nothing }
            var values: [Value] = []
            for _ in 0..<count { values.append(try reply()) }
            return .list(values)
        default: return .nothing
        }
    }
}
