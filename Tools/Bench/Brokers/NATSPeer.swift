internal import ControlProtocol
internal import Glibc
internal import Locks
internal import WatchProtoCore

/// Two clients of NATS with JetStream, whose streams are files. NATS has no Unix sockets: TCP on
/// 127.0.0.1.
package final class NATSPeer: EchoPeer {
    /// The package it needs.
    package static let package = PeerPackage("nats-server", file: "/usr/sbin/nats-server")

    private let program: PeerProgram
    private let phone: NATSConnection
    private let watch: NATSConnection

    package let name = "NATS JetStream, file"
    package let guarantee = "at least once"

    /// Starts a server of its own.
    ///
    /// - Throws: where it is missing or does not come up.
    package init() throws(PeerFailure) {
        let port = try PeerProgram.freePort()
        program = try Self.makeProgram(port)
        phone = try NATSConnection(try PeerStream("NATS", port: port))
        watch = try NATSConnection(try PeerStream("NATS", port: port))
        try phone.makeStream()
        try phone.consume("pong")
        try watch.consume("ping")
    }

    private static func makeProgram(_ port: UInt16) throws(PeerFailure) -> PeerProgram {
        let program = try PeerProgram("NATS", package.file)
        try program.start(arguments(program, port))
        return program
    }

    private static func arguments(_ program: PeerProgram, _ port: UInt16) -> [String] {
        ["-a", "127.0.0.1", "-p", "\(port)", "-js", "-sd", program.directory]
    }

    package func roundTrip(_ payload: [UInt8]) throws(PeerFailure) {
        try phone.publish(payload, to: "ping")
        guard try phone.nextMessage() == payload else {
            throw PeerFailure("NATS brought another message")
        }
    }

    package func echo() throws(PeerFailure) {
        try watch.publish(try watch.nextMessage(), to: "pong")
    }

    package func end() { program.end() }

    /// Publishes, ends the server by SIGKILL once it has acknowledged all, starts it again and
    /// counts what a consumer gets.
    ///
    /// - Parameters:
    ///   - count: the number of messages.
    ///   - rest: how long it is left alone before its end.
    ///
    /// - Throws: when the server does not start, or does not acknowledge.
    package static func kill(
        count: Int, after rest: Duration = .zero
    ) throws(PeerFailure) -> KillOutcome {
        let port = try PeerProgram.freePort()
        let program = try makeProgram(port)
        defer { program.end() }
        let phone = try NATSConnection(try PeerStream("NATS", port: port))
        try phone.makeStream()
        for number in 1...count {
            try phone.publish(Array("message \(number)".utf8), to: "ping")
            try phone.awaitAcknowledgement()
        }
        usleep(UInt32(rest.nanosecondsClamped / 1000))
        program.kill()
        try program.start(arguments(program, port))
        let watch = try NATSConnection(try PeerStream("NATS", port: port))
        try watch.consume("ping")
        let kept = try watch.messageCount()
        for _ in 0..<kept { _ = try watch.nextMessage() }
        return KillOutcome(acknowledged: count, kept: kept)
    }
}

/// The part of the NATS client protocol and of the JetStream API that bouncing messages needs.
final class NATSConnection: Sendable {
    /// A message that came.
    private struct Message {
        var subject: String
        var reply: String?
        var payload: [UInt8]
    }

    private let stream: PeerStream
    /// Where this side's answers come.
    private let inbox: String
    /// Messages that a consumer brought while an answer was awaited.
    private let early = Mutex<[Message]>([])

    init(_ stream: PeerStream) throws(PeerFailure) {
        self.stream = stream
        guard try stream.readLine().hasPrefix("INFO ") else {
            throw PeerFailure("NATS did not introduce itself")
        }
        inbox = "in.\(UInt32.random(in: .min ... .max))"
        try stream.write(
            "CONNECT {\"verbose\":false,\"pedantic\":false}\r\nSUB \(inbox) 1\r\nPING\r\n")
        while try stream.readLine() != "PONG" {}
    }

