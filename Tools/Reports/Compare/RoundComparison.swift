package import ControlProtocol
internal import Glibc

/// Two builds that had the same rounds in turn: the ratio of their medians, round by round.
package struct RoundComparison: Sendable {
    /// One kind of record.
    package struct Row: Sendable {
        /// The kind of record.
        package var name: String
        /// This build's median by the other's, of each round in which both have one, ascending.
        package var ratios: [Double]

        /// The middle ratio; nil without any.
        package var median: Double? { RoundComparison.median(of: ratios) }

        /// Whether chance explains it: if the builds were alike, each round's ratio were above 1 as
        /// likely as below, and as lopsided a split as this came in more than 1 of 32 runs (the
        /// two-sided sign test). All of six rounds on one side are 1 of 32; so are, nearly, 9 of
        /// 10. Rounds without a difference say nothing.
        package var isWithinNoise: Bool {
            let above = ratios.count { $0 > 1 }
            let below = ratios.count { $0 < 1 }
            return Self.chance(ofAtMost: min(above, below), of: above + below) > 1.0 / 32
        }

        /// How likely one side of a fair coin comes up at most `few` times in `count`: 0 to 1.
        private static func chance(ofAtMost few: Int, of count: Int) -> Double {
            // Divided as it goes, so that no count is too large for a floating-point number.
            var logarithm = -Double(count)
            var sum = 0.0
            for place in 0...few {
                sum += exp2(logarithm)
                logarithm += log2(Double(count - place) / Double(place + 1))
            }
            return min(1, 2 * sum)
        }
    }

    /// The middle of some figures in any order, of two middle ones their mean; nil without any.
    package static func median(of figures: [Double]) -> Double? {
        guard !figures.isEmpty else { return nil }
        let (sorted, half) = (figures.sorted(), figures.count / 2)
        return figures.count.isMultiple(of: 2)
            ? (sorted[half - 1] + sorted[half]) / 2 : sorted[half]
    }

    /// In the order they were given.
    package var rows: [Row]

    /// Compares.
    ///
    /// - Parameter kinds: names, and the medians of both builds' rounds in nanoseconds.
    package init(_ kinds: [(name: String, own: [UInt64?], other: [UInt64?])]) {
        rows = kinds.map { kind in
            let ratios = zip(kind.own, kind.other).compactMap { own, other -> Double? in
                guard let own, let other, other > 0 else { return nil }
                return Double(own) / Double(other)
            }
            return Row(name: kind.name, ratios: ratios.sorted())
        }
    }

    /// For people: a line for each kind.
    package var lines: [String] {
        rows.map { row in
            guard let median = row.median, let least = row.ratios.first, let most = row.ratios.last
            else {
                return "\(row.name): no round has enough records for a median of both builds"
            }
            let text = Self.text
            let count = row.ratios.count
            let verdict =
                row.isWithinNoise
                ? (count < Self.roundsNeeded
                    ? "fewer than 6 rounds tell nothing" : "no difference beyond noise")
                : (median < 1 ? "this build is faster" : "this build is slower")
            return "\(row.name) p50, this build / the other: \(text(median)) "
                + "(\(text(least)) to \(text(most)) in \(count) "
                + "\(count == 1 ? "round" : "rounds")): \(verdict)"
        }
    }

    static func text(_ ratio: Double) -> String { Decimals.fixed(ratio, decimals: 3) }

    /// For programs.
    package var json: JSONObject {
        var object = JSONObject()
        for row in rows {
            object[row.name] = [
                "ratios": .array(row.ratios.map { .number($0) }),
                "median": row.median.map { .number($0) } ?? .null,
                "within_noise": .bool(row.isWithinNoise),
            ]
        }
        return object
    }
}
