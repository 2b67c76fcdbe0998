/// A path estimate from one process to the next.
extension PathEstimate {
    /// Makes the estimate that `memory` describes, as if a session on it had just ended.
    init(remembering memory: PathMemory) {
        self.init()
        rate = DeliveryRate(bytesPerSecond: Double(memory.bytesPerSecond))
        loss = LossEstimate(
            share: Double(memory.lossPerTenThousand) / 10_000, packets: Self.rememberedPackets)
        endSession(
            roundTrip: .nanoseconds(Int64(clamping: memory.roundTripMicroseconds) * 1000))
    }

    /// The path estimate that the journal keeps across restarts; nil until rate and round-trip time
    /// are known.
    func memory(roundTrip: Duration?) -> PathMemory? {
        guard let rate = bytesPerSecond, let trip = roundTrip ?? lastRoundTrip else { return nil }
        return PathMemory(
            bytesPerSecond: UInt64(rate),
            roundTripMicroseconds: UInt64(max(1, trip.nanosecondsClamped / 1000)),
            lossPerTenThousand: UInt16(min(10_000, lossShare * 10_000 + 0.5)))
    }

    /// As how many packets a remembered loss counts: present losses soon outweigh it.
    private static let rememberedPackets = 200.0
}
