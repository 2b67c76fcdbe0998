import WatchProto

/// What one who listens on the carrier can write to the victim.
extension FuzzPair {
    /// Frames in a packet that the victim opens: nothing is sealed, and its header is no secret.
    func packet(_ frames: [UInt8]) -> [UInt8] {
        guard carrier.framing != .stream else {
            return StreamFraming.prefix(of: .transport, length: frames.count) + frames
        }
        var header =
            lastHeader
            ?? DatagramHeader(
                kind: .transport,
                hint: UInt16(truncatingIfNeeded: victimSession ^ otherSession >> 16), number: 0,
                largestAcknowledged: nil)
        header.number = (header.number + 1 + UInt64(frames.count)) & 0xFFFF
        var writer = WireWriter()
        header.write(to: &writer)
        return writer.bytes + frames
    }

    /// A greeting in a flight; with an odd `session` the flight names the victim's.
    func handshake(_ session: UInt32, _ greeting: [UInt8]) -> [UInt8] {
        var body = WireWriter()
        body.byte(0)
        body.fixed(UInt64(session), count: 4)
        body.fixed(session & 1 == 0 ? 0 : UInt64(victimSession), count: 4)
        body.append(greeting)
        guard carrier.framing != .stream else {
            return StreamFraming.prefix(of: .handshake, length: body.count) + body.bytes
        }
        var writer = WireWriter()
        DatagramHeader(unnumbered: .handshake).write(to: &writer)
        return writer.bytes + body.bytes
    }
}
