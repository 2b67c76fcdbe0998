import Locks
package import WatchProtoCore
import WatchProtoRecords
import WatchProtoTransport

/// The events of the other device.
extension LedgerExchange {
    /// Receives a dose event of the other device, which is answered later. Called under the
    /// driver's lock.
    package func receive(_ record: InboundRecord, at now: Instant) {
        let isFirst = state.withLock { state in
            state.arrived.append(
                LedgerArrival(record: record, receivedAt: now, heldRound: state.heldRound))
            return state.arrived.count == 1
        }
        if isFirst { work.add { [self] in receiveArrived() } }
    }

    func receiveArrived() {
        ledger.settleUncertain()
        let found = state.withLock { state -> (any LedgerLink, [LedgerArrival])? in
            guard let link = state.link, !state.arrived.isEmpty else { return nil }
            defer { state.arrived = [] }
            return (link, state.arrived)
        }
        guard let (link, arrived) = found else { return }
        var fresh: [UInt128: [UInt8]] = [:]
        var arrivals: [LedgerArrival] = []
        var unread: [LedgerArrival] = []
        for var arrival in arrived {
            guard (try? examine(&arrival, beside: fresh)) != nil else {
                unread.append(arrival)
                continue
            }
            guard answer(arrival, link) else { continue }
            if let identity = arrival.event?.id.rawValue {
                // If a connection began meanwhile, that device may have lost the event.
                state.withLock {
                    if $0.heldRound == arrival.heldRound { $0.holds(identity) }
                }
                if !arrival.isKnown { fresh[identity] = arrival.record.payload }
            }
            arrivals.append(arrival)
        }
        wait(unread)
        // A reader hears of an event when it is durable.
        let isDurable = fresh.isEmpty || (try? store.flush()) != nil
        let known = arrivals.filter { arrival in
            guard let identity = arrival.event?.id.rawValue, fresh[identity] != nil,
                !isDurable || (try? store.has(arrival)) != true
            else { return true }
            // The failed commit may be durable all the same.
            if !arrival.isKnown { ledger.keepUncertain(identity, arrival, from: self) }
            return false
        }
        ledger.report(known, from: self)
    }

    /// The ledger cannot be read, so these stay unanswered. They are looked at again after a pause.
    private func wait(_ unread: [LedgerArrival]) {
        guard !unread.isEmpty else { return }
        state.withLock { $0.arrived = unread + $0.arrived }
        work.add(
            { [weak self] in
                guard let self else { return }
                receiveArrived()
                // The other device may have lost them meanwhile.
                state.withLock { $0.owesComparison = true }
                proceed()
            }, after: Self.pause)
    }

    /// Answers the record of an arrival. Returns whether the session took the answer: one that has
    /// ended, or whose journal failed, takes none and writes nothing.
    private func answer(_ arrival: LedgerArrival, _ link: any LedgerLink) -> Bool {
        let record = arrival.record
        guard let event = arrival.event else {
            let code = arrival.isKnown ? Self.otherBytes : Rejection.unreadable.code
            return link.rejected(record.id, code: code, writes: [])
        }
        if arrival.isKnown { return link.applied(record.id, writes: []) }
        guard link.applied(record.id, writes: store.insertion(event, record.payload)) else {
            return false
        }
        store.inserted(event, record.payload)
        return true
    }

    /// Finds out whether an arrival is a new event. Throws the error of a read.
    private func examine(_ arrival: inout LedgerArrival, beside fresh: [UInt128: [UInt8]]) throws {
        guard let event = try? DoseEvent(decoding: arrival.record.payload) else { return }
        let identity = event.id.rawValue
        if let known = try fresh[identity] ?? store.event(identity) {
            arrival.isKnown = true
            guard known == arrival.record.payload else { return }
        }
        arrival.event = event
    }

    /// The code of a rejected event whose identity stands for another event in this ledger.
    static let otherBytes: UInt16 = 65_533
}

extension LedgerStore {
    /// Whether the ledger has the event of an arrival. Throws the error of a read.
    func has(_ arrival: LedgerArrival) throws -> Bool {
        try arrival.event.map { try event($0.id.rawValue) != nil } ?? false
    }
}
