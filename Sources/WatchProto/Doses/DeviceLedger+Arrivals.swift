import Locks
import WatchProtoCore
import WatchProtoRecords

/// The events of other devices, and those whose commit failed.
extension DeviceLedger {
    /// An event of another device whose commit failed.
    struct UncertainArrival {
        var arrival: LedgerArrival
        var origin: LedgerExchange
    }

    /// The commit of an arrival failed. It may be durable all the same.
    func keepUncertain(_ identity: UInt128, _ arrival: LedgerArrival, from origin: LedgerExchange) {
        state.withLock {
            $0.uncertainArrivals[identity] = UncertainArrival(arrival: arrival, origin: origin)
        }
    }

    /// Reports arrivals whose events are durable, and passes the new ones on.
    func report(_ arrivals: [LedgerArrival], from origin: LedgerExchange) {
        guard !arrivals.isEmpty else { return }
        let events = arrivals.compactMap { $0.isKnown ? nil : $0.event }
        if !events.isEmpty { origin.endRow() }
        observer?.arrived(arrivals)
        publish(events.map(\.id.rawValue), from: origin)
    }

    /// Finds out which events of failed commits are durable all the same, once the journal works
    /// again. Those are reported; the others are gone.
    func settleUncertain() {
        let (own, arrived) = state.withLock { state in
            (
                state.uncertain.sorted(),
                state.uncertainArrivals.sorted { $0.key < $1.key }.map(\.value)
            )
        }
        guard !own.isEmpty || !arrived.isEmpty, (try? store.flush()) != nil,
            let found = try? own.filter({ try store.event($0) != nil }),
            let durable = try? arrived.filter({ try store.has($0.arrival) })
        else { return }
        state.withLock { state in
            state.uncertain = []
            state.uncertainArrivals = [:]
        }
        // An import may have left very many of them.
        for start in stride(from: 0, to: found.count, by: 1_000) {
            added(
                found[start..<min(start + 1_000, found.count)].compactMap { identity in
                    (try? store.event(identity)).flatMap { try? DoseEvent(decoding: $0) }
                })
        }
        for one in durable { report([one.arrival], from: one.origin) }
    }
}
