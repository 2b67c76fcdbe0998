import Locks
import WatchProtoCore
import WatchProtoJournal
package import WatchProtoRecords

/// The events of a file.
extension DeviceLedger {
    /// The result of an import.
    package struct Imported: Sendable {
        /// The number of events that are new in the ledger.
        package var recorded = 0
        /// The number of events that the ledger had.
        package var known = 0
        /// The number of events of which the ledger has another form.
        package var clashCount = 0
        /// The first of these.
        package var clashes: [DoseEventID] = []
    }

    /// The most clashes that are named.
    private static let namedClashes = 100
    /// The events that an observer gets at a time.
    private static let page = 256

    /// Adds any number of events in one transaction, and queues them for the other devices. They
    /// are durable when `answer` is called. If the ledger has another form of one of them, nothing
    /// changes.
    ///
    /// - Parameters:
    ///   - events: the events, each identity once.
    ///   - isPartial: whether events of which the ledger has another form are left out instead.
    ///   - answer: called when they are durable, or are refused.
    package func add(
        _ events: EncodedEvents, isPartial: Bool,
        answer: @escaping @Sendable (Result<Imported, DoseRefusal>) -> Void
    ) {
        work.add { [self] in
            answer(Result { () throws(DoseRefusal) in try addNow(events, isPartial) })
        }
    }

    private func addNow(
        _ events: EncodedEvents, _ isPartial: Bool
    ) throws(DoseRefusal) -> Imported {
        let exchanges = exchanges
        // A session opens a failed journal again by itself.
        if exchanges.isEmpty { try? store.reopen() }
        var fresh: [Int] = []
        var result = Imported()
        var identity = DoseEventID(rawValue: 0)
        do {
            for (index, encoding) in events.enumerated() {
                identity = try DoseEvent(decoding: encoding).id
                guard let known = try store.event(identity.rawValue) else {
                    fresh.append(index)
                    continue
                }
                if known == encoding {
                    result.known += 1
                } else {
                    result.clashCount += 1
                    if result.clashCount <= Self.namedClashes { result.clashes.append(identity) }
                }
            }
        } catch {
            throw DoseRefusal(identity, "the ledger cannot be read: \(error)", isUnknown: true)
        }
        guard isPartial || result.clashCount == 0 else { return result }
        result.recorded = fresh.count
        guard !fresh.isEmpty else { return result }
        do throws(JournalError) {
            try store.write(store.insertion(of: events))
        } catch {
            failed(fresh.lazy.compactMap { Self.event(events[$0])?.id.rawValue }, exchanges)
            throw DoseRefusal(identity, "\(error)", isUnknown: true)
        }
        for index in fresh {
            guard let event = Self.event(events[index]) else { continue }
            store.inserted(event, events[index])
            state.withLock { _ = $0.uncertain.remove(event.id.rawValue) }
        }
        var identities: [UInt128] = []
        identities.reserveCapacity(fresh.count)
        for start in stride(from: 0, to: fresh.count, by: Self.page) {
            let page = fresh[start..<min(start + Self.page, fresh.count)]
                .compactMap { Self.event(events[$0]) }
            observer?.recorded(page)
            identities += page.map(\.id.rawValue)
        }
        publish(identities)
        settleUncertain()
        return result
    }

    private static func event(_ encoding: [UInt8]) -> DoseEvent? {
        try? DoseEvent(decoding: encoding)
    }
}
