/// Frames become whole packets, in clear or sealed.
extension Peer {
    /// A packet in clear, whole.
    func plainPacket(_ kind: PacketKind, _ body: [UInt8]) -> [UInt8] {
        if case .datagram = carrier?.framing {
            var writer = WireWriter()
            DatagramHeader(unnumbered: kind).write(to: &writer)
            writer.append(body)
            return writer.bytes
        }
        return StreamFraming.prefix(of: kind, length: body.count) + body
    }

    /// By what transport packets are known as those of a session.
    func hintToMe(of ids: SessionIDs) -> UInt16 {
        Security.isSealed ? ids.myHint : ids.myHintInClear
    }

    private var hintToThem: UInt16 { Security.isSealed ? ids.theirHint : ids.theirHintInClear }

    /// A packet of frames, filled up and sealed, whole.
    mutating func sealedPacket(_ kind: PacketKind, _ frames: [UInt8]) -> [UInt8]? {
        typealias Sealer = Security.Handshake.Sealer
        guard let carrier, sendingSealer != nil else { return nil }
        var frames = frames
        sendingSealer?.pad(&frames, from: 0, atMost: plaintextLimit)
        if case .stream = carrier.framing {
            // Kind and length in front are shown by the packet itself: by its key, and by its tag.
            sendingSealer?.seal(&frames, from: 0, number: sentPackets)
            sentPackets += 1
            return StreamFraming.prefix(of: kind, length: frames.count) + frames
        }
        var packet = WireWriter()
        packet.bytes.reserveCapacity(
            frames.count + DatagramHeader.largestBytes + Sealer.overheadBytes)
        // Where there is repair, the packet was noted as sent just before.
        let number = repair.map { $0.upcomingNumber - 1 } ?? sentPackets
        if let repair {
            DatagramHeader(
                kind: kind, hint: hintToThem, number: number,
                largestAcknowledged: repair.largestAcknowledged,
                keyPhase: Sealer.keyPhase(of: number)
            ).write(to: &packet)
        } else {
            DatagramHeader(unnumbered: kind).write(to: &packet)
        }
        sentPackets += 1
        let start = packet.count
        packet.append(frames)
        sendingSealer?.seal(&packet.bytes, from: start, number: number)
        return packet.bytes
    }
}
