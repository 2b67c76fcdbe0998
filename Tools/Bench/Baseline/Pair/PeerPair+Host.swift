import Simulation
import WatchProtoCore

/// The host of one side's peer, while it drains.
struct PairHost: PeerEnvironment {
    let pair: PeerPair
    let side: PairSide

    mutating func transmit(_ bytes: Span<UInt8>, to address: PathAddress?) -> Int {
        pair.transmit([UInt8](copying: bytes), from: side)
    }

    mutating func persist(_ entries: [JournalEntry], receipt: JournalReceipt) {
        pair.persist(entries, receipt, of: side)
    }

    mutating func deliver(_ record: InboundRecord) -> Disposition {
        pair.deliver(record, to: side)
        return .applied
    }

    mutating func report(_ event: PeerEvent) { pair.report(event, from: side) }
}

/// The actions of the hosts.
extension PeerPair {
    fileprivate func transmit(_ bytes: [UInt8], from side: PairSide) -> Int {
        let offer = side.link.offer(bytes, at: now)
        for arrival in offer.arrivals {
            events.add(
                .arrival(side: 1 - side.index, generation: generation, arrival.bytes),
                at: arrival.at.advanced(by: plantedWait))
        }
        let taken = side.link.options.kind.isLossy ? bytes.count : offer.takenBytes
        side.tally.bytes += UInt64(taken)
        if taken < bytes.count {
            let next = side.link.nextDeparture ?? now.advanced(by: .milliseconds(1))
            events.add(.writable(side: side.index, generation: generation), at: next)
            return taken
        }
        // The tag of a packet that was taken in pieces is in the last of them.
        side.tally.packets += 1
        observations.append(.sent(side: side.index, bytes: bytes.count, side.notes.take(bytes)))
        return taken
    }

    fileprivate func persist(
        _ entries: [JournalEntry], _ receipt: JournalReceipt, of side: PairSide
    ) {
        side.undurable.append((receipt, side.delivered, entries))
        side.delivered = []
        events.add(
            .receipt(side: side.index, opening: side.opening, receipt),
            at: now.advanced(by: options.commitTime))
    }

    fileprivate func deliver(_ record: InboundRecord, to side: PairSide) {
        side.deliveries += 1
        let isHit = side.deliveries % 10 == 0
        if isHit, options.planted == .repetition {
            let trip = options.conditions[side.index].delay * 2
            events.add(.repetition(side: side.index, record), at: now.advanced(by: trip))
        }
        if !(isHit && options.planted == .loss) { side.delivered.append(record.id) }
        if isHit, options.planted == .disorder {
            side.delayedRecord = record
            return
        }
        observations.append(.delivered(side: side.index, record))
        if let late = side.delayedRecord {
            side.delayedRecord = nil
            observations.append(.delivered(side: side.index, late))
        }
    }

    private var plantedWait: Duration {
        if case .slowness(let wait) = options.planted { wait } else { .zero }
    }

    fileprivate func report(_ event: PeerEvent, from side: PairSide) {
        switch event {
        case .linkWanted:
            side.isWanted = true
            events.add(.open(side: side.index, generation: generation), at: now)
        case .linkClosed: side.isUp = false
        case .progress(let id, let stage):
            observations.append(.progress(side: side.index, id, stage))
        case .settled(let id, let outcome):
            side.accepted.remove(id)
            observations.append(.settled(side: side.index, id, outcome))
        default: break
        }
    }
}
