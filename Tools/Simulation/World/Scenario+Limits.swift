import WatchProtoCore

/// Limits that few records reach. No other scenario reaches those of the product.
extension Scenario {
    /// Makes each limit tight, or leaves it, by draws of the seed: both sides have the same ones.
    /// Those stay that no honest counterpart reaches, whatever the others are.
    func tighten(_ limits: inout Limits) {
        var random = SeededGenerator(seed: seed ^ 0x6C69_6D69_7473_2121)
        func draw<Bound: FixedWidthInteger>(_ bound: inout Bound, _ range: ClosedRange<UInt64>) {
            let drawn = random.uniform(in: range)
            if random.chance(0.4) { bound = Bound(drawn) }
        }
        draw(&limits.reorderRecords, 1...8)
        draw(&limits.reorderBytes, 1_000...30_000)
        draw(&limits.queuedRecords, 4...20)
        draw(&limits.queuedBytes, 3_000...60_000)
        draw(&limits.rangeKeys, 0...2)
        draw(&limits.listedEpochs, 1...3)
        draw(&limits.acknowledgementRanges, 1...3)
        draw(&limits.ackRanges, 1...4)
        draw(&limits.earlyPackets, 1...4)
        draw(&limits.earlyBytes, 300...3_000)
        draw(&limits.packetsInFlight, 4...20)
        draw(&limits.numberSpan, 2...20)
        draw(&limits.exceptionRanges, 4...12)
        draw(&limits.assemblies, 1...2)
    }
}
