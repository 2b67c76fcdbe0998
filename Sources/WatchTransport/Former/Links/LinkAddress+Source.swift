extension LinkAddress {
    /// What opens carriers at this address for one side. Claims nothing yet.
    ///
    /// Descriptors, standard input and output and a command are open to either side alike; `side`
    /// then changes nothing.
    ///
    /// - Parameters:
    ///   - side: whether to wait at the address or to come to it.
    ///   - wireVersion: the version a listener names in the notice with which it turns a second
    ///     peer away.
    public func makeSource(side: LinkSide, wireVersion: UInt8 = 0) -> any CarrierSource {
        switch self {
        case .unixStream(let path): socket(path, .stream, side, wireVersion)
        case .unixSeqpacket(let path): socket(path, .seqpacket, side, wireVersion)
        case .unixDatagram(let path): DatagramSource(path: path, side: side)
        case .udp(let endpoint): UDPSource(endpoint, side: side)
        case .descriptors(let read, let write): DescriptorSource(read: read, write: write)
        case .standardIO: DescriptorSource.standardIO()
        case .command(let words): CommandSource(words)
        }
    }

    private func socket(
        _ path: String, _ kind: SocketKind, _ side: LinkSide, _ wireVersion: UInt8
    ) -> any CarrierSource {
        switch side {
        case .listening: ListenerSource(path: path, kind: kind, wireVersion: wireVersion)
        case .connecting: ConnectorSource(path: path, kind: kind)
        }
    }
}
