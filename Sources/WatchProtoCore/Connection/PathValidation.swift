/// The destination address of a link's datagrams, and the anti-amplification limit of RFC 9000,
/// section 8.1. An address that no packet of a session has shown gets at most three times the bytes
/// that came from it.
package struct PathValidation: Hashable, Sendable {
    /// The most bytes that may be sent to an unproven address, as a multiple of the bytes received.
    package static let factor = 3

    /// An address that only a message 1 has shown, which anybody may have sent again.
    private struct Candidate: Hashable, Sendable {
        var address: PathAddress
        /// Bytes that may still be sent to it.
        var credit: Int
    }

    /// The address that this side dialled, or that a packet of a session came from.
    private(set) var proven: PathAddress?
    private var candidate: Candidate?
    /// The largest number of a packet that opened in this session.
    private var largest: UInt64?

    /// A path to an address that needs no proof; nil where the carrier has no addresses, or where
    /// this side listens and knows nobody.
    package init(proven: PathAddress?) { self.proven = proven }

    /// The destination of datagrams; nil where the carrier has no addresses or none is known yet.
    package var address: PathAddress? { candidate?.address ?? proven }

    /// Bytes that may be sent now.
    package var allowance: Int { candidate.map { max(0, $0.credit) } ?? .max }

    /// An authentic message 1 of `bytes` bytes came from `source` and is answered. Anybody may have
    /// sent it, from any address.
    package mutating func initiated(from source: PathAddress?, bytes: Int) {
        largest = nil
        guard let source, source != proven else {
            candidate = nil
            return
        }
        let former = candidate?.address == source ? candidate?.credit ?? 0 : 0
        candidate = Candidate(address: source, credit: former + Self.factor * bytes)
    }

    /// Nobody went on from the address of the message 1 that was answered.
    package mutating func abandonCandidate() { candidate = nil }

    /// An early packet of `bytes` bytes, which opened, came from `source`.
    package mutating func early(from source: PathAddress?, bytes: Int) {
        if let source, candidate?.address == source { candidate?.credit += Self.factor * bytes }
    }

    /// Bytes leave for ``address``.
    package mutating func sent(_ bytes: Int) { candidate?.credit -= bytes }

    /// Packet `number` of the session, which opened, came from `source`. The packet with the
    /// highest number moves the path.
    package mutating func opened(_ number: UInt64, from source: PathAddress?) {
        guard largest.map({ number > $0 }) ?? true else { return }
        largest = number
        candidate = nil
        if let source { proven = source }
    }

    /// Message 2 opened; it came from `source`.
    package mutating func responded(from source: PathAddress?) {
        largest = nil
        candidate = nil
        if let source { proven = source }
    }
}
