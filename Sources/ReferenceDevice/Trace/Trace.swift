internal import ControlProtocol
internal import Locks
package import WatchProto

/// The records that a simulator sent and received, with their moments. Joined by epoch, channel and
/// number, the traces of both sides tell the whole life of each record. A trace is bounded, and
/// counts the records for which it had no room.
package final class Trace: Sendable {
    /// A record that arrived here.
    struct Delivery {
        var id: RecordID
        var kind: ContentKind
        var key: RecordKey?
        var revision: UInt32?
        var content: UInt64
        var deliveredNs: UInt64
        var visibleNs: UInt64
        var wasRejected: Bool
        /// When this side's journal held it.
        var durableNs: UInt64 = 0
    }

    private struct State {
        var sent: SentTrace
        /// The newest value of each key whose equal values are not sent.
        var values: [RecordKey: RecordID] = [:]
        var deliveries: [Delivery] = []
        /// Where the deliveries stand that are not durable yet.
        var places: [RecordID: Int] = [:]
        var untracedDeliveries: UInt64 = 0
    }

    /// Records of one page of a dump: with it a reply stays below a line's limit.
    static let pageLimit = 1000

    private let limit: Int
    /// Whether there is a journal that tells.
    private let followsDurability: Bool
    private let state: Mutex<State>

    init(limit: Int, followsDurability: Bool = false) {
        self.limit = limit
        self.followsDurability = followsDurability
        state = Mutex(State(sent: Self.makeSent(limit, followsDurability)))
    }

    func reset() {
        state.withLock { state in
            let values = state.values
            state = State(sent: Self.makeSent(limit, followsDurability))
            state.values = values
        }
    }

    private static func makeSent(_ limit: Int, _ followsDurability: Bool) -> SentTrace {
        SentTrace(limit: limit)
    }

    /// A load begins: its records are counted from 0.
    func startLoad() { state.withLock { $0.sent.load = LoadCount() } }

    /// How far the load has come.
    func loadProgress() -> JSONObject { state.withLock { $0.sent.load.take() } }

    /// A record was accepted; called before anything can come of it.
    ///
    /// - Returns: whether it is one of its own: a value equal to the newest of its key, and an
    ///   act that is under way, are those.
    @discardableResult
    package func accepted(_ id: RecordID, _ origin: SendOrigin, at now: Instant) -> Bool {
        state.withLock { state in
            var isEqual = false
            if id.channel.traits.order == .latestValue, let key = origin.key {
                isEqual = state.values[key] == id
                state.values[key] = id
            }
            state.sent.accepted(id, origin, isEqual: isEqual, at: now)
            return !isEqual
        }
    }

    /// An act of a load failed, and there is no record of it.
    func failed(_ origin: SendOrigin, at now: Instant) {
        state.withLock { $0.sent.failed(origin, at: now) }
    }

    func renumbered(_ id: RecordID, as new: RecordID) {
        state.withLock { state in
            for (key, value) in state.values where value == id { state.values[key] = new }
            state.sent.renumbered(id, as: new)
        }
    }

    func replied(to number: RecordNumber, at now: Instant) {
        state.withLock { $0.sent.replied(to: number, at: now) }
    }

    func progress(_ id: RecordID, _ stage: Stage, at now: Instant) {
        state.withLock { $0.sent.progress(id, stage, at: now) }
    }

    func settled(_ id: RecordID, _ outcome: Outcome, at now: Instant) {
        state.withLock { $0.sent.settled(id, outcome, at: now) }
    }

    func delivered(_ delivery: Delivery) {
        state.withLock { state in
            guard state.deliveries.count < limit else {
                state.untracedDeliveries += 1
                return
            }
            if followsDurability, delivery.durableNs == 0, delivery.id.channel.traits.isDurable {
                state.places[delivery.id] = state.deliveries.count
            }
            state.deliveries.append(delivery)
        }
    }

    /// Records of both ways that this side's journal holds from now on.
    func durable(sent: [RecordID], received: [RecordID], at now: Instant) {
        state.withLock { state in
            for id in sent { state.sent.durable(id, at: now) }
            for id in received {
                if let place = state.places.removeValue(forKey: id) {
                    state.deliveries[place].durableNs = now.nanoseconds
                }
            }
        }
    }

    // MARK: Dumps

    /// One page: records and deliveries from place `after` on, and where the next page begins.
    func dump(after: Int, limit: Int) -> JSONObject {
        let page = state.withLock { state in
            (
                sent: Array(state.sent.entries.dropFirst(after).prefix(limit)),
                deliveries: Array(state.deliveries.dropFirst(after).prefix(limit)),
                total: max(state.sent.entries.count, state.deliveries.count),
                untraced: state.sent.untraced + state.untracedDeliveries
            )
        }
        var object = JSONObject()
        object["records"] = .array(page.sent.map { Self.value(of: $0) })
        object["deliveries"] = .array(page.deliveries.map { Self.value(of: $0) })
        object["next"] = after + limit < page.total ? .whole(after + limit) : .null
        object["untraced"] = .whole(page.untraced)
        return object
    }

    private static func value(of entry: SentTrace.Entry) -> JSONValue {
        var object = JSONObject()
        func moment(_ name: String, _ nanoseconds: UInt64) {
            if nanoseconds > 0 { object[name] = .whole(nanoseconds) }
        }
        if let id = entry.id { describe(id, in: &object) }
        if entry.id == nil {
            let channel: Channel = entry.origin.kind == .doseEvent ? .urgent : .complication
            object["channel"] = .string(channel.controlName)
        }
        describe(
            entry.origin.kind, entry.origin.key, entry.origin.revision, entry.origin.content,
            in: &object)
        moment("intended_ns", entry.origin.intended?.nanoseconds ?? 0)
        moment("recorded_ns", entry.origin.recorded?.nanoseconds ?? 0)
        moment("accepted_ns", entry.acceptedNs)
        moment("durable_ns", entry.durableNs)
        for stage in Stage.allCases where stage != .queued {
            moment("\(stage)_ns", entry.stages[Int(stage.rawValue)])
        }
        if let settled = entry.settled { object["settled"] = .string(settled) }
        moment("settled_ns", entry.settledNs)
        moment("replied_ns", entry.repliedNs)
        if entry.repliedNs > 0 { moment("rtt_ns", entry.repliedNs - entry.acceptedNs) }
        if entry.origin.isWarmUp { object["warmup"] = true }
        return .object(object)
    }

    private static func value(of delivery: Delivery) -> JSONValue {
        var object = JSONObject()
        describe(delivery.id, in: &object)
        describe(
            delivery.kind, delivery.key, delivery.revision, delivery.content, in: &object)
        object["delivered_ns"] = .whole(delivery.deliveredNs)
        object["visible_ns"] = .whole(delivery.visibleNs)
        if delivery.durableNs > 0 { object["durable_ns"] = .whole(delivery.durableNs) }
        if delivery.wasRejected { object["rejected"] = true }
        return .object(object)
    }

    private static func describe(_ id: RecordID, in object: inout JSONObject) {
        object["epoch"] = .string(id.epoch.hex)
        object["channel"] = .string(id.channel.controlName)
        object["number"] = .whole(id.number.rawValue)
    }

    private static func describe(
        _ kind: ContentKind?, _ key: RecordKey?, _ revision: UInt32?, _ content: UInt64?,
        in object: inout JSONObject
    ) {
        if let kind { object["kind"] = .string(kind.controlName) }
        if let key { object["key"] = .string(key.hex) }
        if let revision { object["revision"] = .whole(revision) }
        if let content { object["content"] = .string(Hex.text(UInt128(content), digits: 16)) }
    }
}
