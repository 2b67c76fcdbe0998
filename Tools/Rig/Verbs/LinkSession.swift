import CPosix
import CommandLine
import ControlProtocol
import Glibc
import NetworkEmulation
import Simulation
import WatchProtoCore

/// `rig link` while it runs: commands in, replies out, until the input ends or a signal comes.
final class LinkSession {
    static let commands = ControlError.linkCommands + ["quit"]

    private let conditioner: LinkConditioner
    private let reads: Bool
    private let isQuiet: Bool
    private var reader = ControlLineReader()
    private var endReason: String?

    init(conditioner: LinkConditioner, reads: Bool, isQuiet: Bool) {
        self.conditioner = conditioner
        self.reads = reads
        self.isQuiet = isQuiet
    }

    /// Runs to the end; `facts` go into the first line.
    ///
    /// - Throws: exit code 73 when stdout takes no more.
    func run(_ facts: JSONObject) throws(RigFailure) -> ExitCode {
        defer { conditioner.close() }
        tell(conditioner.conditions.meaning)
        var members: JSONObject = ["v": .integer(ControlMessage.version)]
        for member in facts.members { members[member.name] = member.value }
        members["pid"] = .whole(getpid())
        members["effective"] = conditioner.conditions.json
        try post("ready", members)
        while endReason == nil { try turn() }
        let counters = conditioner.close()
        tell(counters.lines)
        try post(
            "bye", ["reason": .string(endReason ?? ""), "counters": counters.json])
        return Interrupts.isRequested ? .interrupted : .done
    }

    private func turn() throws(RigFailure) {
        var polled = [Interrupts.waitDescriptor, reads ? 0 : -1].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        _ = unsafe poll(&polled, nfds_t(polled.count), -1)
        if Interrupts.isRequested {
            endReason = "interrupted"
        } else if polled[1].revents != 0 {
            try take()
        }
    }

