import CommandLine

/// The address of the metrics server: a port of 127.0.0.1.
struct MetricsAddress: ArgumentValue {
    /// The port; 0 for any that is free.
    let port: UInt16

    static let host = "127.0.0.1"

    init(argument: String) throws(ArgumentFault) {
        let form = "it must be \(Self.host):PORT, for example \(Self.host):9464"
        guard let colon = argument.lastIndex(of: ":") else { throw ArgumentFault(form) }
        let (host, rest) = (argument[..<colon], argument[argument.index(after: colon)...])
        guard host == Self.host || host == "localhost" else {
            throw ArgumentFault("metrics are for this machine alone: \(form)")
        }
        guard let port = Int(rest), rest.allSatisfy(\.isASCII), rest.allSatisfy(\.isNumber),
            port == 0 || (1024...65_535).contains(port)
        else { throw ArgumentFault("a port is 1024 to 65535, or 0 for any that is free") }
        self.port = UInt16(port)
    }

    var argumentText: String { "\(Self.host):\(port)" }
}
