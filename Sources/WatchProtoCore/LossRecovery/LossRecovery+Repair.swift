/// Forward error correction (FEC): the repair packets that follow a block.
extension LossRecovery {
    /// Whether a block waits for its end.
    var isBlockOpen: Bool { encoder.count > 0 }

    /// Bytes by which a packet of a block must be shorter so that its repair packet fits, too.
    var repairOverhead: Int { RepairEncoder.overhead(first: nextNumber) }

    /// Adds the packet that just left to the block if one of its references is worth it. A packet
    /// without references belongs to the block only where it lies between others.
    mutating func protect(_ frames: [UInt8], carrying references: [Reference]) {
        let isWorthRepair = references.contains { $0.isWorthRepair }
        guard isWorthRepair || (references.isEmpty && isBlockOpen) else { return }
        encoder.add(
            nextNumber - 1, frames, isUrgent: references.contains { $0.isUrgent })
    }

    /// Whether the block has to end before a packet of `bytes` leaves.
    func isBlockFull(_ bytes: Int) -> Bool {
        encoder.count > 0 && !encoder.hasRoom(for: bytes)
    }

    /// Ends the block, and gives the repair packets that it is worth and the budget allows.
    mutating func takeRepairs(limitBytes: Int, at now: Instant) -> [RepairFrame] {
        let frames = encoder.repairs(for: &path, limitBytes: limitBytes, at: now)
        if !frames.isEmpty {
            let last = encoder.first + UInt64(encoder.count) - 1
            inFlight.cover(encoder.first...last, by: nextNumber + UInt64(frames.count) - 1)
        }
        encoder.removeAll()
        return frames
    }

    /// Records that the packet that just left holds this repair packet.
    mutating func cover(_ repair: RepairFrame) {
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
}
