extension LinkAddress {
    /// What opens carriers at this address for one side. Claims nothing yet.
    ///
    /// Descriptors, standard input and output and a command are open to either side alike; `side`
    /// then changes nothing.
    public func makeSource(side: LinkSide, busyNotice: [UInt8] = []) -> any CarrierSource {
        switch self {
        case .unixStream(let path): socket(path, .stream, side, busyNotice)
        case .unixSeqpacket(let path): socket(path, .seqpacket, side, busyNotice)
        case .unixDatagram(let path): DatagramSource(path: path, side: side)
        case .descriptors(let read, let write): DescriptorSource(read: read, write: write)
        case .standardIO: DescriptorSource.standardIO()
        case .command(let words): CommandSource(words)
        }
    }

    private func socket(
        _ path: String, _ kind: SocketKind, _ side: LinkSide, _ busyNotice: [UInt8]
    ) -> any CarrierSource {
        switch side {
        case .listening: ListenerSource(path: path, kind: kind, busyNotice: busyNotice)
        case .connecting: ConnectorSource(path: path, kind: kind)
        }
    }
}
