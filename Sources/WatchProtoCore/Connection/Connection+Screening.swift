/// Connections on streams and seqpacket before they are the peer's (C-40 to C-42).
extension Connection {
    /// Looks at what a connection has sent, without a key agreement. Call again after
    /// ``Admission/answer(_:)``.
    package mutating func screen(
        _ first: inout FirstPacket, on carrier: CarrierTraits, at now: Instant
    ) -> Admission {
        switch first.find() {
        case .incomplete: return .incomplete
        case .invalid: return .refused(answer: nil)
        case .pairing: return .refused(answer: advisory(.wrongPeer, on: carrier, at: now))
        case .initiation(let message):
            guard message.version == security.traits.wireVersion else {
                return .refused(answer: advisory(.incompatible, on: carrier, at: now))
            }
            guard let counter = security.counter(of: message),
                HandshakeCounterLimit.allows(counter, above: highestCounter)
            else { return .refused(answer: nil) }
            if counter > highestCounter { return isCrossing ? .crossed : .admitted }
            counters.refusalsSent += 1
            let answer = PacketFraming.plain(.refusal, refusal(of: message), carrier: carrier)
            return first.skip() ? .answer(answer) : .refused(answer: answer)
        }
    }

    /// Whether this side's own message 1 is on its way and goes first (C-20).
    private var isCrossing: Bool { security.winsCrossing && initiated != nil }

    /// An advisory packet, if another one may leave now.
    mutating func advisory(
        _ code: CloseCode, on carrier: CarrierTraits, at now: Instant
    ) -> [UInt8]? {
        guard answerLimiter.take(at: now) else { return nil }
        var writer = WireWriter()
        AdvisoryPacket(version: security.traits.wireVersion, code: code).write(to: &writer)
        return PacketFraming.plain(.advisory, writer.bytes, carrier: carrier)
    }
}

/// The result of a look at a pending connection.
package enum Admission: Hashable, Sendable {
    /// More has to come.
    case incomplete
    /// The counterpart's message 1: the connection takes the carrier's place.
    case admitted
    /// The counterpart's message 1, and this side's own goes first. The connection waits until its
    /// time is over, and is looked at again then: it takes the carrier's place unless its message 1
    /// is stale by then.
    case crossed
    /// These bytes answer a stale message 1; another one may follow.
    case answer([UInt8])
    /// The connection ends, after this answer if there is one.
    case refused(answer: [UInt8]?)
}