    /// The stream that takes all messages. The server needs a moment before it makes one.
    func makeStream() throws(PeerFailure) {
        let request = """
            {"name":"E","subjects":["e.*"],"storage":"file","retention":"limits","max_msgs":2000}
            """
        for _ in 0..<500 {
            let answer = try ask("$JS.API.STREAM.CREATE.E", request)
            if !answer.contains("\"error\"") { return }
        }
        throw PeerFailure("NATS makes no stream")
    }

    /// Gets the messages of the stream under `name`, the first among them.
    func consume(_ name: String) throws(PeerFailure) {
        try stream.write("SUB d.\(name) 2\r\n")
        let request = """
            {"stream_name":"E","config":{"deliver_subject":"d.\(name)","ack_policy":"explicit",\
            "deliver_policy":"all","filter_subject":"e.\(name)","max_ack_pending":5000}}
            """
        for _ in 0..<500 {
            let answer = try ask("$JS.API.CONSUMER.CREATE.E", request)
            if !answer.contains("\"error\"") { return }
        }
        throw PeerFailure("NATS makes no consumer")
    }

    /// Publishes; the acknowledgement comes to the inbox.
    func publish(_ payload: [UInt8], to name: String) throws(PeerFailure) {
        try stream.write(
            Array("PUB e.\(name) \(inbox) \(payload.count)\r\n".utf8) + payload + [13, 10])
    }

    func awaitAcknowledgement() throws(PeerFailure) {
        let message = try next()
        let text = String(decoding: message.payload, as: UTF8.self)
        guard message.subject == inbox, text.contains("\"seq\"") else {
            throw PeerFailure("NATS did not take a message: \(text)")
        }
    }

    /// The next message of the consumer, acknowledged; messages to the inbox are skipped.
    func nextMessage() throws(PeerFailure) -> [UInt8] {
        while true {
            let waiting = early.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            let message = if let waiting { waiting } else { try next() }
            guard message.subject != inbox else { continue }
            if let reply = message.reply { try stream.write("PUB \(reply) 4\r\n+ACK\r\n") }
            return message.payload
        }
    }

    /// How many messages the stream says it holds.
    func messageCount() throws(PeerFailure) -> Int {
        let answer = try ask("$JS.API.STREAM.INFO.E", "")
        let state = (try? JSONParser.parse(answer).value)?["state"]
        guard let count = state?["messages"]?.integer else {
            throw PeerFailure("NATS does not say what its stream holds: \(answer)")
        }
        return Int(count)
    }

    private func ask(_ subject: String, _ body: String) throws(PeerFailure) -> String {
        let count = body.utf8.count
        try stream.write("PUB \(subject) \(inbox) \(count)\r\n\(body)\r\n")
        stream.setPatience(milliseconds: 2000)
        defer { stream.setPatience(milliseconds: 5000) }
        while true {
            let message = try next()
            guard message.subject == inbox else {
                early.withLock { $0.append(message) }
                continue
            }
            return String(decoding: message.payload, as: UTF8.self)
        }
    }

    private func next() throws(PeerFailure) -> Message {
        while true {
            let line = try stream.readLine()
            if line == "PING" {
                try stream.write("PONG\r\n")
                continue
            }
            let words = line.split(separator: " ").map(String.init)
            guard let verb = words.first, let length = words.last.flatMap({ Int($0) }) else {
                if line.hasPrefix("-ERR") { throw PeerFailure("NATS said \(line)") }
                continue
            }
            // HMSG has headers before the payload; their length stands before the whole.
            guard verb == "MSG" || verb == "HMSG", words.count >= 4 else { continue }
            let hasReply = words.count == (verb == "MSG" ? 5 : 6)
            let headers = verb == "HMSG" ? Int(words[words.count - 2]) ?? 0 : 0
            let bytes = try stream.read(length + 2)
            return Message(
                subject: words[1], reply: hasReply ? words[3] : nil,
                payload: Array(bytes[headers..<length]))
        }
    }
}
