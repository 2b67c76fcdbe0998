package import Simulation
package import WatchProtoTransport

extension LinkConditioner {
    /// Why a link cannot be conditioned between the two addresses, in words; nil when it can.
    package static func fault(listening near: LinkAddress, connecting far: LinkAddress) -> String? {
        for address in [near, far] where address.conditionsKind == nil {
            return "'\(address)' is no socket; a conditioner stands between two of one kind: "
                + "udp: or unix-datagram:, unix-seqpacket:, or unix:"
        }
        guard near.conditionsKind == far.conditionsKind else {
            return "'\(near)' and '\(far)' are of different kinds; both must be udp: or "
                + "unix-datagram: (lossy), or unix-seqpacket:, or unix:"
        }
        guard near.place != far.place else {
            return "'\(near)' and '\(far)' are the same place; the watch needs one of its own"
        }
        return nil
    }
}

extension LinkConditioner.Refusal: CustomStringConvertible {
    /// The failure, in words for whoever started the process.
    package var description: String {
        switch self {
        case .unsuitable(let text), .system(let text): text
        case .link(let error): error.description
        }
    }
}

extension LinkAddress {
    /// The kind of link that a model imitates there; nil where no conditioner can stand.
    package var conditionsKind: LinkKind? {
        switch self {
        case .udp, .unixDatagram: .lossyDatagram
        case .unixSeqpacket: .reliableDatagram
        case .unixStream: .stream(.whole)
        case .descriptors, .standardIO, .command: nil
        }
    }

    /// Bytes a datagram may have there, the header of the socket included.
    var datagramLimit: Int {
        guard case .udp(let endpoint) = self else { return 1 << 16 }
        // The link's own header comes on top of the packet.
        return endpoint.datagramBytes + 5
    }

    /// The address without what may follow it.
    fileprivate var place: LinkAddress {
        guard case .udp(let endpoint) = self else { return self }
        return .udp(UDPEndpoint(endpoint.host, port: endpoint.port))
    }
}
