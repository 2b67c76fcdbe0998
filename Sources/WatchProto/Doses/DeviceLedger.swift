import Locks
package import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords
package import WatchProtoTransport

/// The dose ledger of a device, with any number of exchanges: one for each other device.
///
/// A new event is durable here first. Then it goes into the queue of every exchange, except that of
/// the device it came from. The queues are derived from the ledger: an event that finds no room, or
/// whose record is lost, is found by the next comparison.
///
/// All reading and all decisions are pieces of work, one after the other.
package final class DeviceLedger: Sendable {
    struct State {
        /// The exchanges whose sessions are open.
        var exchanges: [LedgerExchange] = []
        /// Own acts that nobody has looked at yet.
        var acts: [Act] = []
        /// Events whose commit failed: whether they are durable is not known yet.
        var uncertain: Set<UInt128> = []
        /// Events of other devices whose commit failed, by identity.
        var uncertainArrivals: [UInt128: UncertainArrival] = [:]
        var readers: [ElementBuffer<UInt128>] = []
        /// The phone's wall clock at the zero of ``uptime``, in milliseconds; nil on a phone, and
        /// until it is measured.
        var phoneClock: Int64?
        var isFinished = false
    }

    let role: DeviceRole
    /// The events.
    package let store: any LedgerStore
    let state = Mutex(State())
    let work: any LedgerWorker
    /// The clocks of ``now(device:_:)``.
    let host: any DriverClock
    let clock: @Sendable () -> WallTime
    /// A clock that nobody sets.
    let uptime: @Sendable () -> Instant
    private let watching = Mutex<WeakObserver>(WeakObserver())

    private struct WeakObserver: Sendable {
        weak var observer: (any LedgerObserver)?
    }

    /// The ledger in a store, without exchanges.
    package convenience init(
        _ role: DeviceRole, _ store: any LedgerStore, on host: any DriverClock = HostClock.shared
    ) {
        self.init(
            role, store, SerialWork(host), host: host, clock: { host.wall.time },
            uptime: { host.sinceBoot })
    }

    /// A ledger whose work `worker` performs, one piece after the other. For tests.
    package init(
        _ role: DeviceRole, _ store: any LedgerStore, _ worker: any LedgerWorker,
        host: any DriverClock = HostClock.shared,
        clock: @escaping @Sendable () -> WallTime = { .now },
        uptime: @escaping @Sendable () -> Instant = { SystemClock.sinceBoot }
    ) {
        self.role = role
        self.store = store
        work = worker
        self.host = host
        self.clock = clock
        self.uptime = uptime
    }

    /// Reports to `observer`, and to no other.
    package func setObserver(_ observer: any LedgerObserver) {
        watching.withLock { $0.observer = observer }
    }

    var observer: (any LedgerObserver)? { watching.withLock { $0.observer } }

    /// Whether there is nothing to do. For tests that move the clock.
    package var isIdle: Bool { work.isIdle }

    /// Whether nothing is under way to any other device, or waits for it, as far as is known.
    package var isSettled: Bool {
        !isSending && exchanges.allSatisfy(\.isSettled)
    }

    /// Whether events wait for the ledger or for a queue, or are under way. A comparison that is
    /// due does not count.
    package var isSending: Bool {
        !work.isIdle || state.withLock { !$0.acts.isEmpty }
            || exchanges.contains { $0.isSending }
    }

    // MARK: Exchanges

    var exchanges: [LedgerExchange] { state.withLock { $0.exchanges } }

    func add(_ exchange: LedgerExchange) {
        state.withLock { state in
            guard !state.isFinished, !state.exchanges.contains(where: { $0 === exchange }) else {
                return
            }
            state.exchanges.append(exchange)
        }
    }

    func remove(_ exchange: LedgerExchange) {
        state.withLock { state in state.exchanges.removeAll { $0 === exchange } }
    }

    /// The sessions with all other devices have ended.
    package func endExchanges() { for exchange in exchanges { exchange.end() } }

    /// Events are new in the ledger, and durable: readers hear of them, and the other devices get
    /// them, except the one they came from.
    func publish(_ identities: [UInt128], from origin: LedgerExchange? = nil) {
        guard !identities.isEmpty else { return }
        let (readers, exchanges) = state.withLock { ($0.readers, $0.exchanges) }
        for reader in readers { for identity in identities { reader.add(identity) } }
        for exchange in exchanges where exchange !== origin {
            exchange.send(identities, areOwn: origin == nil)
        }
    }

    // MARK: Readers

    /// The identities of events that are new in the ledger from now on.
    func changes() -> ElementBuffer<UInt128> {
        let reader = ElementBuffer<UInt128>()
        let isFinished = state.withLock { state in
            state.readers.removeAll { $0.isFinished }
            if !state.isFinished { state.readers.append(reader) }
            return state.isFinished
        }
        if isFinished { reader.finish() }
        return reader
    }

    /// Ends all readers and exchanges.
    package func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            return state.readers
        }
        for reader in readers { reader.finish() }
        endExchanges()
    }
}
