internal import ControlProtocol
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
        // What was done before is seen.
        try keep()
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
        let limit = Int(try request.optionalInteger("limit", in: 1...1000) ?? 50)
        switch request.command {
        case "medication.fetch":
            guard let id = try medicationID(request) else {
                throw ControlError.missingField("key", expected: Self.keyForm)
            }
            guard let row = try store.fetch(id) else {
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
        case "dose.today":
            let due = try request.optionalInteger("after_due", in: -(1 << 31)...(1 << 31) - 1)
            let place = try request.optionalInteger("after", in: 0...Int64.max)
            let cursor = due.map {
                PlannedCursor(due: WallMinute(minutes: Int32($0)), place: place ?? .max)
            }
            let checked = try lastCheck()
            let rows = try store.today(SystemClock.wall, after: cursor, limit: limit)
            var object = try planned(rows, limit, checked, store)
            object["next_due"] =
                rows.count < limit
                ? .null : rows.last.map { .whole($0.cursor.due.minutes) } ?? .null
            return object
        case "dose.due":
            let checked = try lastCheck()
            let rows = try store.dueNow(SystemClock.wall, limit: limit)
            return try planned(rows, nil, checked, store)
        default:
            let before = try request.optionalInteger("before", in: 1...Int64.max)
            let rows = try store.doses(
                of: try medicationID(request), before: before, limit: limit)
            var object = page("doses", rows.map(described), limit, rows.last?.place)
            object["count"] = .whole(try store.counts().doses)
            return object
        }
    }

    private static let keyForm = "up to 32 hexadecimal digits"

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
    private func page(
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

    /// A page of planned doses. If one of them is unchecked, the ledgers are compared. `checked`
    /// was read before the doses.
    private func planned(
        _ rows: [PlannedRow], _ limit: Int?, _ checked: WallMinute?, _ store: any StoreQueries
    ) throws -> JSONObject {
        let now = WallMinute(SystemClock.wall.time)
        let isOld = rows.map { row in
            [.open, .snoozed].contains(row.state)
                && DoseDisplay.isUnchecked(due: row.cursor.due, now: now, checked: checked)
        }
        // Doses from before their medication was known are not due.
        let due =
            isOld.contains(true)
            ? Set(try store.dueNow(SystemClock.wall, limit: .max).map(\.cursor)) : []
        if !due.isEmpty { ledger.check() }
        let doses = zip(rows, isOld).map { row, isOld -> JSONObject in
            var object = described(row)
            object["unchecked"] = .bool(isOld && due.contains(row.cursor))
            return object
        }
        var object = page("doses", doses, limit, rows.last?.cursor.place)
        object["checked_minute"] = checked.map { .whole($0.minutes) } ?? .null
        return object
    }

    private func described(_ row: PlannedRow) -> JSONObject {
        var object = application.describe(row.body) ?? JSONObject()
        object["place"] = .whole(row.cursor.place)
        object["due_minute"] = .whole(row.cursor.due.minutes)
        object["state"] = .string(row.state.rawValue)
        return object
    }

    private func described(_ row: DoseRow) -> JSONObject {
        var object = JSONObject()
        object["place"] = .whole(row.place)
        guard let event = try? DoseEvent(decoding: row.body) else { return object }
        object["dose"] = .string(event.id.recordKey.hex)
        object["key"] = .string(event.medication.recordKey.hex)
        object["action"] = .string(event.controlName)
        object["at_ms"] = .whole(event.time.wall.milliseconds)
        if let planned = event.planned {
            object["day"] = .whole(planned.day)
            object["minute"] = .whole(planned.minute)
        }
        return object
    }
}

extension DoseEvent {
    /// The status in one word.
    fileprivate var controlName: String {
        guard let status else { return "withdrawn" }
        return status.isTaken ? "taken" : status.isSkipped ? "skipped" : "snoozed"
    }
}
