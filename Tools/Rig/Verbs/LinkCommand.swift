import CommandLine
import ControlProtocol
import NetworkEmulation
import ReferenceDevice
import Simulation
import WatchProtoCore
import WatchProtoTransport

/// `rig link`: the link model between two sockets, in real time.
struct LinkCommand {
    /// The source of the commands.
    enum Control: String, ArgumentChoice {
        case stdio, none
    }

    let listen = CommandOption<LinkArgument>(
        "listen", value: "address", required: true,
        help: "Where the phone comes to: udp:127.0.0.1:7001, unix-datagram:PATH, "
            + "unix-seqpacket:PATH or unix:PATH.")
    let connect = CommandOption<LinkArgument>(
        "connect", value: "address", required: true,
        help: "Where the watch listens, an address of the same kind.")
    let options = NetworkOptions()
    let seed = SharedOptions.seed(default: 42)
    let control = CommandOption<Control>(
        "control", value: "channel", default: .stdio,
        help: "Where commands come from: stdio, or none; then only a signal ends it.")

    var verb: Verb {
        var verb = Verb(
            "link",
            overview: "A link with network conditions: passes on what comes to one socket, late or "
                + "never.")
        verb.discussion = [
            "Stands between PhoneSim and WatchSim, or any two programs. Datagrams (udp, "
                + "unix-datagram) can be lost; on the lossless kinds a loss costs time. Needs no "
                + "rights, changes nothing of the system, and leaves nothing behind. 'up' is the "
                + "way from the phone to the watch.",
            "Writes lines of JSON: 'ready' first, 'bye' with the counters last. Reads commands, "
                + "each a line, and ends with its input: link.set (profile, set, up, down, "
                + "one_way: at once), link.show, link.down, link.up, link.drop (up, down: "
                + "exactly these packets, 1 for the next), link.counters, quit. Exit "
                + "code 130 when a signal ends it.",
            NetworkOptions.keys,
        ]
        verb.add(listen)
        verb.add(connect)
        options.add(to: &verb)
        verb.add(seed)
        verb.add(control)
        verb.add(SharedOptions.quiet)
        verb.examples = [
            CommandExample(
                "rig link --listen udp:127.0.0.1:7001 --connect udp:127.0.0.1:7002 --profile 3g",
                "the watch listens at 7002, the phone comes to 7001"),
            CommandExample(
                "rig link --listen unix:a --connect unix:b --profile edge --set rate=1Mbit/s",
                "a profile with another rate, on a stream"),
            CommandExample(
                "rig link --listen udp:127.0.0.1:7001 --connect udp:127.0.0.1:7002 "
                    + "--set 'rtt=60ms,loss=2%,blackout=2s every 7s'", "5 s on, 2 s off"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        // Parsing has seen that both are there.
        guard let near = invocation[listen]?.address, let far = invocation[connect]?.address else {
            throw RigFailure(.usage, "Both '--listen' and '--connect' are needed.")
        }
        if let fault = LinkConditioner.fault(listening: near, connecting: far) {
            throw RigFailure(
                .usage, "The two cannot be joined: \(fault).")
        }
        let conditions = try options.conditions(invocation)
        let seed = invocation[seed] ?? 42
        let conditioner: LinkConditioner
        do throws(LinkConditioner.Refusal) {
            conditioner = try LinkConditioner(
                listening: near, connecting: far, conditions: conditions, seed: seed)
        } catch {
            throw Self.failure(error)
        }
        let session = LinkSession(
            conditioner: conditioner, reads: invocation[control] != Control.none,
            isQuiet: invocation[SharedOptions.quiet])
        return try session.run([
            "role": "link", "seed": .whole(seed), "listen": .string("\(near)"),
            "connect": .string("\(far)"),
        ])
    }

    private static func failure(_ refusal: LinkConditioner.Refusal) -> RigFailure {
        var code = ExitCode.unreachable
        if case .link(.system(let failure, _)) = refusal,
            SystemError("", "", number: failure.errorNumber).isMissing
        {
            code = .missingInput
        }
        if case .system = refusal { code = .software }
        return RigFailure(
            code, "Cannot open the link: \(refusal).",
            details: [
                code == .missingInput
                    ? "Try: make the directory first, or another address." : "Try: another address."
            ])
    }
}
