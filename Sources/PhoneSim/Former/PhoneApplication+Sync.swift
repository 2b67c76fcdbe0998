import ControlKit
import DeviceStore
import PhoneKit
import SimulatorKit
import Synchronization
import WatchProto
import WatchProtoRecords
import WatchTransport

extension PhoneApplication {
    /// Makes the watch hold exactly the list. After a restart the watch is asked first what it
    /// holds; the reply then comes with its answer, or without one when it takes too long.
    func synchronize(
        _ request: ControlRequest, in simulator: Simulator
    ) throws(ControlError) -> JSONObject? {
        let all = try projections(SystemClock.wall)
        guard library.withLock({ $0.hasList }) else { throw .emptyList }
        let act = SyncAct(all: all, intended: SystemClock.now)
        comparison.withLock { $0 = act }
        let result: SyncResult
        do throws(SendRefusal) {
            result = try simulator.session.synchronize(
                .context, all.map(\.syncValue), kinds: [.medication],
                removalKind: .medicationRemoval
            ) { result, now in
                if case .queued(let ids) = result { act.book(ids, simulator.trace, at: now) }
            }
        } catch {
            throw error.controlError
        }
        if result != .comparing { comparison.withLock { $0 = nil } }
        switch result {
        case .notModified: return act.reply("not_modified", state: result.controlState)
        case .queued(let ids): return act.reply("queued", ids.count)
        case .comparing:
            guard simulator.session.activationState == .activated else {
                return act.reply("comparing")
            }
            let condition = EventCondition(
                "set.synchronized", timeoutMilliseconds: Self.comparisonTimeoutMilliseconds)
            try simulator.hub.reply(to: request.id, after: condition) { event in
                guard let event else { return act.reply("comparing") }
                if let refusal = event["refused"] {
                    var reply = act.reply("refused")
                    reply["refusal"] = refusal
                    return reply
                }
                let state = event["state"]?.string
                return act.reply(
                    state == nil ? "queued" : "not_modified",
                    Int(event["records"]?.integer ?? 0), state: state)
            }
            return nil
        }
    }

    /// How long the reply to `sync` waits for the watch's answer, in milliseconds.
    static let comparisonTimeoutMilliseconds: Int64 = 5000

    /// Shows a text, or without one what the list says is due next.
    func updateComplication(
        _ request: ControlRequest, in simulator: Simulator
    ) throws(ControlError) -> JSONObject {
        var state = library.withLock { $0.complicationState(SystemClock.wall) }
        if let text = try request.optionalString("text") {
            state.name = text
            guard state.encodedSize <= ComplicationState.byteBudget else {
                throw .badField(
                    "text",
                    expected: "text with which the state takes at most "
                        + "\(ComplicationState.byteBudget) bytes",
                    found: "\(state.encodedSize) bytes")
            }
        }
        do throws(SendRefusal) {
            let update = try simulator.show(state, intended: SystemClock.now)
            var object = JSONObject()
            switch update {
            case .queued(let id):
                object = id.controlMembers
                object["result"] = "queued"
            case .gathered: object["result"] = "gathered"
            case .equal: object["result"] = "equal"
            }
            return object
        } catch {
            throw error.controlError
        }
    }

    /// The face shows a state of a list that this file may not know. What the list says now goes
    /// there; what is only gathered yet would not survive this process, so the value stays.
    func showAnew(
        _ value: HandedBack, in simulator: Simulator
    ) throws(ControlError) {
        let state = library.withLock { $0.complicationState(SystemClock.wall) }
        do throws(SendRefusal) {
            switch try simulator.show(state) {
            case .gathered: break
            case .queued, .equal: simulator.session.write(takenUp(value))
            }
        } catch {
            throw error.controlError
        }
    }
}

/// One `sync`: what the watch is to hold, and since when.
struct SyncAct: Sendable {
    var all: [PhoneLibrary.Projected]
    var intended: Instant

    /// Books what is sent. Which medication a record is of is known when all are sent; else the
    /// receiver's trace tells it.
    func book(_ ids: [RecordID], _ trace: Trace, at now: Instant) {
        for (place, id) in ids.enumerated() {
            let one = ids.count == all.count ? all[place] : nil
            trace.accepted(
                id,
                SendOrigin(
                    .medication, key: one?.key, revision: one?.revision,
                    payload: one?.payload, intended: intended), at: now)
        }
    }

    /// The reply to the command; `state` says where a list that was not modified is.
    func reply(_ result: String, _ records: Int = 0, state: String? = nil) -> JSONObject {
        var object = JSONObject()
        object["result"] = .string(result)
        object["records"] = .whole(records)
        if let state { object["state"] = .string(state) }
        object["t_ns"] = .whole(intended.nanoseconds)
        return object
    }
}
