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

    /// A packet of frames, filled up and sealed, whole; nil without a session, and without memory
    /// for its key. The references tell a log of packets what the frames are.
    mutating func sealedPacket(
        _ kind: PacketKind, _ frames: [UInt8], of references: [FrameReference] = []
    ) -> [UInt8]? {
        typealias Sealer = Security.Handshake.Sealer
        // Where there is repair, the packet was noted as sent just before.
        let number = repair.map { $0.upcomingNumber - 1 } ?? sentPackets
        guard let carrier, sendingSealer?.prepare(number) == true else { return nil }
        let firstFrame = frames.first
        var frames = frames
        sendingSealer?.pad(&frames, from: 0, atMost: plaintextLimit)
        noteKey(of: number)
        if case .stream = carrier.framing {
            // Kind and length in front are shown by the packet itself: by its key, and by its tag.
            sendingSealer?.seal(&frames, from: 0, number: number)
            sentPackets += 1
            let packet = StreamFraming.prefix(of: kind, length: frames.count) + frames
            if packetLog != nil {
                logSent(number, bytes: packet.count, firstFrame: firstFrame, references)
            }
            return packet
        }
        var packet = WireWriter()
        packet.bytes.reserveCapacity(
            frames.count + DatagramHeader.largestBytes + Sealer.overheadBytes)
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
        if packetLog != nil {
            logSent(number, bytes: packet.count, firstFrame: firstFrame, references)
        }
        return packet.bytes
    }

    // MARK: The age of keys

    private mutating func noteKey(of number: UInt64) {
        typealias Sealer = Security.Handshake.Sealer
        guard number > 0, Sealer.keyPhase(of: number) != Sealer.keyPhase(of: number - 1)
        else { return }
        keySince = now
    }

    /// Whether the key that this side seals with is too old. On a carrier that can lose, the
    /// counterpart must have opened a packet of it: who is two keys behind opens nothing any more.
    var isNextKeyDue: Bool {
        typealias Sealer = Security.Handshake.Sealer
        guard Security.isSealed, let age = Sealer.keyAge, keySince.duration(to: now) >= age
        else { return false }
        guard let repair else { return true }
        guard let heard = repair.largestAcknowledged else { return false }
        return Sealer.nextKeyNumber(after: heard)
            == Sealer.nextKeyNumber(after: repair.upcomingNumber - 1)
    }

    /// Makes the next key before it is announced or numbers are left out for it. Without memory the
    /// old one goes on, and the next packet tries again; where the numbers of the old one end, the
    /// link does.
    var isNextKeyReady: Bool {
        mutating get {
            typealias Sealer = Security.Handshake.Sealer
            let last = repair.map { $0.upcomingNumber - 1 } ?? sentPackets
            return sendingSealer?.prepare(Sealer.nextKeyNumber(after: last)) ?? false
        }
    }

    /// The packet about to be made is the first of the next key where its header tells its number,
    /// and else announces that.
    mutating func beginNextKey(_ frames: inout WireWriter) {
        typealias Sealer = Security.Handshake.Sealer
        if let repair {
            self.repair?.skip(to: Sealer.nextKeyNumber(after: repair.upcomingNumber - 1))
        } else {
            frames.byte(FrameType.nextKey.rawValue)
            packetLog?.pendingFrames.insert(.nextKey)
        }
        keySince = now
    }

    /// The counterpart's next packet has the next key.
    mutating func receiveNextKey() {
        guard Security.isSealed, repair == nil else {
            closeLink(.unexpected(frame: FrameType.nextKey.rawValue), telling: .violation)
            return
        }
        receivedPackets = Security.Handshake.Sealer.nextKeyNumber(after: receivedPackets - 1)
    }
}
