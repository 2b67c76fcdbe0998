package import ControlProtocol
internal import Locks
package import WatchProto
internal import WatchProtoTransport

/// Where events meet those who wait for them. Any thread posts; nothing here blocks.
package final class EventHub: Sendable {
    private struct Wait {
        var id: JSONValue
        var condition: EventCondition
        var deadline: Instant
        /// The reply when the event has come, and when it has not.
        var outcome: @Sendable (JSONValue?) throws(ControlError) -> JSONObject
    }

    private struct State {
        /// Lines before `ready`, which is always first.
        var held: [JSONValue]? = []
        /// The last events, for waits that come after what they wait for.
        var history: [(sequence: UInt64, event: JSONValue)] = []
        var nextSequence: UInt64 = 0
        /// Where a wait begins to look back: the last command that was no wait.
        var lookBackFrom: UInt64 = 0
        /// By event name: up to where waits have taken events.
        var taken: [String: UInt64] = [:]
        /// The last event of each state that lasts.
        var states: [String: JSONValue] = [:]
        var waits: [Wait] = []
    }

    /// Events kept for waits.
    static let historyLimit = 1024
    /// Waits that may stand at a time.
    static let waitLimit = 256
    /// Events that tell a state which lasts until the next of the name.
    static let lasting = ["activation", "reachability"]

    private let output: ControlOutput
    private let state = Mutex(State())

    init(output: ControlOutput) { self.output = output }

    /// Tells an event.
    package func post(_ name: String, _ members: JSONValue = [:], at now: Instant? = nil) {
        let event = ControlMessage.event(
            name, JSONValue.members(members), atNanoseconds: (now ?? SystemClock.now).nanoseconds)
        state.withLock { state in
            if Self.lasting.contains(name) { state.states[name] = event }
            if state.held != nil {
                state.held?.append(event)
            } else {
                tell(event, &state)
            }
        }
    }

    /// Sends `ready`, then what happened before it.
    func open(_ ready: JSONValue) {
        state.withLock { state in
            output.append(JSONWriter.line(ready), droppable: false)
            let held = state.held ?? []
            state.held = nil
            for event in held { tell(event, &state) }
        }
    }

    /// Whoever listened has gone: nobody waits any more.
    func forgetWaits() { state.withLock { $0.waits = [] } }

    /// Answers whoever waits still: the process ends.
    func refuseWaits(reason: String) {
        let error = ControlError("ending", ["reason": .string(reason)])
        state.withLock { state in
            for wait in state.waits { answer(wait, nil, or: error) }
            state.waits = []
        }
    }

    private func tell(_ event: JSONValue, _ state: inout State) {
        output.append(JSONWriter.line(event), droppable: true)
        let sequence = state.nextSequence
        state.nextSequence += 1
        state.history.append((sequence, event))
        if state.history.count > 2 * Self.historyLimit {
            state.history.removeFirst(Self.historyLimit)
        }
        var rest: [Wait] = []
        for wait in state.waits {
            if wait.condition.matches(event) {
                state.taken[wait.condition.event] = sequence + 1
                answer(wait, event)
            } else {
                rest.append(wait)
            }
        }
        state.waits = rest
    }

    /// - Parameter refusal: why it is refused, where not for what the wait itself says.
    private func answer(_ wait: Wait, _ event: JSONValue?, or refusal: ControlError? = nil) {
        let reply: JSONValue
        do throws(ControlError) {
            reply = ControlMessage.reply(to: wait.id, try wait.outcome(event))
        } catch {
            reply = ControlMessage.refusal(of: wait.id, refusal ?? error)
        }
        output.append(JSONWriter.line(reply), droppable: false)
    }

    // MARK: Waits

    /// A command that is no wait begins: waits after it look back to here.
    func commandBegins() { state.withLock { $0.lookBackFrom = $0.nextSequence } }

    /// Tells a state that lasts, unless it was told last.
    func tellState(_ name: String, _ members: JSONValue) {
        let known = state.withLock { $0.states[name] }
        let isKnown = JSONValue.members(members).members.allSatisfy { known?[$0.name] == $0.value }
        if !isKnown { post(name, members) }
    }

    /// Answers at once when the state holds already or the event came since the last command, else
    /// when it comes or the time is over.
    func wait(_ id: JSONValue, _ condition: EventCondition) throws(ControlError) {
        try reply(to: id, after: condition) { event throws(ControlError) in
            guard let event else {
                throw .timedOut(
                    condition.event, milliseconds: condition.timeoutMilliseconds)
            }
            return JSONValue.members(["matched": event])
        }
    }

    /// Replies to a command once an event has come, or its time is over (nil). Throws when too many
    /// commands wait already; what `outcome` throws becomes the reply.
    package func reply(
        to id: JSONValue, after condition: EventCondition,
        _ outcome: @escaping @Sendable (JSONValue?) throws(ControlError) -> JSONObject
    ) throws(ControlError) {
        let patience = Duration.milliseconds(condition.timeoutMilliseconds)
        let wait = Wait(
            id: id, condition: condition, deadline: SystemClock.now.advanced(by: patience),
            outcome: outcome)
        let isRoom = state.withLock { state -> Bool in
            if let event = state.states[condition.event], condition.matches(event) {
                answer(wait, event)
                return true
            }
            if !Self.lasting.contains(condition.event) {
                let from = max(state.lookBackFrom, state.taken[condition.event] ?? 0)
                let found = state.history.first {
                    $0.sequence >= from && condition.matches($0.event)
                }
                if let found {
                    state.taken[condition.event] = found.sequence + 1
                    answer(wait, found.event)
                    return true
                }
            }
            guard state.waits.count < Self.waitLimit else { return false }
            state.waits.append(wait)
            return true
        }
        if !isRoom { throw ControlError("too_many_waits", ["limit": .whole(Self.waitLimit)]) }
    }

    /// When the next wait is over.
    var nextDeadline: Instant? { state.withLock { $0.waits.map(\.deadline).min() } }

    /// Refuses the waits whose time is over.
    func expire(at now: Instant) {
        state.withLock { state in
            for wait in state.waits where wait.deadline <= now { answer(wait, nil) }
            state.waits.removeAll { $0.deadline <= now }
        }
    }
}
