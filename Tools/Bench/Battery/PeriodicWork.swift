/// Work that a platform grants an app now and then: for how long at once, how often, and for which
/// share of the battery.
package struct PeriodicWork: Sendable {
    /// Its name.
    package var name: String
    /// The longest time at once.
    package var longest: Duration
    /// The time between two grants; nil where the app asks for each.
    package var interval: Duration?
    /// The share of the battery for one grant, in per cent; nil where the platform states none.
    package var percent: Double?

    private init(_ name: String, _ longest: Duration, every: Duration? = nil, percent: Double?) {
        self.name = name
        self.longest = longest
        interval = every
        self.percent = percent
    }

    /// The grants, by *Periodic work* of the targets.
    package static let all = [
        PeriodicWork(
            "background fetch", .seconds(30), every: .seconds(15 * 60), percent: 1),
        // The platform grants 30 s, and this product takes 25.
        PeriodicWork("background sync", .seconds(25), percent: 0.5),
        PeriodicWork("silent push", .seconds(30), percent: 0.1),
        // The platform grants three minutes, and a clean-up takes two.
        PeriodicWork("background task", .seconds(120), every: .seconds(86_400), percent: 2),
        PeriodicWork("periodic job", .seconds(600), every: .seconds(15 * 60), percent: nil),
        PeriodicWork("expedited job", .seconds(60), percent: 0.3),
        PeriodicWork("Doze window", .seconds(30), percent: 0.5),
    ]

    /// The share of the battery for an hour of a foreground service, in per cent.
    package static let foregroundServicePercent = 2.0
    /// The share of the battery for an hour of the app in the foreground, in per cent.
    package static let foregroundPercent = 5.0

    /// Whether a run kept to the grant: each time the radio was awake, and the energy of each.
    ///
    /// - Parameters:
    ///   - ledger: the traffic of the run.
    ///   - grants: how often the work was granted in it.
    package func holds(_ ledger: RadioLedger, grants: Int) -> Bool {
        guard ledger.longestWake <= longest else { return false }
        let share = ledger.percent(of: ledger.total.millijoules) / Double(max(1, grants))
        return percent.map { share <= $0 } ?? true
    }
}
