import WatchProtoCore

/// Amplification: an address that no packet of a session has shown gets at most three times the
/// bytes of the messages 1, and of their early packets, that came from it; and packets of the
/// session leave room for one more message 2 (rule C-31).
struct AmplificationChecker: Checker {
    static let name = "amplification"

    private var sides = [Paths(), Paths()]

    /// The addresses that one side knows.
    private struct Paths {
        /// Addresses that it dialled, or that a packet of a session, or message 2, came from.
        var shown: Set<PathAddress> = []
        /// The bytes that it may still send to each other address.
        var credit: [PathAddress: Int] = [:]
        /// The bytes of the last message 2.
        var response = 0
        /// The source of the datagram that is being read.
        var source: PathAddress?
    }

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .dialled(let address): sides[side].shown.insert(address)
        case .datagramCame(let kind, let bytes, let source):
            sides[side].source = source
            if kind == .initiation || kind == .early {
                sides[side].credit[source, default: 0] += 3 * bytes
            }
        case .opened, .messageOpened:
            if let source = sides[side].source { sides[side].shown.insert(source) }
        case .arrival(isOver: true): sides[side].source = nil
        case .datagramLeft(let kind, let bytes, let address):
            guard !sides[side].shown.contains(address) else { return nil }
            return sent(kind, bytes, address, side)
        default: break
        }
        return nil
    }

    private mutating func sent(
        _ kind: PacketKind, _ bytes: Int, _ address: PathAddress, _ side: Int
    ) -> String? {
        switch kind {
        case .response: sides[side].response = bytes
        case .transport, .early, .initiation: break
        // Answers to anybody are no longer than the packet received.
        case .refusal, .reset, .advisory, .pairing: return nil
        }
        let left = sides[side].credit[address, default: 0] - bytes
        sides[side].credit[address] = left
        if left < 0 {
            return "an address that nothing has shown got more than three times its bytes"
        }
        return kind == .transport && left < sides[side].response
            ? "a packet left no room for message 2 at an address that nothing has shown" : nil
    }
}
