package import WatchProtoCore

/// Everything that is going to happen in one run, as data: a seed makes it, a shrinker cuts it.
package struct Scenario: Sendable {
    /// Names the run; every random choice made while it runs follows from it.
    package var seed: UInt64
    /// The carrier both sides use.
    package var carrier = SimulatedCarrier()
    /// The conditions of each direction, by the side that sends into it.
    package var linkConditions = [LinkOptions(), LinkOptions()]
    /// The acts of the applications, in the order of time.
    package var acts: [Act] = []
    /// The faults, in the order of time.
    package var faults: [Fault] = []
    /// How long a disk takes to make a batch durable: uniformly this range, in nanoseconds.
    package var commitNanoseconds: ClosedRange<UInt64> = 100_000...2_000_000
    /// Chance that a crash leaves some pending batches durable whose receipt never got out.
    package var unreceiptedCommit = 0.0
    /// Timers go off up to this late.
    package var timerLateness: Duration = .zero
    /// The age at which the oldest record not committed on the other side raises the alarm.
    package var overdueAge: Duration?
    /// By side: after a restart it makes the other side hold exactly its medications.
    package var synchronizesAtStart = [false, false]
    /// When all faults end; both sides run from then on.
    package var healAt = Instant(nanoseconds: 10_000_000_000)
    /// How long everything may take to settle on the healed link.
    package var settleTime: Duration = .seconds(240)
    /// From when on, for ever, nothing passes out of this side; such a run is never healed.
    package var deadDirection: (side: Int, at: Instant)?
    /// The shape of the traffic of both sides.
    package var shape: ConstantShape?
    /// Somebody wrote what happens, rather than a seed: the applications take over all that they
    /// are given, the peers are those of the product, and nothing is healed. From ``healAt`` on the
    /// run ends as soon as everything has settled.
    package var isWritten = false
    /// An application makes one of this many choices about a record: of 100 it mostly says yes, of
    /// fewer it says later or no more often.
    package var choices: UInt64 = 100
    /// How many medications there may be; they are numbered from 1.
    package var medicationCount = Medicines.count
    /// The fault classes that are on, for the summary.
    package var switches: [FaultClass] = []

    /// A calm world in which nobody does anything.
    package init(seed: UInt64) {
        self.seed = seed
    }

    /// The limits of a side. Gaps are few here; some runs see what happens when an acknowledgement
    /// cannot name them all, and some sides have room for few epochs.
    func limits(of side: Int) -> Limits {
        var limits = Limits(side == 0 ? .phone : .watch)
        guard !isWritten else { return limits }
        if seed % 4 == 1 { limits.acknowledgementRanges = 1 }
        if seed % 8 == 3 { limits.listedEpochs = 2 }
        if hasTightLimits { tighten(&limits) }
        return limits
    }

    /// Whether some limits of both sides are tight.
    var hasTightLimits: Bool { !isWritten && Self.seedsOfLimits.contains(seed) }

    /// One thing an application does.
    package struct Act: Sendable {
        /// When it is done, in virtual time.
        package var at: Instant
        /// The side whose application does it: 0 or 1.
        package var side: Int
        /// The action of the application.
        package var what: What
        /// A record it sends waits for its own commit, as a dose taken does.
        package var waitsForCommit: Bool

        /// Makes an act.
        package init(at: Instant, side: Int, _ what: What, waitsForCommit: Bool = false) {
            self.at = at
            self.side = side
            self.what = what
            self.waitsForCommit = waitsForCommit
        }

        /// The actions of an application.
        package enum What: Sendable {
            /// Sends a record of `bytes` bytes; `key` in latest-value channels; expires later.
            case send(Channel, bytes: Int, key: UInt64? = nil, expiresAfter: Duration? = nil)
            /// Sends an interactive record, and may await a reply.
            case message(bytes: Int, expectsReply: Bool)
            /// Shows state `value` in complication `key`; equal values are equal states.
            case complication(key: UInt64, value: UInt64)
            /// Sends a record under idempotency key `key`, and again under the same key after each
            /// restart, until the application has heard how it ended.
            case once(Channel, bytes: Int, key: UInt64)
            /// Sends the record under idempotency key `key` again, whatever became of it.
            case again(key: UInt64)
            /// Changes medication `number`, in a way that `change` says; begins it where there is
            /// none.
            case medication(number: UInt64, change: UInt64)
            /// Does away with medication `number`, whether there is one or not.
            case remove(number: UInt64)
            /// Makes the other side hold exactly these medications; those whose bit is set in
            /// `changed` are changed by it.
            case synchronize(numbers: [UInt64], changed: UInt64)
            /// Takes back the record accepted `back` records ago (0: the last).
            case cancel(back: Int)
            /// Closes the link and wants none for a while.
            case suspend(Duration)
        }
    }

    /// One thing that goes wrong.
    package struct Fault: Sendable {
        /// When it begins, in virtual time.
        package var at: Instant
        /// The kind of fault.
        package var what: What

        /// Makes a fault.
        package init(at: Instant, _ what: What) {
            self.at = at
            self.what = what
        }

        /// The kinds of faults.
        package enum What: Sendable {
            /// The process of `side` dies and starts again later.
            case crash(side: Int, downFor: Duration)
            /// The process of `side` stands still; what happens meanwhile reaches it afterwards.
            case pause(side: Int, Duration)
            /// The carrier breaks; both sides are told, where they can be.
            case cut
            /// So many packets that `side` sent before, in this session or earlier ones, arrive
            /// again. Only where sessions are sealed: version 0 cannot tell them.
            case replay(side: Int, packets: Int)
            /// A message 1 that `side` sent, so many messages 1 ago, arrives again with its early
            /// data; where the carrier is connected, from a newcomer. Only where sessions are
            /// sealed.
            case oldMessage1(side: Int, back: Int)
            /// Somebody says to `side` that nobody knows its session; only on a lossy carrier.
            case forgedReset(side: Int)
            /// Somebody connects to the side that listens, and sends noise.
            case newcomer
            /// The datagrams of `side` come from another address from now on, and those for the
            /// former one are dropped; only on a lossy carrier.
            case newMapping(side: Int)
            /// Nothing leaves `side`, or either side when nil, for a while.
            case partition(side: Int?, Duration)
            /// The wall clock of `side` is set forward or back.
            case clockJump(side: Int, Duration)
            /// The process of `side` dies, its disk is emptied, and it starts again later.
            case wipe(side: Int, downFor: Duration)
            /// A copy of the disk of `side` is put aside.
            case backup(side: Int)
            /// The process of `side` dies, its disk goes back to the last backup, if there is one,
            /// and it starts again later.
            case restore(side: Int, downFor: Duration)
            /// The device of `side` gives way to another one that goes on from its last backup, or
            /// to the former one again: each keeps its disk.
            case exchange(side: Int, downFor: Duration)
            /// The process of `side` dies at a call to its journal, after this many more.
            case storageCrash(side: Int, StorageMoment, afterCalls: Int)
            /// The process of `side` dies, and dies again this often while it recovers.
            case recoveryCrash(side: Int, times: Int, downFor: Duration)
            /// So many commits of `side` fail (nil: all, until the end of the faults), after this
            /// many more that succeed.
            case diskError(side: Int, count: Int?, afterCalls: Int)
            /// Every commit of `side` fails for a while.
            case diskFull(side: Int, Duration)
            /// The conditions of each direction change, by the side that sends into it. Packets on
            /// their way arrive as they would have.
            case linkConditions([LinkOptions])
        }
    }
}

/// The carrier of a world: what the peers are told of it, and how it opens.
package struct SimulatedCarrier: Hashable, Sendable {
    /// The kind of link that the link model imitates.
    package var kind = LinkKind.stream(.whole)
    /// The largest packet, where the carrier keeps packets.
    package var largestDatagramBytes = 65_536
    /// Whether it has to be connected before it carries anything, and both ends learn of its end. A
    /// lossy carrier is just there.
    package var isConnected: Bool { kind != .lossyDatagram }
    /// The side that waits for the other to connect.
    package var listener = 1
    /// When that side makes message 1 itself.
    package var listenerInitiation = InitiationTime.whenCalled

    /// A reliable stream.
    package init() {}

    /// The traits of this carrier, as a peer learns them.
    package func traits(sendInterval: Duration) -> CarrierTraits {
        switch kind {
        case .stream:
            CarrierTraits(framing: .stream, sendInterval: sendInterval)
        case .reliableDatagram:
            CarrierTraits(
                framing: .datagram(largestBytes: largestDatagramBytes), sendInterval: sendInterval)
        case .lossyDatagram:
            CarrierTraits(
                framing: .datagram(largestBytes: largestDatagramBytes), isLossy: true,
                sendInterval: sendInterval)
        }
    }
}
