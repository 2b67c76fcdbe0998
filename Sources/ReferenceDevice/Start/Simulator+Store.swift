package import ControlProtocol
package import WatchProto
internal import WatchProtoJournal
internal import WatchProtoSecurity
internal import WatchProtoTransport

/// The commands that ask the store; answered by the file, through its indices, or by the lists in
/// memory.
extension Simulator {
    static let storeCommands = [
        "medication.fetch", "medication.list", "medication.next", "dose.today", "dose.due",
        "dose.history",
    ]

    func ask(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        // The answer contains the effects of all earlier commands.
        try keep(orElse: "nothing")
        do {
            let store = try application.queries(in: self)
            return try answer(request, store)
        } catch let error as ControlError {
            throw error
        } catch {
            throw ControlError("store_failed", ["detail": .string("\(error)")])
        }
    }

    private func answer(
        _ request: ControlRequest, _ store: any StoreQueries
    ) throws -> JSONObject {
        // Without a next page, a short reply would hide rows.
        let hasPages = ["medication.list", "dose.today", "dose.history"].contains(request.command)
        let limit = Int(
            try request.optionalInteger("limit", in: 1...1000) ?? (hasPages ? 20 : 50))
        switch request.command {
        case "medication.fetch":
            guard let row = try store.fetch(try medication(request)) else {
                throw ControlError(
                    "no_such_medication", ["expected": "a key that 'medication.list' shows"])
            }
            return described(row)
        case "medication.list":
            let after = try request.optionalInteger("after", in: 0...Int64.max) ?? 0
            let rows = try store.list(after: after, limit: limit)
            return page("medications", rows.map(described), limit, rows.last?.place)
        case "medication.next":
            let rows = try store.byNextDose(limit: limit)
            return page("medications", rows.map(described), nil, nil)
        case "dose.today": return try today(request, limit, store)
        case "dose.due": return try planned(.due, after: nil, limit, store).reply
        default:
            let before = try request.optionalInteger("before", in: 1...Int64.max)
            let rows = try store.doses(
                of: try medicationID(request), before: before, limit: limit)
            var object = page("doses", try described(rows), limit, rows.last?.place)
            object["count"] = .whole(try store.counts().doses)
            return object
        }
    }

    private static let keyForm = "up to 32 hexadecimal digits"

    /// The medication of the field `key`.
    ///
    /// - Throws: `missing_field` or `bad_field`; the client is at fault.
    package func medication(_ request: ControlRequest) throws(ControlError) -> MedicationID {
        guard let id = try medicationID(request) else {
            throw .missingField("key", expected: Self.keyForm)
        }
        return id
    }

    /// The same; nil without the field.
    func medicationID(_ request: ControlRequest) throws(ControlError) -> MedicationID? {
        guard let text = try request.optionalString("key", expected: Self.keyForm) else {
            return nil
        }
        guard let value = UInt128(text, radix: 16), text.utf8.count <= 32 else {
            throw .badField("key", expected: Self.keyForm, found: "another text")
        }
        return MedicationID(rawValue: value)
    }

    /// `next` is where the next page begins, or null when this was the last one.
    func page(
        _ name: String, _ rows: [JSONObject], _ limit: Int?, _ last: Int64?
    ) -> JSONObject {
        var object = JSONObject()
        object[name] = .array(rows.map { .object($0) })
        if let limit {
            object["next"] = rows.count < limit ? .null : last.map { .whole($0) } ?? .null
        }
        return object
    }

    private func described(_ row: StoredRow) -> JSONObject {
        var object = application.describe(row.body) ?? JSONObject()
        object["place"] = .whole(row.place)
        object["next_minute"] = row.nextDose.map { .whole($0.minutes) } ?? .null
        return object
    }

    /// The minute up to which the doses of all paired devices are here; nil for never. Nobody else
    /// records doses of a device without a pairing.
    ///
    /// - Throws: the error of a read; the file is at fault.
    package func lastCheck() throws -> WallMinute? {
        // To ask for the pairings would open a failed journal again, which is the session's to do.
        if let failure = file?.failure { throw failure }
        let pairings = options.isSealed ? try storage.paired().map(\.pairing) : [Self.pairing]
        if pairings.isEmpty { return WallMinute(SystemClock.wall.time) }
        return try ledger.lastCheck(with: pairings)
    }

    private func described(_ rows: [DoseRow]) throws -> [JSONObject] {
        let events = rows.map { try? DoseEvent(decoding: $0.body) }
        let doubles = try doubles(events.compactMap(\.self))
        return zip(rows, events).map { row, event in
            var object = JSONObject()
            object["place"] = .whole(row.place)
            guard let event else { return object }
            object["dose"] = .string(event.id.recordKey.hex)
            object["key"] = .string(event.medication.recordKey.hex)
            object["action"] = .string(event.controlName)
            object["at_ms"] = .whole(event.time.wall.milliseconds)
            if event.time.isUncertain { object["uncertain"] = true }
            if let planned = event.planned {
                object["day"] = .whole(planned.day)
                object["minute"] = .whole(planned.minute)
                object["entry"] = .whole(planned.entry)
            } else {
                object["may_be_double"] = .bool(doubles.contains(event.id))
            }
            return object
        }
    }

    /// The doses taken as needed, of the medications of these events, that may be another entry of
    /// the same dose (S-7).
    private func doubles(_ events: [DoseEvent]) throws -> Set<DoseEventID> {
        let asNeeded = Dictionary(grouping: events.filter { $0.slot == nil }, by: \.medication)
        var found: Set<DoseEventID> = []
        for (medication, events) in asNeeded {
            let moments = events.map(\.moment)
            guard let first = moments.min(), let last = moments.max() else { continue }
            let near = try ledger.store.asNeeded(
                of: medication, near: first...last, within: AsNeededDose.doubleWindow)
            for dose in AsNeededDose.list(of: medication, near) where dose.mayBeDouble {
                found.insert(dose.event.id)
            }
        }
        return found
    }
}

extension DoseEvent {
    /// The status in one word.
    fileprivate var controlName: String {
        guard let status else { return "withdrawn" }
        return status.isTaken ? "taken" : status.isSkipped ? "skipped" : "snoozed"
    }
}
