package import WatchProtoCore

/// Work that a platform grants an app now and then: for how long at once, how often, and for which
/// share of the battery.
package struct PeriodicWork: Sendable {
    /// The conditions under which a platform runs a job.
    package struct Job: Sendable {
        /// The last part of each interval, in which the job runs.
        package var window: Duration
        /// The wait after the first attempt that failed; each further one waits twice as long.
        package var backOff: Duration
        /// The attempts after which the job has failed, until the next interval.
        package var attempts: Int
    }

    /// Its name.
    package var name: String
    /// The longest time at once.
    package var longest: Duration
    /// The time between two grants; nil where the app asks for each.
    package var interval: Duration?
    /// The share of the battery for one grant, in per cent; nil where the platform states none.
    package var percent: Double?
    /// The most memory in bytes, and the largest share of one processor, in per cent; nil where
    /// none is stated.
    package var limits: (bytes: Double, processorPercent: Double)?
    /// The conditions of a job; nil for work that is granted at once.
    package var job: Job?

    private init(
        _ name: String, _ longest: Duration, every: Duration? = nil, percent: Double?,
        limits: (bytes: Double, processorPercent: Double)? = nil, job: Job? = nil
    ) {
        self.name = name
        self.longest = longest
        interval = every
        self.percent = percent
        self.limits = limits
        self.job = job
    }

    /// The grants, by *Periodic work* of the targets.
    package static let all = [
        PeriodicWork(
            "background fetch", .seconds(30), every: .seconds(15 * 60), percent: 1),
        // The platform grants 30 s, and this product takes 25.
        PeriodicWork(
            "background sync", .seconds(25), percent: 0.5, limits: (50_000_000, 80)),
        PeriodicWork("silent push", .seconds(30), percent: 0.1),
        // The platform grants three minutes, and a clean-up takes two.
        PeriodicWork(
            "background task", .seconds(120), every: .seconds(86_400), percent: 2,
            limits: (100_000_000, 50)),
        PeriodicWork(
            "periodic job", .seconds(600), every: .seconds(15 * 60), percent: nil,
            job: Job(window: .seconds(300), backOff: .seconds(60), attempts: 3)),
        PeriodicWork("expedited job", .seconds(60), percent: 0.3),
        PeriodicWork("Doze window", .seconds(30), percent: 0.5),
    ]

    /// The share of the battery for an hour of a foreground service, in per cent.
    package static let foregroundServicePercent = 2.0
    /// The share of the battery for an hour of the app in the foreground, in per cent.
    package static let foregroundPercent = 5.0

    /// The moments at which a platform runs periodic work.
    ///
    /// A job that is asked for while it waits stays as it is, so that asking often runs it no more
    /// often. While the battery is low it does not run.
    ///
    /// - Parameters:
    ///   - length: the time that passes.
    ///   - random: draws a moment of each window.
    ///   - isBatteryLow: whether the battery is low at a moment.
    ///   - fails: whether an attempt at a moment fails.
    /// - Returns: the moments of all attempts; none for work that the app asks for.
    package func runs(
        in length: Duration, _ random: inout SeededGenerator,
        isBatteryLow: (Duration) -> Bool = { _ in false },
        fails: (Duration) -> Bool = { _ in false }
    ) -> [Duration] {
        guard let interval else { return [] }
        let window = job?.window ?? .zero
        var runs: [Duration] = []
        var end = min(interval, length)
        while end <= length {
            let early = random.uniform(in: 0...UInt64(window.nanosecondsClamped))
            var at = end - .nanoseconds(Int64(early))
            var wait = job?.backOff ?? .zero
            for _ in 0..<(job?.attempts ?? 1) {
                // The next interval begins a new job.
                if at > end || isBatteryLow(at) { break }
                runs.append(at)
                guard fails(at) else { break }
                at += wait
                wait = wait * 2
            }
            end += interval
        }
        return runs
    }

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
