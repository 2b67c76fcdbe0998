internal import WatchProtoCore

/// Reports occurrences that anybody can cause, at intervals that double, so that a flood does not
/// fill a log.
///
/// The first occurrence is reported at once. The interval begins at one second and doubles with
/// each report, up to an hour. It begins anew after a pause as long as itself.
struct DoublingReport {
    private var unreported = 0
    private var interval = Duration.zero
    private var nextAt = Instant.zero

    private static var first: Duration { .seconds(1) }
    private static var longest: Duration { .seconds(3600) }

    /// Adds occurrences.
    ///
    /// - Returns: the number since the last report, if a report is due now.
    mutating func add(_ count: Int = 1, at now: Instant) -> Int? {
        unreported += count
        guard now >= nextAt else { return nil }
        let isCalm = now >= nextAt.advanced(by: interval)
        interval = isCalm ? Self.first : min(interval * 2, Self.longest)
        nextAt = now.advanced(by: interval)
        defer { unreported = 0 }
        return unreported
    }
}
