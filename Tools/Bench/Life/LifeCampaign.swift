package import ControlProtocol
import WatchProtoCore

/// One life, and the same without planning and without the timeline.
package struct LifeResult: Hashable, Sendable {
    /// The inputs.
    package let options: LifeOptions
    /// The product's figures.
    package let product: LifeFigures
    /// Each change is a push.
    package let unplanned: LifeFigures
    /// The face is the phone's newest state.
    package let frozen: LifeFigures

    /// Lives the life three times.
    package init(_ options: LifeOptions) {
        self.options = options
        func figures(_ variant: LifeOptions.Variant) -> LifeFigures {
            var other = options
            other.variant = variant
            return LifeRun.figures(other)
        }
        product = figures(.product)
        unplanned = figures(.unplanned)
        frozen = figures(.frozen)
    }

    /// The promises that the life breaks.
    package var broken: [LifePromise] {
        LifePromise.allCases.filter { !$0.isKept(by: product, options) }
    }
}

/// Many lives, one for each seed.
package struct LifeCampaign: Sendable {
    /// The results, in the order of the seeds.
    package private(set) var results: [LifeResult] = []
    /// The inputs that all lives share.
    package let options: LifeOptions

    /// Makes the campaign without any life.
    package init(_ options: LifeOptions) { self.options = options }

    /// Adds the lives of `seeds`, on `workers` threads.
    package mutating func add(_ seeds: ClosedRange<UInt64>, workers: Int) async {
        let (options, count) = (options, UInt64(max(1, workers)))
        let lives = await withTaskGroup(of: [LifeResult].self) { group in
            for worker in 0..<count {
                group.addTask {
                    seeds.filter { $0 % count == worker }.map { seed in
                        var own = options
                        own.seed = seed
                        return LifeResult(own)
                    }
                }
            }
            var lives: [LifeResult] = []
            for await part in group { lives += part }
            return lives.sorted { $0.options.seed < $1.options.seed }
        }
        results += lives
    }

    /// The seeds that break a promise, with the promises.
    package var broken: [(seed: UInt64, promises: [LifePromise])] {
        results.map { ($0.options.seed, $0.broken) }.filter { !$0.1.isEmpty }
    }

    /// The wake-ups of all days with four doses.
    package var wakeUpsOfFour: LifeSpread {
        LifeSpread(results.flatMap { $0.product.wakeUpsOfFour })
    }

    /// Whether the campaign ends as it should: every promise is kept, or the planted bug is caught.
    package var passes: Bool {
        guard let fault = options.fault else { return broken.isEmpty && reachesWakeUps }
        return broken.contains { $0.promises.contains(fault.breaks) }
    }

    /// Whether nine of ten days with four doses reach the goal of wake-ups; also of fewer than 20
    /// such days, among which one day of many edits is more than a tenth.
    package var reachesWakeUps: Bool {
        let days = wakeUpsOfFour
        guard days.count >= 20, let most = days.value(0.9) else { return true }
        return most <= Double(LifePromise.wakeUps)
    }
}

/// The distribution of some figures.
package struct LifeSpread: Hashable, Sendable {
    private let sorted: [Double]

    /// The distribution of `values`.
    package init(_ values: [some BinaryInteger]) { sorted = values.map { Double($0) }.sorted() }

    /// The distribution of `values`.
    package init(_ values: [Double]) { sorted = values.sorted() }

    /// The number of figures.
    package var count: Int { sorted.count }

    /// The figure below or at which a share of them lies; nil without figures.
    package func value(_ share: Double) -> Double? {
        guard !sorted.isEmpty else { return nil }
        let place = Int((share * Double(sorted.count)).rounded(.up)) - 1
        return sorted[min(sorted.count - 1, max(0, place))]
    }

    /// The count, the sum, and the figures at stated shares.
    package var json: JSONValue {
        var object = JSONObject()
        object["n"] = .whole(count)
        object["sum"] = .number(sorted.reduce(0, +))
        for (name, share) in [
            ("min", 0), ("p25", 0.25), ("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p99", 0.99),
            ("max", 1),
        ] {
            object[name] = value(share).map { .number($0) } ?? .null
        }
        return .object(object)
    }
}
