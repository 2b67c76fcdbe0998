internal import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoTransport

/// The waits for a state: until the reply to a query has certain members.
final class StateWaits: Sendable {
    struct Wait: Sendable {
        var id: JSONValue
        var query: ControlRequest
        /// The members that the reply must have.
        var holds: JSONObject
        var milliseconds: Int64
        var deadline: Instant
    }

    /// The queries that may be waited on. They change nothing.
    static let queries = [
        "status", "record.status", "outstanding", "pair.list", "list", "store", "face",
        "medication.fetch", "medication.list", "dose.history",
    ]

    /// The time between two looks at a state: no event tells of every one.
    private static let interval = Duration.milliseconds(10)

    private let waits = Mutex<[Wait]>([])

    /// When states are to be looked at again; nil while nobody waits.
    var nextLook: Instant? {
        waits.withLock { $0.isEmpty ? nil : SystemClock.now.advanced(by: Self.interval) }
    }

    /// - Throws: `too_many_waits`.
    func add(_ wait: Wait) throws(ControlError) {
        let isAdded = waits.withLock { waits -> Bool in
            guard waits.count < EventHub.waitLimit else { return false }
            waits.append(wait)
            return true
        }
        if !isAdded { throw .tooManyWaits }
    }

    /// Removes and returns all waits, so that each is answered or added again.
    func takeAll() -> [Wait] {
        waits.withLock { waits in
            defer { waits = [] }
            return waits
        }
    }
}

/// The command `wait` with `until`.
extension Simulator {
    /// Answers at once if the state holds already.
    ///
    /// - Returns: what the reply says; nil when it follows later.
    func waitForState(_ request: ControlRequest) throws(ControlError) -> JSONObject? {
        let form = ["until", "fields", "holds", "timeout_ms"]
        try request.checkFields(form)
        let name = try request.string("until", expected: "the name of a query")
        let known = StateWaits.queries.filter { query in commands.contains { $0.name == query } }
        guard known.contains(name) else { throw .unknownQuery(name, known: known) }
        let milliseconds = try request.integer(
            "timeout_ms", in: 0...EventCondition.longestMilliseconds)
        var query = request
        query.command = name
        query.fields = try request.object("fields", expected: "the fields of the query") ?? .init()
        let expected = "the members that the reply is to have, with their values"
        guard let holds = try request.object("holds", expected: expected), !holds.members.isEmpty
        else { throw .missingField("holds", expected: expected) }
        let wait = StateWaits.Wait(
            id: request.id, query: query, holds: holds, milliseconds: milliseconds,
            deadline: SystemClock.now.advanced(by: .milliseconds(milliseconds)))
        if let reply = try answer(wait, at: SystemClock.now) { return reply }
        try states.add(wait)
        return nil
    }

    /// When somebody who waits may have to be answered.
    var nextWait: Instant? {
        [hub.nextDeadline, states.nextLook].compactMap(\.self).min()
    }

    /// Answers the waits whose state holds, or whose time is over.
    func lookAtWaits(at now: Instant) {
        hub.expire(at: now)
        for wait in states.takeAll() {
            do throws(ControlError) {
                guard let reply = try answer(wait, at: now) else {
                    try states.add(wait)
                    continue
                }
                send(ControlMessage.reply(to: wait.id, reply))
            } catch {
                send(ControlMessage.refusal(of: wait.id, error))
            }
        }
    }

    /// Answers all waits with an error, because the process ends.
    func refuseWaits(reason: String) {
        hub.refuseWaits(reason: reason)
        let error = ControlError("ending", ["reason": .string(reason)])
        for wait in states.takeAll() { send(ControlMessage.refusal(of: wait.id, error)) }
        refuseLate(error)
    }

    /// The client has gone: nobody waits any more.
    func forgetWaits() {
        hub.forgetWaits()
        late.withLock { $0 = [] }
        _ = states.takeAll()
    }

    private func send(_ line: JSONValue) {
        output.append(JSONWriter.line(line), droppable: false)
    }

    /// The reply to a wait; nil while the state does not hold.
    ///
    /// - Throws: why the query is refused, or `timed_out` with the members as they are.
    private func answer(
        _ wait: StateWaits.Wait, at now: Instant
    ) throws(ControlError) -> JSONObject? {
        let state = try perform(wait.query) ?? JSONObject()
        if try Self.has(state, wait.holds) {
            return JSONValue.members(["state": .object(state)])
        }
        guard wait.deadline <= now else { return nil }
        var found = JSONObject()
        for member in wait.holds.members { found[member.name] = state[member.name] ?? .null }
        throw ControlError(
            "timed_out",
            [
                "until": .string(wait.query.command), "timeout_ms": .integer(wait.milliseconds),
                "found": .object(found),
            ])
    }
}

extension Simulator {
    /// Whether an object has these members. An object among them is compared in the same way, so
    /// one member of a member can be waited for.
    ///
    /// - Throws: `unknown_field` for a name that the object never has: it would be waited for in
    ///   vain.
    private static func has(
        _ state: JSONObject, _ expected: JSONObject
    ) throws(ControlError) -> Bool {
        var hasAll = true
        for member in expected.members {
            switch (state[member.name], member.value) {
            case (nil, _):
                let names = state.members.map(\.name)
                if let near = Spelling.nearest(to: member.name, among: names) {
                    throw .unknownField(member.name, known: [near])
                }
                hasAll = false
            case (.object(let found), .object(let inner)):
                if try !has(found, inner) { hasAll = false }
            case (let found, let value): if found != value { hasAll = false }
            }
        }
        return hasAll
    }
}

extension ControlError {
    /// A wait for a query that there is not; names the nearest of `known`.
    static func unknownQuery(_ name: String, known: [String]) -> ControlError {
        let near = Spelling.nearest(to: name, among: known)
        return .badField(
            "until", expected: near.map { "'\($0)'" } ?? known.joined(separator: ", "),
            found: Excerpt.of(name))
    }
}
