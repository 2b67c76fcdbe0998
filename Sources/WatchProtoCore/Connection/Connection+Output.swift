/// Events and packets that leave the connection.
extension Connection {
    /// The next event, in order; nil when there is none left. A chunk of a stream is read packet by
    /// packet, so that the peer handles each before the next is opened.
    package mutating func nextEvent(at now: Instant) -> ConnectionEvent? {
        while events.isEmpty, inbound != nil { receiveNextOfStream(at: now) }
        return events.isEmpty ? nil : events.removeFirst()
    }

    /// The next packet that leaves outside the session's own packets: handshake messages, refusals,
    /// resets and advisories.
    package mutating func nextOutgoing() -> OutgoingPacket? {
        outgoing.isEmpty ? nil : outgoing.removeFirst()
    }
}
