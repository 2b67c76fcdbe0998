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

    /// An event that was told, as its line: that takes a third of the memory of its members.
    private struct Past {
        var sequence: UInt64
        var name: String
        var line: [UInt8]

        /// The event if it meets a condition.
        func event(if condition: EventCondition) -> JSONValue? {
            guard name == condition.event, let event = try? JSONParser.parse(line).value,
                condition.matches(event)
            else { return nil }
            return event
        }
    }

    private struct State {
        /// Lines before `ready`, which is always first.
        var held: [(name: String, event: JSONValue)]? = []
        /// The last events, for waits that come after what they wait for.
        var history: [Past] = []
        /// The number of the newest event; they count from 1.
        var newest: UInt64 = 0
        /// The newest event before the last command that was no wait: a wait looks back to there.
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
        var object =
            ControlMessage.event(
                name, JSONValue.members(members),
                atNanoseconds: (now ?? SystemClock.now).nanoseconds
            )
            .object ?? JSONObject()
        state.withLock { state in
            state.newest += 1
            object["seq"] = .whole(state.newest)
            let event = JSONValue.object(object)
            if Self.lasting.contains(name) { state.states[name] = event }
            if state.held != nil {
                state.held?.append((name, event))
            } else {
                tell(name, event, state.newest, &state)
            }
        }
    }

    /// Whether `ready` was sent.
    var isOpen: Bool { state.withLock { $0.held == nil } }

    /// The number of the newest event.
    var cursor: UInt64 { state.withLock { $0.newest } }

    /// Sends `ready`, then what happened before it.
    func open(_ ready: JSONValue) {
        state.withLock { state in
            output.append(JSONWriter.line(ready), droppable: false)
            let held = state.held ?? []
            state.held = nil
            for (place, (name, event)) in held.enumerated() {
                tell(name, event, UInt64(place + 1), &state)
            }
        }
    }

    /// The client has gone: all waits are dropped.
    func forgetWaits() { state.withLock { $0.waits = [] } }

    /// Answers all waits with an error, because the process ends.
    func refuseWaits(reason: String) {
        let error = ControlError("ending", ["reason": .string(reason)])
        state.withLock { state in
            for wait in state.waits { answer(wait, nil, or: error) }
            state.waits = []
        }
    }

    private func tell(
        _ name: String, _ event: JSONValue, _ sequence: UInt64, _ state: inout State
    ) {
        let line = JSONWriter.line(event)
        // Without the room that writing it left over.
        var kept: [UInt8] = []
        kept.reserveCapacity(line.count)
        kept += line
        output.append(line, droppable: true)
        state.history.append(Past(sequence: sequence, name: name, line: kept))
        if state.history.count > Self.historyLimit + Self.historyLimit / 4 {
            state.history.removeFirst(Self.historyLimit / 4)
        }
        var rest: [Wait] = []
        for wait in state.waits {
            if wait.condition.matches(event) {
                state.taken[wait.condition.event] = sequence
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
    func commandBegins() { state.withLock { $0.lookBackFrom = $0.newest } }

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
        let refusal = state.withLock { state -> ControlError? in
            if let refusal = Self.refusal(of: condition, state) { return refusal }
            if let found = Self.find(condition, state) {
                state.taken[condition.event] = max(
                    found.sequence, state.taken[condition.event] ?? 0)
                answer(wait, found.event)
                return nil
            }
            guard state.waits.count < Self.waitLimit else { return .tooManyWaits }
            state.waits.append(wait)
            return nil
        }
        if let refusal { throw refusal }
    }

    /// The event that a wait is answered with at once: one that came, or the state that holds.
    private static func find(
        _ condition: EventCondition, _ state: State
    ) -> (sequence: UInt64, event: JSONValue)? {
        if condition.after == nil, lasting.contains(condition.event) {
            guard let event = state.states[condition.event], condition.matches(event) else {
                return nil
            }
            return (0, event)
        }
        let from =
            condition.after ?? max(state.lookBackFrom, state.taken[condition.event] ?? 0)
        for past in state.history where past.sequence > from {
            if let event = past.event(if: condition) { return (past.sequence, event) }
        }
        return nil
    }

    /// Why a cursor is none: it is of another process, or of events that are not kept any more.
    private static func refusal(of condition: EventCondition, _ state: State) -> ControlError? {
        guard let after = condition.after else { return nil }
        guard after <= state.newest else {
            return .badField(
                "after", expected: "the 'seq' of an event, at most \(state.newest)",
                found: "\(after)")
        }
        guard let oldest = state.history.first?.sequence, after + 1 < oldest else { return nil }
        return ControlError("cursor_too_old", ["after": .whole(after), "oldest": .whole(oldest)])
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

extension ControlError {
    /// As many commands wait as may.
    static var tooManyWaits: ControlError {
        ControlError("too_many_waits", ["limit": .whole(EventHub.waitLimit)])
    }
}
