internal import ControlProtocol
internal import WatchProto
internal import WatchProtoTransport

/// The commands that ask for planned doses.
extension Simulator {
    /// Answers `dose.today`.
    func today(
        _ request: ControlRequest, _ limit: Int, _ store: any StoreQueries
    ) throws -> JSONObject {
        let daysBack = Int(try request.optionalInteger("day", in: 0...7) ?? 0)
        let due = try request.optionalInteger("after_due", in: -(1 << 31)...(1 << 31) - 1)
        let place = try request.optionalInteger("after", in: 0...Int64.max)
        let cursor = due.map {
            PlannedCursor(due: WallMinute(minutes: Int32($0)), place: place ?? .max)
        }
        let page = try planned(.date(daysBack: daysBack), after: cursor, limit, store)
        let next = page.rows.count < limit ? nil : page.rows.last?.cursor
        var reply = page.reply
        reply["next"] = next.map { .whole($0.place) } ?? .null
        reply["next_due"] = next.map { .whole($0.due.minutes) } ?? .null
        return reply
    }

    /// Planned doses, and the reply with them. If one of them is unchecked, the ledgers are
    /// compared.
    func planned(
        _ subject: PlannedQuery.Subject, after cursor: PlannedCursor?, _ limit: Int,
        _ store: any StoreQueries
    ) throws -> (rows: [PlannedRow], reply: JSONObject) {
        let checked = try lastCheck()
        let now = WallMinute(SystemClock.wall.time)
        let rows = try store.planned(
            PlannedQuery(
                subject, at: now, application.zone(at: now), checked: checked, after: cursor,
                limit: limit))
        if rows.contains(where: { $0.display.isUnchecked }) { ledger.check() }
        var reply = page("doses", rows.map(described), nil, nil)
        reply["checked_minute"] = checked.map { .whole($0.minutes) } ?? .null
        return (rows, reply)
    }

    private func described(_ row: PlannedRow) -> JSONObject {
        var object = application.describe(row.body) ?? JSONObject()
        object["place"] = .whole(row.cursor.place)
        object["day"] = .whole(row.planned.day)
        object["entry"] = .whole(row.planned.entry)
        object["due_minute"] = .whole(row.cursor.due.minutes)
        object["state"] = .string(row.state.rawValue)
        object["phase"] = .string(row.display.phase.controlName)
        object["unchecked"] = .bool(row.display.isUnchecked)
        return object
    }
}

extension DoseDisplay.Phase {
    /// The phase in one word.
    var controlName: String {
        switch self {
        case .upcoming: "upcoming"
        case .notDue: "not_due"
        case .due: "due"
        case .overdue: "overdue"
        case .notLogged: "not_logged"
        case .snoozed: "snoozed"
        case .taken: "taken"
        case .skipped: "skipped"
        case .conflicting: "conflicting"
        }
    }
}
