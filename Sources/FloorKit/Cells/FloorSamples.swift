public import RigKit

/// What the trials of one cell on one link came to.
public struct FloorSamples: Sendable {
    /// Nanoseconds each trial took; ``never`` for one that was not over in time.
    public internal(set) var ours: [UInt64] = []
    /// What the ideal took in each of them.
    public internal(set) var ideal: [UInt64] = []
    /// The theoretical limit of each: propagation, and serialization of the bytes it sent first.
    public internal(set) var limit: [UInt64] = []
    /// What the sides sent in all of them, from the phone and from the watch.
    public internal(set) var tallies = [PairTally(), PairTally()]
    /// Packets and bytes of the ideal in all of them.
    public internal(set) var idealPackets: UInt64 = 0
    /// Bytes of the ideal in all of them.
    public internal(set) var idealBytes: UInt64 = 0
    /// Trials that began on a line still busy with leftovers of ours; the ideal had an idle one.
    public internal(set) var busyLines = 0
    /// Trials whose record the peer refused to take, as a message while it believes nobody there;
    /// they count as never over.
    public internal(set) var refused = 0
    /// Records that came twice.
    public internal(set) var repeated = 0
    /// Trials in which records of an ordered lane came out of order.
    public internal(set) var disordered = 0
    /// Beside bulk, the ideal that shares the line: it waits for the rest of one large datagram.
    public internal(set) var sharedIdeal: [UInt64] = []

    /// Stands for a trial that was not over in time.
    public static let never = UInt64.max

    init() {}

    /// Trials that were not over in time.
    public var unfinished: Int { ours.count { $0 == Self.never } }

    mutating func add(_ other: FloorSamples) {
        ours += other.ours
        ideal += other.ideal
        limit += other.limit
        for side in tallies.indices { tallies[side] += other.tallies[side] }
        idealPackets += other.idealPackets
        idealBytes += other.idealBytes
        busyLines += other.busyLines
        refused += other.refused
        repeated += other.repeated
        disordered += other.disordered
        sharedIdeal += other.sharedIdeal
    }
}

extension Percentile {
    /// Its value among `samples`, which need not be sorted: exact, and nil where there are too few.
    public func value(of samples: [UInt64]) -> UInt64? {
        guard UInt64(samples.count) >= samplesNeeded else { return nil }
        let rank = (partsPerMillion * UInt64(samples.count) + 999_999) / 1_000_000
        return samples.sorted()[Int(max(1, rank)) - 1]
    }
}
