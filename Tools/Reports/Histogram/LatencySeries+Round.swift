extension LatencySeries {
    /// The figures of one round of a load: the number of latencies, and a percentile for each
    /// column of the tables.
    package struct Round: Hashable, Sendable {
        /// How many latencies it has.
        package var count: UInt64
        /// Its percentiles in nanoseconds, as far as it has 10/(1−p) latencies for them.
        package var nanoseconds: [Percentile: UInt64]

        /// The figures of `histogram`.
        package init(_ histogram: LatencyHistogram) {
            count = histogram.count
            nanoseconds = [:]
            for percentile in Report.columns { nanoseconds[percentile] = histogram[percentile] }
        }

        /// Figures that are known.
        init(count: UInt64, nanoseconds: [Percentile: UInt64]) {
            self.count = count
            self.nanoseconds = nanoseconds
        }
    }
}
