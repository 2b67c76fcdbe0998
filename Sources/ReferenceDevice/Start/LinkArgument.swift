package import CommandLine
import ControlProtocol
package import WatchProtoTransport

/// A link's address as a value of a command line.
package struct LinkArgument: ArgumentValue {
    package var address: LinkAddress

    /// Throws the fault of the address; the user is at fault.
    package init(argument: String) throws(ArgumentFault) {
        do throws(LinkAddressError) {
            address = try LinkAddress(argument)
        } catch {
            throw ArgumentFault(error.description)
        }
    }

    package var argumentText: String { address.description }
}

/// A control channel as a value of a command line.
struct ControlArgument: ArgumentValue {
    var control: SimulatorOptions.Control

    init(_ control: SimulatorOptions.Control) { self.control = control }

    init(argument: String) throws(ArgumentFault) {
        switch argument {
        case "stdio": control = .standardIO
        case "none": control = .none
        default:
            guard argument.hasPrefix("unix:") else {
                let hint = Spelling.nearest(to: argument, among: ["stdio", "none"])
                throw ArgumentFault(
                    "it must be stdio, unix:PATH or none"
                        + (hint.map { "; did you mean '\($0)'?" } ?? ""))
            }
            let path = String(argument.dropFirst("unix:".count))
            guard !path.isEmpty else { throw ArgumentFault("a path must follow 'unix:'") }
            guard path.utf8.count <= LinkAddress.pathLimitBytes else {
                throw ArgumentFault(
                    "the path has \(path.utf8.count) bytes, at most \(LinkAddress.pathLimitBytes) "
                        + "are possible; use a shorter or a relative one")
            }
            control = .unix(path: path)
        }
    }

    var argumentText: String {
        switch control {
        case .standardIO: "stdio"
        case .none: "none"
        case .unix(let path): "unix:\(path)"
        }
    }
}

extension LinkAddress {
    /// Whether the link needs what a control channel on standard input and output needs.
    var usesStandardIO: Bool {
        switch self {
        case .standardIO: true
        case .descriptors(let read, let write): read <= 1 || write <= 1
        default: false
        }
    }

    /// The socket's path, where there is one.
    var path: String? {
        switch self {
        case .unixStream(let path), .unixSeqpacket(let path), .unixDatagram(let path): path
        default: nil
        }
    }
}
