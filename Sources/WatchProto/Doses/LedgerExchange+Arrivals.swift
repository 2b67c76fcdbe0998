import Locks
package import WatchProtoCore
import WatchProtoRecords
import WatchProtoTransport

/// The events of the other device.
extension LedgerExchange {
    /// Takes a dose event of the other device, which is answered later. Called under the driver's
    /// lock.
    package func take(_ record: InboundRecord, at now: Instant) {
        let isFirst = state.withLock { state in
            state.arrived.append(LedgerArrival(record: record, receivedAt: now))
            return state.arrived.count == 1
        }
        if isFirst { work.add { [self] in takeArrived() } }
    }

    func takeArrived() {
        let found = state.withLock { state -> (any LedgerLink, [LedgerArrival])? in
            guard let link = state.link, !state.arrived.isEmpty else { return nil }
            defer { state.arrived = [] }
            return (link, state.arrived)
        }
        guard let (link, arrived) = found else { return }
        var fresh: [UInt128: [UInt8]] = [:]
        var events: [DoseEvent] = []
        var arrivals: [LedgerArrival] = []
        for var arrival in arrived {
            // Where the ledger cannot be read, the record stays unanswered, and comes again when
            // the journal is open again.
            guard (try? examine(&arrival, beside: fresh)) != nil else { continue }
            let record = arrival.record
            if arrival.event == nil {
                let isEvent = (try? DoseEvent(decoding: record.payload)) != nil
                link.rejected(
                    record.id, code: isEvent ? Self.otherBytes : Rejection.unreadable.code,
                    writes: [])
            } else if let event = arrival.event, !arrival.isKnown {
                fresh[event.id.rawValue] = record.payload
                events.append(event)
                link.applied(record.id, writes: ledger.insert(event, record.payload))
            } else {
                link.applied(record.id, writes: [])
            }
            arrivals.append(arrival)
        }
        // Everything a reader hears of is durable.
        if !events.isEmpty {
            guard (try? ledger.flush()) != nil else { return }
            state.withLock { $0.comparisons = 0 }
        }
        observer?.arrived(arrivals)
        publish(events)
    }

    /// Finds out whether an arrival is a new event. Throws the error of a read.
    private func examine(_ arrival: inout LedgerArrival, beside fresh: [UInt128: [UInt8]]) throws {
        guard let event = try? DoseEvent(decoding: arrival.record.payload) else { return }
        let identity = event.id.rawValue
        if let known = try fresh[identity] ?? ledger.event(identity) {
            arrival.isKnown = true
            guard known == arrival.record.payload else { return }
        }
        arrival.event = event
    }

    /// The code of a rejected event whose identity stands for another event in this ledger.
    static let otherBytes: UInt16 = 65_533
}
