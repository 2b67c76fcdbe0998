internal import Locks

/// Two clients of mosquitto, over its Unix socket.
package final class MosquittoPeer: EchoPeer {
    /// How often a message may come (MQTT's quality of service).
    package enum Quality: UInt8, Sendable, CaseIterable {
        /// At most once.
        case zero
        /// At least once.
        case one
        /// Exactly once.
        case two
    }

    /// The package it needs.
    package static let package = PeerPackage("mosquitto", file: "/usr/sbin/mosquitto")

    private let program: PeerProgram
    private let phone: MQTTConnection
    private let watch: MQTTConnection
    private let quality: MQTTConnection.Quality
    private let numbers = Mutex<(phone: UInt16, watch: UInt16)>((0, 0))

    package let name: String
    package let guarantee: String

    /// The name of a broker in the report.
    ///
    /// - Parameters:
    ///   - quality: the quality of service.
    ///   - savesEachChange: with `autosave_on_changes` and an `autosave_interval` of 1; else both
    ///     at their defaults.
    package static func name(_ quality: Quality, savesEachChange: Bool = false) -> String {
        "mosquitto QoS \(quality.rawValue)" + (savesEachChange ? ", saving each change" : "")
    }

    /// Starts a broker of its own.
    ///
    /// - Throws: where it is missing or does not come up.
    package init(_ quality: Quality, savesEachChange: Bool = false) throws(PeerFailure) {
        self.quality = MQTTConnection.Quality(rawValue: quality.rawValue) ?? .atMostOnce
        name = Self.name(quality, savesEachChange: savesEachChange)
        guarantee =
            switch quality {
            case .zero: "at most once"
            case .one: "at least once"
            case .two: "exactly once"
            }
        program = try Self.makeProgram(savesEachChange: savesEachChange)
        phone = try Self.connect(program, "phone")
        watch = try Self.connect(program, "watch")
        try phone.subscribe("pong", self.quality)
        try watch.subscribe("ping", self.quality)
    }

    /// A broker that keeps messages in a file, written whenever something changed or when it likes.
    private static func makeProgram(savesEachChange: Bool) throws(PeerFailure) -> PeerProgram {
        let program = try PeerProgram("mosquitto", package.file)
        try program.write(
            """
            listener 0 \(program.directory)/socket
            allow_anonymous true
            set_tcp_nodelay true
            persistence true
            persistence_location \(program.directory)/
            user root
            max_queued_messages 0
            \(savesEachChange ? "autosave_on_changes true\nautosave_interval 1" : "")

            """, to: "conf")
        try program.start(["-c", "\(program.directory)/conf"])
        return program
    }

    private static func connect(
        _ program: PeerProgram, _ client: String, lasting: Bool = false
    ) throws(PeerFailure) -> MQTTConnection {
        let stream = try PeerStream("mosquitto", path: "\(program.directory)/socket")
        return try MQTTConnection(stream, client: client, lasting: lasting)
    }

    package func roundTrip(_ payload: [UInt8]) throws(PeerFailure) {
        let number = numbers.withLock { numbers in
            numbers.phone = numbers.phone % 65_535 + 1
            return numbers.phone
        }
        try phone.publish("ping", payload, quality, number: number)
        guard try phone.nextMessage() == payload else {
            throw PeerFailure("mosquitto brought another message")
        }
    }

    package func echo() throws(PeerFailure) {
        let payload = try watch.nextMessage()
        let number = numbers.withLock { numbers in
            numbers.watch = numbers.watch % 65_535 + 1
            return numbers.watch
        }
        try watch.publish("pong", payload, quality, number: number)
        if quality == .exactlyOnce { try watch.release() }
    }

    package func end() { program.end() }

    /// Publishes for a subscriber that is away, ends the broker by SIGKILL once it has acknowledged
    /// all, starts it again and counts what the subscriber gets.
    ///
    /// - Throws: when the broker does not start, or does not acknowledge.
    package static func kill(
        count: Int, _ quality: Quality, savesEachChange: Bool = false
    ) throws(PeerFailure) -> KillOutcome {
        let program = try makeProgram(savesEachChange: savesEachChange)
        defer { program.end() }
        let quality = MQTTConnection.Quality(rawValue: quality.rawValue) ?? .atLeastOnce
        let away = try connect(program, "watch", lasting: true)
        try away.subscribe("ping", quality)
        try away.leave()
        let phone = try connect(program, "phone")
        for number in 1...count {
            try phone.publish(
                "ping", Array("message \(number)".utf8), quality, number: UInt16(number))
            // So many that are to come exactly once may not be open at once.
            if quality == .exactlyOnce { try phone.awaitAcknowledgements(1) }
        }
        if quality == .atLeastOnce { try phone.awaitAcknowledgements(count) }
        program.kill()
        try program.start(["-c", "\(program.directory)/conf"])
        let back = try connect(program, "watch", lasting: true)
        return KillOutcome(acknowledged: count, kept: try back.countMessages())
    }
}
