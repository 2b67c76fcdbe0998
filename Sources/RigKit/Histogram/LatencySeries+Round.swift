extension LatencySeries {
    /// What one round of a load measured: of as many records a figure for each column of the
    /// tables.
    public struct Round: Hashable, Sendable {
        /// How many latencies it has.
        public var count: UInt64
        /// Its percentiles in nanoseconds, as far as it has 10/(1−p) latencies for them.
        public var nanoseconds: [Percentile: UInt64]

        /// The figures of `histogram`.
        public init(_ histogram: LatencyHistogram) {
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
