/// Whole packets that leave before any other. Of each kind only the newest waits: whoever asks
/// again and again, and takes nothing, costs no more than once.
struct ControlPackets: Sendable {
    enum Kind: Sendable {
        case flight
        case notice
        case close
    }

    private var waiting: [(kind: Kind, packet: [UInt8])] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// Adds a packet, instead of an older one of its kind.
    mutating func append(_ kind: Kind, _ packet: [UInt8]) {
        waiting.removeAll { $0.kind == kind }
        waiting.append((kind, packet))
    }

    /// Takes the packet out that has waited longest.
    mutating func takeFirst() -> [UInt8]? {
        waiting.isEmpty ? nil : waiting.removeFirst().packet
    }

    mutating func removeAll() { waiting = [] }
}
