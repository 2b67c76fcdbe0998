import Locks
import WatchProtoCore
import WatchProtoJournal
package import WatchProtoRecords

/// The events of this device.
extension DeviceLedger {
    /// Events to be added together.
    struct Act: Sendable {
        var events: [DoseEvent]
        /// Whether an event of a slot that is closed is left out.
        var onlyIfOpen: Bool
        /// Called when they are durable, or are refused.
        var answer: @Sendable (Result<Void, DoseRefusal>) -> Void
    }

    /// Adds events to the ledger, all of them or none, and queues them for the other devices. They
    /// are durable when this returns. An event that the ledger has already changes nothing.
    ///
    /// - Parameters:
    ///   - events: the events.
    ///   - onlyIfOpen: whether an event changes nothing if its slot is closed here.
    package func record(
        _ events: [DoseEvent], onlyIfOpen: Bool = false
    ) async throws(DoseRefusal) {
        let result = await withCheckedContinuation { continuation in
            add(events, onlyIfOpen: onlyIfOpen) { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    /// Adds events as ``record(_:onlyIfOpen:)`` does, and waits for nothing.
    package func add(
        _ events: [DoseEvent], onlyIfOpen: Bool = false,
        answer: @escaping @Sendable (Result<Void, DoseRefusal>) -> Void
    ) {
        let isFirst = state.withLock { state -> Bool? in
            if state.isFinished { return nil }
            state.acts.append(Act(events: events, onlyIfOpen: onlyIfOpen, answer: answer))
            return state.acts.count == 1
        }
        guard let isFirst else {
            let first = events.first?.id ?? DoseEventID(rawValue: 0)
            return answer(.failure(DoseRefusal(first, OpenError.closed.description)))
        }
        if isFirst { work.add { [self] in addActs() } }
    }

    /// Adds the events of all acts that wait, in one transaction.
    private func addActs() {
        let (acts, exchanges) = state.withLock { state in
            defer { state.acts = [] }
            return (state.acts, state.exchanges)
        }
        // A session opens a failed journal again by itself.
        if exchanges.isEmpty { try? store.reopen() }
        var fresh = FreshEvents()
        var events: [[(event: DoseEvent, encoding: [UInt8])]] = []
        var results: [Result<Void, DoseRefusal>] = []
        for act in acts {
            do throws(DoseRefusal) {
                events.append(try unknown(act, &fresh))
                results.append(.success(()))
            } catch {
                results.append(.failure(error))
            }
        }
        do throws(JournalError) {
            try store.write(events.joined().flatMap { store.insertion($0.event, $0.encoding) })
            for (event, encoding) in events.joined() { store.inserted(event, encoding) }
            state.withLock { $0.uncertain.subtract(fresh.encodings.keys) }
            for act in events { added(act.map(\.event)) }
        } catch {
            failed(fresh.encodings.keys, exchanges)
            for (place, act) in acts.enumerated() where (try? results[place].get()) != nil {
                guard let first = act.events.first else { continue }
                results[place] = .failure(DoseRefusal(first.id, "\(error)", isUnknown: true))
            }
        }
        settleUncertain()
        for (act, result) in zip(acts, results) { act.answer(result) }
    }

    /// The commit of events failed. They may be durable all the same.
    func failed(_ identities: some Sequence<UInt128>, _ exchanges: [LedgerExchange]) {
        // The sessions have to learn that the journal failed: they open it again.
        for exchange in exchanges { exchange.link?.write([SQLWrite { _ in }]) }
        state.withLock { $0.uncertain.formUnion(identities) }
    }

    /// The events of an act of this device are durable in the store.
    func added(_ events: [DoseEvent]) {
        guard !events.isEmpty else { return }
        observer?.recorded(events)
        publish(events.map(\.id.rawValue))
    }

    /// Those events of an act that the ledger lacks, with their bytes; they are fresh as well now.
    /// Throws for one of which the ledger has another form: then none of them is.
    private func unknown(
        _ act: Act, _ fresh: inout FreshEvents
    ) throws(DoseRefusal) -> [(event: DoseEvent, encoding: [UInt8])] {
        var found: [(event: DoseEvent, encoding: [UInt8])] = []
        var isTaken = false
        defer { if !isTaken { for one in found.reversed() { fresh.removeLast(one.event) } } }
        for event in act.events {
            let encoding: [UInt8]
            let known: [UInt8]?
            do {
                encoding = try event.encoded()
                known = try fresh.encodings[event.id.rawValue] ?? store.event(event.id.rawValue)
                if act.onlyIfOpen, known == nil, try isClosed(event, &fresh) { continue }
            } catch let refusal as EncodingRefusal {
                throw DoseRefusal(event.id, "\(refusal)")
            } catch {
                // An earlier attempt may have made it durable.
                throw DoseRefusal(event.id, "the ledger cannot be read: \(error)", isUnknown: true)
            }
            guard Self.isSame(event, encoding, as: known) else {
                throw DoseRefusal(
                    event.id,
                    "the ledger has another event of this identity; give each act its own")
            }
            guard known == nil else { continue }
            found.append((event, encoding))
            fresh.append(event, encoding)
        }
        isTaken = true
        return found
    }

    /// Whether the ledger lacks an event, or has the same act: one that is repeated because its
    /// outcome was unknown has another time, and while the journal has failed it names no device.
    private static func isSame(
        _ event: DoseEvent, _ encoding: [UInt8], as known: [UInt8]?
    ) -> Bool {
        guard let known, known != encoding else { return true }
        guard let first = try? DoseEvent(decoding: known) else { return false }
        let (device, other) = (first.time.device, event.time.device)
        return (device == other || device == nil || other == nil)
            && first.medication == event.medication && first.planned == event.planned
            && first.action == event.action && first.status == event.status
            && first.replaces == event.replaces && first.extensions == event.extensions
    }

    /// Whether the slot of an event is closed by this ledger and the fresh events.
    private func isClosed(_ event: DoseEvent, _ fresh: inout FreshEvents) throws -> Bool {
        guard let slot = event.slot else { return false }
        if let isClosed = fresh.isClosed[slot] { return isClosed }
        let events = try store.events(of: slot) + (fresh.bySlot[slot] ?? [])
        let isClosed = DoseSlotState(of: slot, events).isClosed
        fresh.isClosed[slot] = isClosed
        return isClosed
    }
}

/// The events of acts that are added together.
private struct FreshEvents {
    private(set) var encodings: [UInt128: [UInt8]] = [:]
    private(set) var bySlot: [DoseSlot: [DoseEvent]] = [:]
    /// Whether slots are closed that somebody asked about since their last fresh event.
    var isClosed: [DoseSlot: Bool] = [:]

    mutating func append(_ event: DoseEvent, _ encoding: [UInt8]) {
        encodings[event.id.rawValue] = encoding
        guard let slot = event.slot else { return }
        bySlot[slot, default: []].append(event)
        isClosed[slot] = nil
    }

    /// Takes back the event that came last.
    mutating func removeLast(_ event: DoseEvent) {
        encodings[event.id.rawValue] = nil
        guard let slot = event.slot else { return }
        bySlot[slot]?.removeLast()
        isClosed[slot] = nil
    }
}
