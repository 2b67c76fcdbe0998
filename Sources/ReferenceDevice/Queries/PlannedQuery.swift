package import WatchProto

/// A question about planned doses. Both kinds of store answer it with the same doses.
package struct PlannedQuery: Hashable, Sendable {
    /// The doses that are asked for.
    package enum Subject: Hashable, Sendable {
        /// Those that are due or overdue, whatever their date.
        case due
        /// Those of the local date so many days before the present one, as long as an entry is
        /// offered. With those of today come those of other dates that can still be taken.
        case date(daysBack: Int)
    }

    /// The doses that are asked for.
    package var subject: Subject
    /// The present minute.
    package var now: WallMinute
    /// The offsets of the wearer's local time.
    package var zone: ZoneTimeline
    /// The minute of the last comparison of the ledgers, which was read before the doses are.
    package var checked: WallMinute?
    /// The end of the page before; nil for the first page.
    package var after: PlannedCursor?
    /// The most doses of a page. Doses of one medication that are due at the same minute are on
    /// one page.
    package var limit: Int

    /// Makes the question.
    package init(
        _ subject: Subject, at now: WallMinute, _ zone: ZoneTimeline, checked: WallMinute? = nil,
        after: PlannedCursor? = nil, limit: Int
    ) {
        self.subject = subject
        self.now = now
        self.zone = zone
        self.checked = checked
        self.after = after
        self.limit = limit
    }

    /// The local date whose doses are all asked for; nil for none.
    func date(_ times: ZoneTimeline) -> Int? {
        guard case .date(let daysBack) = subject else { return nil }
        return times.day(at: now) - daysBack
    }

    /// The local dates with doses that may belong to the answer.
    func days(_ times: ZoneTimeline) -> ClosedRange<Int> {
        if case .date(let daysBack) = subject, daysBack > 0 {
            let day = times.day(at: now) - daysBack
            return day...day
        }
        // After a snooze of a day, a dose is due for the grace period.
        let first = now.advanced(by: -DoseTiming.longestSnooze - DoseTiming.grace)
        let (earliest, latest) = Self.localMinutes(first, now, times)
        return Self.day(of: earliest)...Self.day(of: latest)
    }

    /// The minutes of a local date at which doses that may belong to the answer are planned: all of
    /// them, or those of doses that are due without a snooze. Nil for none.
    func minutes(of day: Int, _ times: ZoneTimeline, isWhole: Bool) -> ClosedRange<Int>? {
        let ended = now.advanced(by: -DoseTiming.longest)
        let first = after.map { isWhole ? $0.due : max($0.due, ended) } ?? (isWhole ? nil : ended)
        let (earliest, latest) = Self.localMinutes(first ?? now, now, times)
        let begin = first == nil ? 0 : max(0, earliest - day * 1440)
        let end = isWhole ? 1439 : min(1439, latest - day * 1440)
        return begin <= end ? begin...end : nil
    }

    /// The earliest and the latest local minute, since 2020-01-01, between two moments.
    private static func localMinutes(
        _ first: WallMinute, _ last: WallMinute, _ times: ZoneTimeline
    ) -> (earliest: Int, latest: Int) {
        let offsets = [times.first] + times.changes.map(\.offset)
        let minutes = offsets.map { Int($0.minutes) }
        return (
            Int(first.minutes) + (minutes.min() ?? 0), Int(last.minutes) + (minutes.max() ?? 0)
        )
    }

    private static func day(of local: Int) -> Int {
        let (day, rest) = local.quotientAndRemainder(dividingBy: 1440)
        return rest < 0 ? day - 1 : day
    }

    /// The row of a dose, if it belongs to the answer.
    ///
    /// - Parameters:
    ///   - dose: the dose.
    ///   - state: the state of its slot.
    ///   - place: the place of its medication.
    ///   - date: ``date(_:)`` by the medication's times.
    func row(
        _ dose: FaceDosing.Dose, _ state: DoseSlotState, _ place: Int64, on date: Int?
    ) -> PlannedRow? {
        let cursor = PlannedCursor(due: dose.timing.due, place: place)
        if let after, cursor <= after { return nil }
        let display = DoseDisplay(state, dose.timing, now: now, checked: checked)
        if Int(dose.planned.day) == date {
            guard dose.timing.offersEntry(at: now) else { return nil }
        } else {
            guard dose.timing.due <= now else { return nil }
            switch display.phase {
            case .due, .overdue: break
            case .snoozed: if date == nil { return nil }
            case .upcoming, .notDue, .notLogged, .taken, .skipped, .conflicting: return nil
            }
        }
        return PlannedRow(
            cursor: cursor, planned: dose.planned, state: PlannedRow.State(state),
            display: display)
    }

    /// The first rows.
    func page(_ rows: [PlannedRow]) -> [PlannedRow] {
        let sorted = rows.sorted { ($0.cursor, $0.planned) < ($1.cursor, $1.planned) }
        guard limit < sorted.count else { return sorted }
        let last = sorted[limit - 1].cursor
        return Array(sorted.prefix { $0.cursor <= last })
    }
}
