/// The status of a target in a run.
package enum Status: String, Hashable, Sendable, CaseIterable {
    /// At the goal or better.
    case pass = "PASS"
    /// Between goal and hard limit.
    case warn = "WARN"
    /// Beyond the hard limit, or beyond the goal where that is the limit.
    case fail = "FAIL"
    /// Too few samples for the statistic.
    case few = "TOO FEW"
    /// Built, but nothing was measured.
    case noData = "NODATA"
    /// Measured; there is no goal to evaluate it by.
    case known = "-"
    /// Nothing measures it yet.
    case notBuilt = "not built"
}

/// The measurement of a run for one target.
package struct Measurement: Hashable, Sendable {
    /// The number, in the target's units; nil where there are too few samples for it.
    package var actual: Double?
    /// How many samples stand behind it.
    package var sampleCount: UInt64
    /// A remark that a reader must know: `1 lost`.
    package var remark: String?
    /// The message with the longest latency, where the number is about messages.
    package var worst: LatencySeries.Worst?
    /// The name of the series that the number is of; nil where it is of none.
    package var series: String?
    /// Whether chance explains it. For a target that bears noise, a number that misses its goal by
    /// chance alone counts as met.
    package var isWithinNoise = false

    /// Makes a measurement of `actual` from `sampleCount` samples.
    package init(_ actual: Double?, sampleCount: UInt64 = 1, remark: String? = nil) {
        self.actual = actual
        self.sampleCount = sampleCount
        self.remark = remark
    }
}

extension Target {
    /// Evaluates `measurement`; nil means that nothing was measured.
    ///
    /// Few samples are told before good or bad ones: a gate cannot be passed by measuring less.
    package func status(of measurement: Measurement?) -> Status {
        guard isBuilt else { return .notBuilt }
        guard let measurement, measurement.sampleCount > 0 else { return .noData }
        guard measurement.sampleCount >= samplesNeeded else { return .few }
        guard let actual = measurement.actual, actual.isFinite else { return .noData }
        guard let goal else { return .known }
        if reaches(goal, actual) || bearsNoise && measurement.isWithinNoise { return .pass }
        if let limit, reaches(limit, actual) { return .warn }
        return .fail
    }

    private func reaches(_ bound: Double, _ actual: Double) -> Bool {
        switch sense {
        case .atMost: actual <= bound
        case .atLeast: actual >= bound
        case .exactly: actual == bound
        }
    }

    /// The number of `series` that this target is about.
    package func measurement(of series: LatencySeries) -> Measurement? {
        let histogram = series.histogram
        guard histogram.count > 0 else { return nil }
        let value: UInt64? =
            switch statistic {
            case .percentile(let percentile): histogram[percentile]
            default: histogram.maximumNanoseconds
            }
        var measurement = Measurement(value.map { Double($0) }, sampleCount: histogram.count)
        measurement.worst = series.worst
        measurement.series = series.name
        return measurement
    }
}

/// Which statuses make a run fail.
package struct GatePolicy: Hashable, Sendable {
    /// Whether a number between goal and limit fails the run.
    package var warnFails = false
    /// Whether too few samples fail the run.
    package var fewFails = false

    /// Makes the policy that the product's own gates use.
    package init(warnFails: Bool = false, fewFails: Bool = false) {
        self.warnFails = warnFails
        self.fewFails = fewFails
    }

    /// Whether a run with these statuses fails. ``Status/notBuilt`` never fails it.
    package func fails(_ statuses: some Sequence<Status>) -> Bool {
        statuses.contains { status in
            switch status {
            case .fail, .noData: true
            case .warn: warnFails
            case .few: fewFails
            case .pass, .known, .notBuilt: false
            }
        }
    }
}
