/// Forward error correction (FEC): the repair packets that follow a block, and the packets
/// recovered from them.
extension LossRecovery {
    // MARK: Sending

    /// Whether a block waits for its end.
    public var isBlockOpen: Bool { encoder.count > 0 }

    /// Bytes by which a packet of a block must be shorter so that its repair packet fits, too.
    public var repairOverhead: Int { RepairEncoder.overhead(first: nextNumber) }

    /// Adds the packet that just left to the block if one of its references is worth it. A packet
    /// without references belongs to the block only where it lies between others.
    public mutating func protect(_ frames: [UInt8], carrying references: [Reference]) {
        let isWorthRepair = references.contains { $0.isWorthRepair }
        guard isWorthRepair || (references.isEmpty && isBlockOpen) else { return }
        encoder.add(
            nextNumber - 1, frames, isUrgent: references.contains { $0.isUrgent })
    }

    /// Whether the block has to end before a packet of `bytes` leaves.
    public func isBlockFull(_ bytes: Int) -> Bool {
        encoder.count > 0 && !encoder.hasRoom(for: bytes)
    }

    /// Ends the block, and gives the repair packets that it is worth and the budget allows.
    public mutating func takeRepairs(limitBytes: Int, at now: Instant) -> [RepairFrame] {
        let frames = encoder.repairs(for: &path, limitBytes: limitBytes, at: now)
        if !frames.isEmpty {
            let last = encoder.first + UInt64(encoder.count) - 1
            inFlight.cover(encoder.first...last, by: nextNumber + UInt64(frames.count) - 1)
        }
        encoder.removeAll()
        return frames
    }

    /// Records that the packet that just left holds this repair packet.
    public mutating func cover(_ repair: RepairFrame) {
        let last = repair.first + UInt64(repair.count) - 1
        inFlight.cover(repair.first...last, by: nextNumber - 1)
    }

    /// Ends a block of early packets, and gives the repair packets that it is worth and the budget
    /// allows.
    mutating func takeRepairs(
        of early: inout RepairEncoder, limitBytes: Int, at now: Instant
    ) -> [RepairFrame] {
        defer { early.removeAll() }
        return early.repairs(for: &path, limitBytes: limitBytes, at: now)
    }

    // MARK: Receiving

    /// Stores the frames of packet `number` for FEC.
    public mutating func store(_ number: UInt64, _ frames: [UInt8]) {
        received.store(number, frames)
    }

    /// Takes a repair packet that came in packet `number`. One that covers this packet or later
    /// ones is ignored.
    public mutating func take(_ repair: RepairFrame, in number: UInt64) {
        received.take(repair, in: number)
    }

    /// The packets that can be recovered now. The peer treats each as arrived; repair packets
    /// within them are ignored.
    public mutating func takeRecovered() -> [(number: UInt64, frames: [UInt8])] {
        received.takeRecovered().map { ($0.number, $0.frames) }
    }
}
