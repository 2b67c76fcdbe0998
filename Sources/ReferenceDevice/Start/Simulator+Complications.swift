package import ControlProtocol
package import WatchProto
package import WatchProtoTransport

/// The complications of the watch's face.
extension Simulator {
    /// Offers a new state of the watch's complication to the planner, and books it in the trace
    /// when it is queued.
    ///
    /// - Returns: the planner's reason, and the identity of the value. That of an equal state is
    ///   the newest value's; a state that waits has none.
    /// - Throws: `SendRefusal`, `tooLarge` for a state over its budget; nothing is booked then.
    @discardableResult
    package func show(
        _ state: ComplicationState, _ offer: ComplicationOffer = ComplicationOffer(.urgentChange),
        intended: Instant? = nil, isWarmUp: Bool = false, writes: [any StoreWrite] = []
    ) throws(SendRefusal) -> (reason: ComplicationReason, id: RecordID?) {
        let origin = SendOrigin(
            .complication, key: ComplicationID.main.recordKey,
            revision: LoadComplication.revision(of: state), payload: try? state.encoded(),
            intended: intended, isWarmUp: isWarmUp)
        return try publisher.offer(state, offer, writes: writes) {
            [trace] id, now in trace.accepted(id, origin, at: now)
        }
    }

    /// The counts of the planner, for `status`.
    var complications: JSONValue {
        let planner = publisher.planner
        var reasons = JSONObject()
        for reason in ComplicationReason.allCases {
            reasons[reason.controlName] = .whole(planner.count(reason))
        }
        return [
            "left": .whole(planner.left), "per_day": .whole(planner.profile.perDay),
            "reserve": .whole(planner.reserve), "foreground": .bool(planner.isForeground),
            "enabled": .bool(publisher.isEnabled),
            "offered": .whole(planner.offered), "missed_targets": .whole(planner.missedTargets),
            "reasons": .object(reasons),
        ]
    }

    /// The newest decisions, the oldest first.
    package func explainComplications(
        _ request: ControlRequest
    ) throws(ControlError) -> JSONObject {
        let limit = Int(try request.optionalInteger("limit", in: 1...128) ?? 128)
        let decisions = publisher.why(.main).suffix(limit)
        var object = JSONObject()
        object["decisions"] = .array(
            decisions.map { decision in
                [
                    "number": .whole(decision.number), "at_ms": .whole(decision.time.milliseconds),
                    "urgent": .bool(decision.isUrgent),
                    "reason": .string(decision.reason.controlName),
                ]
            })
        return object
    }
}

extension ComplicationReason {
    /// The name in replies.
    package var controlName: String {
        switch self {
        case .belowThreshold: "below_threshold"
        case .shownByTimeline: "shown_by_timeline"
        case .ownEvent: "own_event"
        default: "\(self)"
        }
    }
}
