internal import ControlProtocol
internal import Locks
internal import WatchProtoCore

/// Values handed back that the application has not taken up yet, the oldest first. One that finds
/// the queue full waits here until a record is over.
final class TakeUps: Sendable {
    private struct State {
        var values: [HandedBack]
        /// Whether it was told that one waits for room.
        var isTold = false
    }

    private let state: Mutex<State>
    private let needsRoom = Atomic<Bool>(false)
    private let wake: @Sendable () -> Void

    /// - Parameter wake: lets the main thread call ``perform(_:)``.
    init(_ values: [HandedBack], wake: @escaping @Sendable () -> Void) {
        state = Mutex(State(values: values))
        self.wake = wake
        if !values.isEmpty { wake() }
    }

    func add(_ value: HandedBack) { add([value]) }

    func add(_ values: [HandedBack]) {
        guard !values.isEmpty else { return }
        state.withLock { $0.values += values }
        wake()
    }

    /// The keys of those that wait in a channel.
    func keys(in channel: Channel) -> Set<RecordKey> {
        state.withLock { state in Set(state.values.filter { $0.channel == channel }.map(\.key)) }
    }

    /// Whether none waits.
    var isEmpty: Bool { state.withLock { $0.values.isEmpty } }

    /// The device they came from is forgotten.
    func removeAll() { state.withLock { $0 = State(values: []) } }

    /// A record is over: there may be room now.
    func recordEnded() {
        if needsRoom.load(ordering: .sequentiallyConsistent) { wake() }
    }

    /// Tries each value once; stops at a queue that is full.
    ///
    /// - Returns: what is to be told. That there is no room is told once for as long as it lasts.
    func perform(_ take: (HandedBack) throws(ControlError) -> Void) -> [ControlError] {
        // Before the first try: a record that ends meanwhile must wake.
        needsRoom.store(true, ordering: .sequentiallyConsistent)
        var values = state.withLock { state in
            defer { state.values = [] }
            return state.values
        }
        var waiting: [HandedBack] = []
        var told: [ControlError] = []
        var full: ControlError?
        while full?.code != Self.queueFull, !values.isEmpty {
            let value = values.removeFirst()
            do throws(ControlError) {
                try take(value)
            } catch {
                if [Self.queueFull, Self.tooManyKeys, Self.setTooLarge].contains(error.code) {
                    waiting.append(value)
                    full = error
                } else {
                    told.append(error)
                }
            }
        }
        let back = waiting + values
        if back.isEmpty { needsRoom.store(false, ordering: .sequentiallyConsistent) }
        state.withLock { state in
            state.values = back + state.values
            if let full, !state.isTold { told.append(full) }
            state.isTold = full != nil
        }
        return told
    }

    private static let queueFull = SendRefusal.queueFull(records: 0).controlName
    private static let tooManyKeys = SendRefusal.tooManyKeys(limit: 0).controlName
    private static let setTooLarge = SendRefusal.setTooLarge(limit: 0).controlName
}
