package import WatchProtoCore

/// Why a link cannot be set up at all. The caller, or the state of this host, is at fault. Nothing
/// was changed. Later failures of single links are `CarrierFailure`.
package enum LinkError: Error, Hashable, Sendable {
    /// The text is not an address; the inner error states the text expected.
    case badAddress(LinkAddressError)
    /// Another living process holds the address.
    case heldByAnotherProcess(path: String)
    /// Another socket of this host has the port.
    case portInUse(address: String)
    /// The file at the path is not a socket. It was left alone.
    case notASocket(path: String)
    /// The system refused: which call, on what, and its error number.
    case system(CarrierFailure, subject: String)
    /// The descriptor cannot be used that way: it is closed, or open for the other direction only.
    case unusableDescriptor(Int32, expected: StaticText)
    /// The driver was closed before.
    case closed
}

extension LinkError: CustomStringConvertible {
    /// The failure in words, for the user who started the process.
    package var description: String {
        switch self {
        case .badAddress(let error): error.description
        case .heldByAnotherProcess(let path):
            "'\(path)' is held by another process that is listening there; "
                + "end that process or choose another path"
        case .portInUse(let address):
            "'\(address)' is in use by another socket of this host; "
                + "end the process that has it or choose another port"
        case .notASocket(let path):
            "'\(path)' exists and is not a socket; it was left alone, choose another path"
        case .system(let failure, let subject):
            "\(subject): \(failure.text)"
        case .unusableDescriptor(let number, let expected):
            "descriptor \(number) is not \(expected.text); pass one that is, as in 'fd:3,4'"
        case .closed: "the link was closed for good; make a new session"
        }
    }
}

extension CarrierFailure {
    /// The failure in words: the call and the system's text, for instance
    /// "connect: Connection refused (error 111)".
    package var text: String {
        errorNumber == 0
            ? "\(call.text)"
            : "\(call.text): \(SystemErrorText.of(errorNumber)) (error \(errorNumber))"
    }
}
