/// The address of a link and the kind of its carrier. Written as `--link` takes it.
///
/// | Text | Carrier |
/// | --- | --- |
/// | `unix:PATH` | Unix stream socket |
/// | `unix-seqpacket:PATH` | Unix socket that keeps packets whole, in order, without loss |
/// | `unix-datagram:PATH` | Unix datagram sockets, bound to `PATH` and `PATH.peer` |
/// | `udp:127.0.0.1:PORT`, `udp:[::1]:PORT` | UDP on this host; see ``UDPEndpoint`` |
/// | `fd:R,W` | descriptors that are open already: read from `R`, write to `W` |
/// | `stdio` | standard input and output |
/// | `exec:COMMAND ARG…` | starts the other side and talks over its standard input and output |
package enum LinkAddress: Hashable, Sendable {
    /// A Unix stream socket at the path.
    case unixStream(path: String)
    /// A Unix seqpacket socket at the path.
    case unixSeqpacket(path: String)
    /// Two Unix datagram sockets: the listening side at the path, the connecting side at `path` +
    /// ".peer".
    case unixDatagram(path: String)
    /// UDP on this host, with the listening side at the port.
    case udp(UDPEndpoint)
    /// Descriptors inherited or made by the caller. They belong to the link from then on.
    case descriptors(read: Int32, write: Int32)
    /// Standard input and output.
    case standardIO
    /// A command with its arguments, found through `PATH`.
    case command([String])
}