    /// Takes in what stands on stdin.
    private func take() throws(RigFailure) {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe read(0, &chunk, chunk.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        let pieces =
            count > 0 ? reader.append(chunk[..<count]) : reader.finish().map { [$0] } ?? []
        for piece in pieces where endReason == nil {
            switch piece {
            case .tooLong(let id):
                try put(
                    ControlMessage.refusal(
                        of: id, .lineTooLong(limitBytes: reader.limitBytes)))
            case .line(let line): try put(answer(line))
            }
        }
        if count <= 0, endReason == nil { endReason = "stdin_closed" }
    }

    /// The reply to a command.
    func answer(_ line: [UInt8]) -> JSONValue {
        let request: ControlRequest
        do throws(ControlRequest.Refusal) {
            request = try ControlRequest(line: line)
        } catch {
            return ControlMessage.refusal(of: error.id, error.error)
        }
        do throws(ControlError) {
            return ControlMessage.reply(to: request.id, try perform(request))
        } catch {
            return ControlMessage.refusal(of: request.id, error)
        }
    }

    private func perform(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        if request.command != "link.set", Self.commands.contains(request.command) {
            try request.checkFields(request.command == "link.drop" ? Self.ways : [])
        }
        switch request.command {
        case "link.set":
            let (conditions, restarted) = try conditions(request)
            conditioner.set(conditions, restartsBlackouts: restarted)
            tell(conditioner.conditions.meaning)
            return effective
        case "link.show": return effective
        case "link.down", "link.up":
            conditioner.setDown(request.command == "link.down")
            return effective
        case "link.drop":
            let packets = try Self.ways.map { way throws(ControlError) in
                try Self.packets(way, request)
            }
            guard packets.contains(where: { !$0.isEmpty }) else {
                throw .missingField("up", expected: "'up' or 'down', \(Self.packetForm)")
            }
            guard conditioner.drop(up: packets[0], down: packets[1]) else {
                throw ControlError(
                    "link_unsuitable",
                    ["expected": "addresses of datagrams: all other carriers lose nothing"])
            }
            return JSONObject()
        case "link.counters": return conditioner.counters.json.object ?? JSONObject()
        case "quit":
            endReason = "quit"
            return JSONObject()
        default: throw .unknownCommand(request.command, known: Self.commands)
        }
    }

    private var effective: JSONObject {
        ["effective": conditioner.conditions.json, "is_down": .bool(conditioner.isDown)]
    }

    private static let changes = ["profile", "one_way", "set"] + ways
    private static let ways = ["up", "down"]
    private static let packetForm = "numbers of packets to come, 1 for the next one"

    /// The packets of one direction that a command names.
    private static func packets(
        _ way: String, _ request: ControlRequest
    ) throws(ControlError) -> [UInt64] {
        guard !(request.fields[way] ?? .null).isNull else { return [] }
        let values = try request.array(way, expected: packetForm)
        let numbers = values.compactMap(\.unsigned).filter { (1...1_000_000).contains($0) }
        guard numbers.count == values.count else {
            throw .badField(way, expected: packetForm, found: "another value")
        }
        return numbers
    }

    /// A change that names nothing would be taken for one that was made.
    private static func check(_ request: ControlRequest) throws(ControlError) {
        try request.checkFields(changes)
        guard changes.contains(where: { !(request.fields[$0] ?? .null).isNull }) else {
            throw .missingField("set", expected: "one of \(changes.joined(separator: ", "))")
        }
    }

    /// The network conditions after a command, and the directions in which blackouts begin anew:
    /// both with a profile, else those whose blackout the command sets.
    private func conditions(
        _ request: ControlRequest
    ) throws(ControlError) -> (NetworkConditions, LinkConditioner.Directions) {
        try Self.check(request)
        var conditions = conditioner.conditions
        var restarted: LinkConditioner.Directions = []
        let expected = "the name of a profile, or a file of JSON"
        if let name = try request.optionalString("profile", expected: expected) {
            do throws(RigFailure) {
                conditions = try NetworkConditions.named(name)
                restarted = [.up, .down]
            } catch {
                throw Self.refusal(error, name)
            }
        }
        if !(request.fields["one_way"] ?? .null).isNull {
            let isOneWay = try request.flag("one_way", default: false)
            conditions.reading = isOneWay ? .oneWay : .roundTrip
        }
        let both = try settings("set", request) { text throws(ArgumentFault) in
            try ConditionSettings(argument: text)
        }
        let up = try settings("up", request) { text throws(ArgumentFault) in
            try DirectionSettings(argument: text).settings
        }
        let down = try settings("down", request) { text throws(ArgumentFault) in
            try DirectionSettings(argument: text).settings
        }
        conditions.apply(both, up: up, down: down)
        if both?.namesBlackout == true || up?.namesBlackout == true { restarted.insert(.up) }
        if both?.namesBlackout == true || down?.namesBlackout == true { restarted.insert(.down) }
        return (conditions, restarted)
    }

    private func settings(
        _ field: String, _ request: ControlRequest,
        _ read: (String) throws(ArgumentFault) -> ConditionSettings
    ) throws(ControlError) -> ConditionSettings? {
        let expected = "changes such as rtt=60ms,loss=2%"
        guard let text = try request.optionalString(field, expected: expected) else { return nil }
        do throws(ArgumentFault) {
            return try read(text)
        } catch {
            throw .badField(field, expected: expected, found: error.reason)
        }
    }

    private static func refusal(_ failure: RigFailure, _ name: String) -> ControlError {
        let code =
            switch failure.exitCode {
            case .missingInput: "file_missing"
            case .badInput: "bad_file"
            default: "unknown_profile"
            }
        return ControlError(
            code, ["got": .string(Excerpt.of(name)), "detail": .string(failure.description)])
    }

    // MARK: Words

    private func post(_ event: String, _ members: JSONObject) throws(RigFailure) {
        let now = MonotonicClock.nowNanoseconds
        try put(ControlMessage.event(event, members, atNanoseconds: now))
    }

    private func put(_ value: JSONValue) throws(RigFailure) {
        do throws(SystemError) {
            try Descriptor.write(JSONWriter.line(value), to: 1, subject: "stdout")
        } catch {
            throw RigFailure(.cannotWrite, "Cannot write: \(error).")
        }
    }

    private func tell(_ lines: [String]) {
        guard !isQuiet else { return }
        let text = lines.map { "rig link: \($0)\n" }.joined()
        try? Descriptor.write(Array(text.utf8), to: 2, subject: "stderr")
    }
}
