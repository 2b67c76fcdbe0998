extension LinkAddressError: CustomStringConvertible {
    /// States the text found, the text expected, and a correction.
    package var description: String {
        switch self {
        case .missingScheme(let found):
            "link '\(found)' has no scheme; write 'unix:\(found)' for a socket at that path, "
                + "or one of "
                + Self.forms
        case .unknownScheme(let scheme, let nearest?):
            "unknown link scheme '\(scheme):'; did you mean '\(nearest)'? "
                + "Expected one of \(Self.forms)"
        case .unknownScheme(let scheme, nil):
            "unknown link scheme '\(scheme):'; expected one of \(Self.forms)"
        case .missingValue(let scheme):
            "link '\(scheme)' lacks what follows it; expected '\(Self.form(of: scheme))'"
        case .pathTooLong(let path, let bytes, let limit):
            "socket path of \(bytes) bytes, at most \(limit) are possible; "
                + "use a shorter or a relative one: '\(path)'"
        case .embeddedNUL(let scheme):
            "link '\(scheme):' contains a NUL byte, which no path or argument can hold"
        case .badDescriptors(let found):
            "link 'fd:\(found)' does not name two descriptors; "
                + "expected 'fd:R,W', the one to read from first, as in 'fd:3,4'"
        case .unfinishedQuote(let found):
            "link 'exec:\(found)' has a quote or a backslash that nothing follows; close it"
        case .unexpectedValue(let scheme, let found):
            "link '\(scheme)' takes nothing after it, found '\(found)'"
        case .badEndpoint(let found):
            "link 'udp:\(found)' does not name an address and a port; "
                + "expected 'udp:127.0.0.1:PORT' or 'udp:[::1]:PORT', as in 'udp:127.0.0.1:7001'"
        case .notLoopback(let found):
            "'\(found)' is not a loopback address: a UDP link stays on this host, because it does "
                + "not share a network fairly with others; write 127.0.0.1 or [::1]"
        case .badPort(let found):
            "port \(found) cannot be used; expected one of 1024 to 65535 "
                + "(those below belong to root)"
        case .badOption(let found, let expected):
            "link option '\(found)' cannot be used; expected \(expected)"
        }
    }

    private static let forms =
        "unix:PATH, unix-seqpacket:PATH, unix-datagram:PATH, udp:ADDRESS:PORT, fd:R,W, stdio, "
        + "exec:COMMAND"

    private static func form(of scheme: String) -> String {
        switch scheme {
        case "fd": "fd:R,W"
        case "udp": "udp:127.0.0.1:PORT"
        case "exec": "exec:COMMAND ARG…"
        case "stdio": "stdio"
        default: "\(scheme):PATH"
        }
    }
}
