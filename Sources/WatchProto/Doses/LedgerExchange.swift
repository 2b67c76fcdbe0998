import Locks
package import WatchProtoCore
import WatchProtoJournal
package import WatchProtoRecords
import WatchProtoTransport

/// A device's dose ledger, and its exchange with the ledgers of other devices.
///
/// A new event is durable here first. Then it is queued for the other device. The queue is derived
/// from the ledger: an event that finds no room, or whose record is lost, is found by the next
/// comparison. The phone compares both ledgers each time when the watch becomes reachable.
///
/// All reading and all decisions happen on one thread, one after the other.
package final class LedgerExchange: Sendable {
    struct State {
        /// The session with the other device; nil without one.
        var link: (any LedgerLink)?
        var isReachable = false
        /// Counts the times when the other device became reachable, or stopped being so.
        var period = 0
        /// Own acts that nobody has looked at yet.
        var acts: [Act] = []
        /// Events of the other device that nobody has looked at yet.
        var arrived: [LedgerArrival] = []
        /// Questions whose answers could not be sent before the other device became reachable.
        var unanswered: [InboundRecord] = []
        /// The own records of dose events that are not settled.
        var underWay: [RecordID: UInt128] = [:]
        /// The events to be queued as soon as few enough are under way.
        var backlog: [UInt128] = []
        /// Whether the queue had no room for an event.
        var needsRoom = false
        /// The comparison under way. On a phone.
        var comparison: LedgerComparison?
        /// The next question, which waits until the backlog is short.
        var question: LedgerRequest?
        /// Whether a comparison is due when nothing is under way; on a watch, the phone's.
        var owesComparison = false
        /// Comparisons since the other device became reachable.
        var comparisons = 0
        /// When both ledgers were last seen to have the same events.
        var matchedAt: WallTime?
        var readers: [ElementBuffer<DoseEvent>] = []
    }

    let role: DeviceRole
    /// The ledger of this device.
    package let ledger: any LedgerStore
    let state = Mutex(State())
    let work = SerialWork()
    private let watching = Mutex<WeakObserver>(WeakObserver())

    private struct WeakObserver: Sendable {
        weak var observer: (any LedgerObserver)?
    }

    /// The exchange of a ledger, without a session.
    package init(_ role: DeviceRole, _ ledger: any LedgerStore) {
        self.role = role
        self.ledger = ledger
    }

    /// Tells `observer` what the ledger does, and no other.
    package func tell(_ observer: any LedgerObserver) {
        watching.withLock { $0.observer = observer }
    }

    var observer: (any LedgerObserver)? { watching.withLock { $0.observer } }

    /// Whether there is nothing to do. For tests that move the clock.
    package var isIdle: Bool { work.isIdle }

    /// Whether nothing is under way to the other device, or waits for it, as far as is known.
    package var isSettled: Bool {
        work.isIdle
            && state.withLock { state in
                state.acts.isEmpty && state.arrived.isEmpty && state.underWay.isEmpty
                    && state.backlog.isEmpty && state.comparison == nil && !state.owesComparison
            }
    }

    // MARK: Sessions

    /// The session with the other device begins.
    package func begin(_ link: any LedgerLink) {
        state.withLock { state in
            state.link = link
            state.underWay = [:]
            state.backlog = []
            state.needsRoom = false
        }
        // Perhaps the link opened, and records came, before this call.
        reachable(link.isReachable)
        work.add { [self] in takeArrived() }
    }

    /// The session with the other device has ended.
    package func end() {
        state.withLock { state in
            state.link = nil
            state.arrived = []
        }
        reachable(false)
    }

    /// The other device can answer from now on, or no longer.
    package func reachable(_ isReachable: Bool) {
        state.withLock { state in
            state.isReachable = isReachable
            state.period += 1
            state.comparison = nil
            state.question = nil
            state.comparisons = 0
            state.owesComparison = role == .phone
            if !isReachable { state.unanswered = [] }
        }
        guard isReachable else { return }
        work.add { [self] in
            answerQuestions()
            proceed()
        }
    }

    // MARK: Own events

    /// Adds events to the ledger, all of them or none, and queues them for the other device. They
    /// are durable when this returns. An event that the ledger has already changes nothing.
    package func record(_ events: [DoseEvent]) async throws(DoseRefusal) {
        let result = await withCheckedContinuation { continuation in
            add(events) { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    /// Events to be added together.
    struct Act: Sendable {
        var events: [DoseEvent]
        /// Called when they are durable, or are refused.
        var answer: @Sendable (Result<Void, DoseRefusal>) -> Void
    }

    /// Adds events as ``record(_:)`` does, and waits for nothing.
    package func add(
        _ events: [DoseEvent], answer: @escaping @Sendable (Result<Void, DoseRefusal>) -> Void
    ) {
        add(Act(events: events, answer: answer))
    }

    private func add(_ act: Act) {
        let isFirst = state.withLock { state in
            state.acts.append(act)
            return state.acts.count == 1
        }
        if isFirst { work.add { [self] in addActs() } }
    }

    /// Adds the events of all acts that wait, in one transaction.
    private func addActs() {
        let (acts, link) = state.withLock { state in
            defer { state.acts = [] }
            return (state.acts, state.link)
        }
        var fresh: [UInt128: [UInt8]] = [:]
        var events: [DoseEvent] = []
        var writes: [SQLWrite] = []
        var results: [Result<Void, DoseRefusal>] = []
        for act in acts {
            do throws(DoseRefusal) {
                for (event, encoding) in try unknown(act.events, beside: fresh) {
                    fresh[event.id.rawValue] = encoding
                    events.append(event)
                    writes += ledger.insert(event, encoding)
                }
                results.append(.success(()))
            } catch {
                results.append(.failure(error))
            }
        }
        do throws(JournalError) {
            try ledger.write(writes, isAlone: link == nil)
        } catch {
            // The session has to learn that the journal failed: it opens it again.
            _ = link?.write([SQLWrite { _ in }])
            for (place, act) in acts.enumerated() where (try? results[place].get()) != nil {
                guard let first = act.events.first else { continue }
                results[place] = .failure(DoseRefusal(first.id, "\(error)", isUnknown: true))
            }
            events = []
        }
        let identities = events.map(\.id.rawValue)
        state.withLock { state in if state.link != nil { state.backlog += identities } }
        if !events.isEmpty { observer?.recorded(events) }
        publish(events)
        proceed()
        for (act, result) in zip(acts, results) { act.answer(result) }
    }

    /// Those of the events that the ledger lacks, with their bytes. Throws for one of which it has
    /// another form.
    private func unknown(
        _ events: [DoseEvent], beside fresh: [UInt128: [UInt8]]
    ) throws(DoseRefusal) -> [(DoseEvent, [UInt8])] {
        var found: [(DoseEvent, [UInt8])] = []
        var own = fresh
        for event in events {
            let encoding: [UInt8]
            let known: [UInt8]?
            do {
                encoding = try event.encoded()
                known = try own[event.id.rawValue] ?? ledger.event(event.id.rawValue)
            } catch let refusal as EncodingRefusal {
                throw DoseRefusal(event.id, "\(refusal)")
            } catch {
                throw DoseRefusal(event.id, "the ledger cannot be read: \(error)")
            }
            guard known ?? encoding == encoding else {
                throw DoseRefusal(
                    event.id,
                    "the ledger has another event of this identity; give each act its own")
            }
            if known == nil { found.append((event, encoding)) }
            own[event.id.rawValue] = encoding
        }
        return found
    }

    // MARK: Readers

    /// The events that are new in the ledger from now on.
    func changes() -> ElementBuffer<DoseEvent> {
        let reader = ElementBuffer<DoseEvent>()
        state.withLock { state in
            state.readers.removeAll { $0.isFinished }
            state.readers.append(reader)
        }
        return reader
    }

    func publish(_ events: [DoseEvent]) {
        let readers = state.withLock { $0.readers }
        for reader in readers { for event in events { reader.add(event) } }
    }

    /// Ends all readers.
    package func finish() { for reader in state.withLock({ $0.readers }) { reader.finish() } }
}
