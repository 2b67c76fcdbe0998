import Locks
import WatchProtoCore

/// The progress of files as it is told. A fast link makes bytes durable hundreds of times a second.
/// So each report of a file begins a pause, and the newest report of the pause is told at its end.
/// A problem is told at once.
struct ProgressReports: Sendable {
    static let pause = Duration.milliseconds(100)

    private struct Pause {
        var end: Instant
        /// The newest report since the last one that was told.
        var newest: FileReport?
    }

    private var pauses: [RecordID: Pause] = [:]

    /// The end of the first pause that has a report; nil if none waits.
    var nextDeadline: Instant? {
        pauses.values.reduce(nil) { $1.newest == nil ? $0 : Instant.earlier($0, $1.end) }
    }

    /// Takes a report. Returns whether it is to be told now.
    mutating func take(_ report: FileReport, at now: Instant) -> Bool {
        pauses = pauses.filter { $0.value.newest != nil || $0.value.end > now }
        guard pauses[report.id] != nil else {
            pauses[report.id] = Pause(end: now.advanced(by: Self.pause))
            return true
        }
        let isProblem = report.problem != nil
        pauses[report.id]?.newest = isProblem ? nil : report
        return isProblem
    }

    /// Takes the reports whose pause is over. A further one begins after each.
    mutating func takeDue(at now: Instant) -> [FileReport] {
        let due = pauses.values.compactMap { $0.end <= now ? $0.newest : nil }
        for report in due { pauses[report.id] = Pause(end: now.advanced(by: Self.pause)) }
        return due
    }
}

extension FileExchange {
    /// Reports the progress of a file, now or at the end of a pause.
    func report(_ report: FileReport) {
        let now = center.now()
        let (isNow, link) = state.withLock { state -> (Bool, (any FileLink)?) in
            let isNow = state.reports.take(report, at: now)
            guard !isNow, state.reportsDueAt == nil else { return (isNow, nil) }
            state.reportsDueAt = state.reports.nextDeadline
            return (isNow, state.link)
        }
        if isNow { center.report(report) }
        // The driver asks for the deadline.
        _ = link?.write([])
    }

    /// Tells the reports whose pause is over.
    func tellReports() {
        let now = center.now()
        let (due, link) = state.withLock { state in
            let due = state.reports.takeDue(at: now)
            state.reportsDueAt = state.reports.nextDeadline
            return (due, state.reportsDueAt == nil ? nil : state.link)
        }
        for report in due { center.report(report) }
        _ = link?.write([])
    }
}
