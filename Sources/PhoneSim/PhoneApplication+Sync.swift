import ControlProtocol
import Locks
import ReferenceDevice
import WatchProto
import WatchProtoTransport

extension PhoneApplication {
    /// Makes the watch hold exactly the list.
    func synchronize(
        _ request: ControlRequest, in simulator: Simulator
    ) throws(ControlError) -> JSONObject? {
        let all = try projections().records
        guard library.withLock({ $0.hasList }) else { throw .emptyList }
        let intended = SystemClock.now
        let result: SyncResult
        do throws(SendRefusal) {
            result = try simulator.session.synchronize(
                .context, all.map(\.syncValue), kinds: [.medication],
                removalKind: .medicationRemoval, writes: []
            ) { result, now in
                guard case .queued(let ids) = result else { return }
                // Which medication a record is of, the receiver's trace tells.
                let origin = SendOrigin(.medication, payload: nil, intended: intended)
                for id in ids { simulator.trace.accepted(id, origin, at: now) }
            }
        } catch {
            throw error.controlError
        }
        try simulator.keep()
        var object = JSONObject()
        switch result {
        case .notModified(let isHeld):
            object["result"] = "not_modified"
            object["records"] = 0
            object["state"] = isHeld ? "held" : "queued"
        case .queued(let ids):
            object["result"] = "queued"
            object["records"] = .whole(ids.count)
        }
        object["t_ns"] = .whole(intended.nanoseconds)
        offerEdits()
        return object
    }

    /// Shows a text, or without one what the list says is due next.
    func updateComplication(
        _ request: ControlRequest, in simulator: Simulator
    ) throws(ControlError) -> JSONObject {
        var state = try face(in: simulator)
        if let text = try request.optionalString("text") {
            state.name = text
            // A text of the application's own, which says nothing of the doses. The amount is that
            // of a dose.
            state.ledger = nil
            state.amountText = ""
            guard state.encodedSize <= ComplicationState.byteBudget else {
                throw .badField(
                    "text",
                    expected: "text with which the state takes at most "
                        + "\(ComplicationState.byteBudget) bytes",
                    found: "\(state.encodedSize) bytes")
            }
        }
        let offer = try ComplicationOffer(request)
        let (reason, id): (ComplicationReason, RecordID?)
        do throws(SendRefusal) {
            (reason, id) = try simulator.show(state, offer, intended: SystemClock.now)
        } catch {
            throw error.controlError
        }
        // This state is newer than the doses and edits before it.
        if id != nil || reason == .equal { looks.withLock { $0.due = nil } }
        var object = id?.controlMembers ?? JSONObject()
        switch reason {
        case .equal: object["result"] = "equal"
        case .belowThreshold, .shownByTimeline, .ownEvent: object["result"] = "dropped"
        case _ where id != nil: object["result"] = "queued"
        default:
            // Only the file has it now.
            try simulator.keep()
            object["result"] = "kept"
        }
        object["reason"] = .string(reason.controlName)
        return object
    }

    /// The state that the face is to show now.
    func face(in simulator: Simulator) throws(ControlError) -> ComplicationState {
        do {
            return try library.withLock {
                try $0.complicationState(SystemClock.wall, simulator.ledger.store)
            }
        } catch {
            throw .journalFailed("\(error)", outcome: "nothing")
        }
    }

    /// Sends the face the state that the present list gives. The face may show a state of a list
    /// that this file does not know.
    func showAnew(_ value: StoredValue, in simulator: Simulator) throws(ControlError) {
        let state = try face(in: simulator)
        do throws(SendRefusal) {
            try simulator.show(state, writes: simulator.storage.removal(of: value))
        } catch {
            throw error.controlError
        }
    }
}

extension ComplicationOffer {
    private static let causes: [(name: String, cause: UpdateCause)] = [
        ("urgent_change", .urgentChange), ("change", .change), ("passing_time", .passingTime),
        ("watch_event", .watchEvent),
    ]

    /// The cause of an update, the size of its change, and the least size that counts.
    init(_ request: ControlRequest) throws(ControlError) {
        let expected = "'urgent_change', 'change', 'passing_time' or 'watch_event'"
        let name = try request.optionalString("cause", expected: expected) ?? "urgent_change"
        guard let cause = Self.causes.first(where: { $0.name == name })?.cause else {
            throw .badField("cause", expected: expected, found: "'\(name)'")
        }
        self.init(cause)
        let sizes = 0...Int64(UInt32.max)
        change = UInt32(try request.optionalInteger("change", in: sizes) ?? Int64(UInt32.max))
        threshold = UInt32(try request.optionalInteger("threshold", in: sizes) ?? 0)
    }
}
