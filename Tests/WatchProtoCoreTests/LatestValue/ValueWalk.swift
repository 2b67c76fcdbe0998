@testable import WatchProtoCore

/// A random walk over a sender and a receiver of values with crashes, restored and wiped journals,
/// a port of the world of Models/latest.h. The number of a write is its place in the true order.
struct ValueWalk {
    /// The actions that a walk may take.
    struct Plan {
        var keys: UInt128 = 2
        var removes = true
        /// Crashes, restores and wipes, by side: bit 0 the sender, bit 1 the receiver.
        var crashes = 3
        var restores = 3
        var wipes = 0
        var travelsEarly = true
        /// One of so many chances to write is taken.
        var quiet = 1
        /// In ten thousand steps.
        var faults: UInt64 = 500
        /// Keys of a range that are listed at once: with none, ranges are divided to the end.
        var rangeKeys = 8
    }

    /// A rule that was seen broken.
    enum Violation: Error, Hashable {
        /// The receiver's application sees an older write after a newer one (I4).
        case older(key: UInt128, held: Int, given: Int)
        /// The sender gives up a newer write for an older one (I5, the winner).
        case loser(key: UInt128, own: Int, taken: Int)
        /// One version names two writes.
        case twoWrites(key: UInt128, own: Int, held: Int)
        /// The two hold different values for ever (I5).
        case different(key: UInt128)
        /// One name stands for two values.
        case ambiguous(RecordID)
        /// The journal does not give the state that is durable.
        case image
    }

    let plan: Plan
    var random: SeededGenerator
    var pair: ValuePair
    var writes = 0
    /// The newest write of each key that the receiver's application has seen, with its journal.
    var seen: [UInt128: Int] = [:]
    var durableSeen: [UInt128: Int] = [:]
    /// The values that had been seen when the batch under way was formed.
    var underWaySeen: [UInt128: Int]?
    /// The key and payload of every name that was seen, in any history.
    var names: [RecordID: (RecordKey?, [UInt8])] = [:]
    /// The sides whose journal went back or was wiped; once each, as in the model.
    var wentBack = 0
    /// Backups of both journals, and of what had been seen.
    var senderBackup: TestJournal?
    var receiverBackup: (journal: TestJournal, seen: [UInt128: Int])?
    /// The values that the receiver presented to an early session that the sender has not joined.
    var presented: HeldPresentation?
    var met = Met()

    /// How often what the walk is to meet was met.
    struct Met: Hashable {
        var mended = 0
        var adopted = 0
        var conflicts = 0
        var watermarks = 0
        var early = 0
        var delivered = 0
        var ownConclusions = 0

        mutating func add(_ other: Met) {
            mended += other.mended
            adopted += other.adopted
            conflicts += other.conflicts
            watermarks += other.watermarks
            early += other.early
            delivered += other.delivered
            ownConclusions += other.ownConclusions
        }
    }

    init(seed: UInt64, plan: Plan, mutants: LatestMutants = []) {
        self.plan = plan
        random = SeededGenerator(seed: seed)
        var limits = Limits()
        limits.rangeKeys = plan.rangeKeys
        pair = ValuePair(limits: limits, block: 2, mutants: mutants)
    }

    /// Walks, then lets faults end and checks that both hold the same.
    mutating func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
        try finish()
    }
}
