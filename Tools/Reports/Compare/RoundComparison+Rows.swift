extension RoundComparison {
    /// The fewest rounds of which a split can be more than chance.
    package static let roundsNeeded: UInt64 = 6

    /// For a report: a row for each kind, missed where this build is slower beyond noise,
    /// as the target says.
    package var reportRows: [Report.Row] {
        rows.map { row in
            var target = Target.expectation(
                "against.\(row.name.replacing(" ", with: "."))",
                "\(row.name) p50, this build / the other", .count, .atMost, goal: 1,
                .job(ofAtLeast: Self.roundsNeeded))
            target.bearsNoise = true
            var measurement = row.measurement
            measurement?.isWithinNoise = row.isWithinNoise
            return Report.Row(target: target, measurement: measurement)
        }
    }
}

extension RoundComparison.Row {
    /// The median of the ratios, of as many samples as there are rounds; nil without a round.
    package var measurement: Measurement? {
        guard let median, let least = ratios.first, let most = ratios.last else { return nil }
        let ends = [least, most].map { RoundComparison.text($0) }
        return Measurement(
            median, sampleCount: UInt64(ratios.count),
            remark: "\(ends[0]) to \(ends[1]) in \(ratios.count) "
                + (ratios.count == 1 ? "round" : "rounds"))
    }
}
