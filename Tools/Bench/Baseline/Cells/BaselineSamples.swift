package import Reports

/// The results of one cell's trials on one link.
package struct BaselineSamples: Sendable {
    /// Nanoseconds each trial took; ``never`` for one that was not over in time.
    package internal(set) var ours: [UInt64] = []
    /// Nanoseconds that the ideal took in each of them.
    package internal(set) var ideal: [UInt64] = []
    /// The theoretical limit of each: propagation, and serialization of the bytes it sent first.
    package internal(set) var limit: [UInt64] = []
    /// Packets, bytes and wakes of all trials, of the phone and of the watch.
    package internal(set) var tallies = [PairTally(), PairTally()]
    /// Packets and bytes of the ideal in all of them.
    package internal(set) var idealPackets: UInt64 = 0
    /// Bytes of the ideal in all of them.
    package internal(set) var idealBytes: UInt64 = 0
    /// Trials that began on a line still busy with leftovers of ours; the ideal had an idle one.
    package internal(set) var busyLines = 0
    /// Trials whose record the peer refused to take, as a message while it believes nobody there;
    /// they count as never over.
    package internal(set) var refused = 0
    /// Records that came twice, however late, while a pair was looked at.
    package internal(set) var repeated = 0
    /// Trials in which records of an ordered channel came out of order.
    package internal(set) var disordered = 0
    /// Beside bulk, the ideal that shares the line: it waits for the rest of one large datagram.
    package internal(set) var sharedIdeal: [UInt64] = []
    /// Trials whose ideal never ended, so that nothing can be told of them.
    package internal(set) var idealNever = 0
    /// The packets that carried something of a record for the first time.
    package internal(set) var carriers = CarrierTally()
    /// Beside updates, the files that were over after an earlier one of the same pair,
    package internal(set) var filesBeside = 0
    /// and the nanoseconds from those earlier ends to theirs.
    package internal(set) var fileTime: UInt64 = 0

    /// Stands for a trial that was not over in time.
    package static let never = UInt64.max

    init() {}

    /// Trials that were not over in time.
    package var unfinished: Int { ours.count { $0 == Self.never } }

    mutating func add(_ other: BaselineSamples) {
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
        idealNever += other.idealNever
        carriers += other.carriers
        filesBeside += other.filesBeside
        fileTime += other.fileTime
    }
}

/// The packets that carried something: how many, and how large.
package struct CarrierTally: Hashable, Sendable {
    /// How many there were.
    package internal(set) var packets: UInt64 = 0
    /// Their bytes.
    package internal(set) var bytes: UInt64 = 0
    /// Bytes of the largest.
    package internal(set) var largest = 0

    init() {}

    /// Bytes of one, on average; nil without any.
    package var meanBytes: Double? { packets > 0 ? Double(bytes) / Double(packets) : nil }

    mutating func note(_ size: Int) {
        packets += 1
        bytes += UInt64(size)
        largest = max(largest, size)
    }

    static func += (left: inout CarrierTally, right: CarrierTally) {
        left.packets += right.packets
        left.bytes += right.bytes
        left.largest = max(left.largest, right.largest)
    }
}

extension Percentile {
    /// Its value among `samples`, which need not be sorted: exact, and nil where there are too few.
    package func value(of samples: [UInt64]) -> UInt64? {
        guard UInt64(samples.count) >= samplesNeeded else { return nil }
        let rank = (partsPerMillion * UInt64(samples.count) + 999_999) / 1_000_000
        return samples.sorted()[Int(max(1, rank)) - 1]
    }
}
