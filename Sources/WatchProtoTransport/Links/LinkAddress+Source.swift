extension LinkAddress {
    /// Opens carriers at this address for one side. Claims nothing yet.
    ///
    /// For descriptors, standard input and output, and a command, `side` changes nothing.
    ///
    /// - Parameter side: whether to listen at the address or to connect to it.
    package func makeSource(side: LinkSide) -> any CarrierSource {
        switch self {
        case .unixStream(let path): socket(path, .stream, side)
        case .unixSeqpacket(let path): socket(path, .seqpacket, side)
        case .unixDatagram(let path): UnixDatagramSource(path: path, side: side)
        case .udp(let endpoint): UDPSource(endpoint, side: side)
        case .descriptors(let read, let write): DescriptorSource(read: read, write: write)
        case .standardIO: DescriptorSource.standardIO()
        case .command(let words): CommandSource(words)
        }
    }

    private func socket(
        _ path: String, _ kind: SocketKind, _ side: LinkSide
    ) -> any CarrierSource {
        switch side {
        case .listening: ListenerSource(path: path, kind: kind)
        case .connecting: ConnectorSource(path: path, kind: kind)
        }
    }
}
