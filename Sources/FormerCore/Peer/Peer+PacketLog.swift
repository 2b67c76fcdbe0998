/// The list of packets, where the host keeps one.
extension Peer {
    /// Notes a packet of the session that was just sealed.
    mutating func logSent(
        _ number: UInt64, bytes: Int, firstFrame: UInt8?, _ references: [FrameReference]
    ) {
        let session = PacketLog.Session(sender: ids.mine, receiver: ids.theirs)
        packetLog?.noteSent(
            number, of: session, bytes: bytes, FrameKinds(first: firstFrame), references,
            outbox.epochs, at: now)
    }

    /// Notes an early packet that was just sealed.
    mutating func logEarly(
        _ number: UInt64, of session: UInt32, bytes: Int, firstFrame: UInt8?,
        _ references: [FrameReference]
    ) {
        packetLog?.noteSent(
            number, of: PacketLog.Session(sender: session, receiver: 0), bytes: bytes,
            FrameKinds(first: firstFrame), references, outbox.epochs, at: now)
    }

    /// Notes a packet of the session that was opened, or put together from parity.
    mutating func logArrival(_ number: UInt64, isRestored: Bool = false) {
        packetLog?.noteArrival(
            number, of: PacketLog.Session(sender: ids.theirs, receiver: ids.mine),
            isRestored: isRestored, at: now)
    }

    /// Notes an early packet that was opened, or put together from parity.
    mutating func logEarlyArrival(
        _ number: UInt64, of session: UInt32, isRestored: Bool = false
    ) {
        packetLog?.noteArrival(
            number, of: PacketLog.Session(sender: session, receiver: 0), isRestored: isRestored,
            at: now)
    }
}

extension FrameKinds {
    /// The type that the first byte of a packet's frames stands for.
    init(first: UInt8?) {
        self.init()
        if let type = first.flatMap(FrameType.init(code:)) { insert(type) }
    }
}
