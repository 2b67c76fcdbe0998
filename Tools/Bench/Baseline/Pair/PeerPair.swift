import Simulation
package import WatchProtoCore
import WatchProtoRecords

/// Two peers, a link model each way, journals that take a fixed time, and one clock that jumps to
/// the next event: nothing else, so that thousands of exchanges take a second.
///
/// Side 0 is the phone, side 1 the watch.
package final class PeerPair {
    /// The present moment.
    package private(set) var now: Instant
    /// Both sides.
    package private(set) var sides: [PairSide] = []
    /// Whether there is a carrier.
    package private(set) var isConnected = false
    /// A side woke over and over in one moment, so that the pair had to be stopped.
    package private(set) var isSpinning = false

    let options: PairOptions
    private let makeSecurity: (DeviceRole, SealedNotes) -> AnySecurity
    private var openings: UInt64 = 0
    var observations: [PairObservation] = []
    var events = PairEvents()
    /// Which side still waits to be called.
    private var isCalled = [false, false]
    /// Counts the links; packets in flight on an earlier one never arrive.
    private(set) var generation = 0
    private static var wakesInOneMoment: Int { 10_000 }

    /// Makes two peers that have never met.
    ///
    /// - Parameters:
    ///   - options: how it is set up.
    ///   - makeSecurity: makes the security of one side, paired with the other's.
    package init(
        _ options: PairOptions, makeSecurity: @escaping (DeviceRole) -> some PeerSecurity
    ) {
        self.options = options
        self.makeSecurity = { SightedSecurity(makeSecurity($0), $1).erased }
        now = Instant(nanoseconds: 1_000_000_000)
        for index in 0..<2 {
            let notes = SealedNotes()
            let image = PairSide.emptyImage(options.kinds)
            sides.append(
                PairSide(
                    index, makePeer(index, image, notes), image, notes,
                    LinkModel(options.conditions[index], seed: 0)))
        }
        for side in sides {
            side.peer.activate(at: now)
            drain(side)
        }
    }

    private func makePeer(
        _ index: Int, _ image: JournalImage, _ notes: SealedNotes
    ) -> Peer {
        let role: DeviceRole = index == 0 ? .phone : .watch
        openings += 1
        let name = (options.seed &* 2 &+ UInt64(index)) << 1 | 1
        let epoch = EpochID(rawValue: name ^ (openings - 1 - UInt64(index)) << 40)
        return PairSide.makePeer(
            role, options, restoring: image, epoch: epoch,
            security: makeSecurity(role, notes), at: now)
    }

    /// The process of a side ends and starts again on its journal, without a carrier.
    package func restart(_ side: PairSide) {
        precondition(!isConnected, "a process ends with its links")
        side.peer = makePeer(side.index, side.image, side.notes)
        side.undurable = []
        side.delivered = []
        side.isWanted = false
        side.opening += 1
        side.peer.activate(at: now)
        drain(side)
    }

    /// The side of the phone.
    package var phone: PairSide { sides[0] }
    /// The side of the watch.
    package var watch: PairSide { sides[1] }

    /// The observations since the last call.
    package func takeObservations() -> [PairObservation] {
        defer { observations.removeAll(keepingCapacity: true) }
        return observations
    }

    // MARK: The carrier

    /// A carrier is there for both sides in this moment, with links as fresh as `seed` says.
    ///
    /// - Parameters:
    ///   - seed: the links' random choices follow from it.
    ///   - called: the side that has it only when the first packet arrives, as one that listens for
    ///     UDP has; none where both open at once.
    package func connect(seed: UInt64, called: Int? = nil) {
        prepareLinks(seed: seed)
        isCalled = sides.indices.map { $0 == called }
        for side in sides { side.peer.activate(at: now) }
        for side in sides {
            drain(side)
            open(side)
        }
    }

    /// Makes fresh links both ways; packets in flight on the old ones never arrive.
    package func prepareLinks(seed: UInt64) {
        precondition(!isConnected, "there is a link already")
        generation += 1
        isConnected = true
        for side in sides {
            side.link = LinkModel(
                options.conditions[side.index], seed: seed &* 2 &+ UInt64(side.index))
        }
    }

    /// The carrier is gone for both sides.
    package func disconnect() {
        generation += 1
        isConnected = false
        for side in sides where side.isUp {
            side.isUp = false
            side.peer.linkDown(CarrierFailure(call: "recv", errorNumber: 104), at: now)
            drain(side)
        }
    }

    private func open(_ side: PairSide, asCalled: Bool = false) {
        guard isConnected, side.isWanted, !side.isUp, asCalled || !isCalled[side.index] else {
            return
        }
        isCalled[side.index] = false
        side.isUp = true
        side.isWanted = false
        side.linkUp(options.carrier(of: side.index), asCalled: asCalled, at: now)
        drain(side)
    }

    // MARK: Time

    /// Lets the next thing happen, if that is before `limit`; otherwise it is `limit` now, and the
    /// answer false.
    package func step(until limit: Instant) -> Bool {
        var next = events.first ?? .distantFuture
        var waking: PairSide?
        for side in sides {
            if let deadline = side.deadline, deadline < next {
                next = max(deadline, now)
                waking = side
            }
        }
        guard next < limit, !isSpinning else {
            now = max(now, limit)
            return false
        }
        if next > now { for side in sides { side.wakesInOneMoment = 0 } }
        now = max(now, next)
        if let waking {
            wake(waking)
        } else if let what = events.next() {
            take(what)
        }
        return true
    }

    /// Lets time pass.
    package func run(for time: Duration) {
        let end = now.advanced(by: time)
        while step(until: end) {}
    }

    /// Lets time pass, and reports each packet that a side gave to its link.
    func run(for time: Duration, packet: (_ side: Int, Int, PacketContents?) -> Void) {
        let end = now.advanced(by: time)
        while step(until: end) {
            for case .sent(let side, let bytes, let contents) in takeObservations() {
                packet(side, bytes, contents)
            }
        }
    }

    private func wake(_ side: PairSide) {
        side.tally.wakes += 1
        side.wakesInOneMoment += 1
        isSpinning = side.wakesInOneMoment > Self.wakesInOneMoment
        side.peer.wake(at: now)
        drain(side)
    }

    private func take(_ what: PairEvents.What) {
        switch what {
        case .arrival(let index, let generation, let bytes):
            let side = sides[index]
            guard generation == self.generation else { return }
            if isCalled[index] { open(side, asCalled: true) }
            guard side.isUp else { return }
            side.receive(bytes, isLossy: options.conditions[index].kind.isLossy, at: now)
            drain(side)
        case .receipt(let index, let opening, let receipt):
            let side = sides[index]
            guard opening == side.opening else { return }
            while let first = side.undurable.first, first.receipt <= receipt {
                for entry in first.entries { side.image.apply(entry) }
                for id in first.records { observations.append(.durable(side: index, id)) }
                side.undurable.removeFirst()
            }
            side.peer.committed(receipt, at: now)
            drain(side)
        case .writable(let index, let generation):
            let side = sides[index]
            guard generation == self.generation, side.isUp else { return }
            drain(side)
        case .open(let index, let generation):
            if generation == self.generation { open(sides[index]) }
        case .repetition(let index, let record):
            observations.append(.delivered(side: index, record))
        }
    }

    /// Carries out what the peer of `side` wants after an input.
    package func drain(_ side: PairSide) {
        var host = PairHost(pair: self, side: side)
        side.peer.drain(into: &host)
        side.deadline = side.peer.nextDeadline
    }
}
