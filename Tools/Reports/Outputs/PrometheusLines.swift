import WatchProtoCore

/// Families of samples in Prometheus' text format, version 0.0.4, one after the other.
package struct PrometheusLines {
    /// A sample of a family: its labels, beside those of all samples, and its value.
    package typealias Sample = (labels: [(String, String)], value: Double)

    /// The upper edges of buckets in nanoseconds: 1, 2 and 5 in every decade from 1 µs to 100 s.
    static let edges: [UInt64] = {
        var edges: [UInt64] = []
        var decade: UInt64 = 1000
        while decade < 100_000_000_000 {
            edges += [decade, 2 * decade, 5 * decade]
            decade *= 10
        }
        return edges + [decade]
    }()

    /// The lines so far.
    package private(set) var text = ""
    private let labels: [(String, String)]

    /// Makes lines of which each sample has `labels`.
    package init(labels: [(String, String)]) { self.labels = labels }

    /// Appends a comment.
    mutating func comment(_ words: String) { text += "# \(words)\n" }

    /// Appends a family whose values go up and down, unless it is empty.
    package mutating func gauge(_ name: String, _ help: String, _ samples: [Sample]) {
        family(name, "gauge", help, samples)
    }

    /// Appends a family whose values only grow, unless it is empty.
    package mutating func counter(_ name: String, _ help: String, _ samples: [Sample]) {
        family(name, "counter", help, samples)
    }

    private mutating func family(
        _ name: String, _ type: String, _ help: String, _ samples: [Sample]
    ) {
        let samples = samples.filter(\.value.isFinite)
        guard !samples.isEmpty else { return }
        head("watchproto_\(name)", type, help)
        for (labels, value) in samples {
            let number = Int64(exactly: value).map { "\($0)" } ?? "\(value)"
            sample("watchproto_\(name)", labels, number)
        }
    }

    /// Appends a family of histograms, each with labels of its own, unless it is empty.
    package mutating func histograms(
        _ name: String, _ help: String, _ all: [(labels: [(String, String)], LatencyHistogram)]
    ) {
        guard !all.isEmpty else { return }
        head("watchproto_\(name)", "histogram", help)
        for (labels, histogram) in all { add(histogram, "watchproto_\(name)", labels) }
    }

    /// A slot of the histogram counts where its upper edge does: no bucket claims a value to be
    /// shorter than it was, and one within a thousandth above an edge may count in the next bucket.
    private mutating func add(
        _ histogram: LatencyHistogram, _ name: String, _ labels: [(String, String)]
    ) {
        let most = histogram.maximumNanoseconds ?? 0
        var slots = histogram.filledSlots[...]
        var count: UInt64 = 0
        for edge in Self.edges {
            while let slot = slots.first, min(slot.nanoseconds.upperBound, most) <= edge {
                count += slot.count
                slots = slots.dropFirst()
            }
            let seconds = OutputNumbers.seconds(ofNanoseconds: edge)
            sample("\(name)_bucket", labels + [("le", seconds)], "\(count)")
        }
        sample("\(name)_bucket", labels + [("le", "+Inf")], "\(histogram.count)")
        let sum = OutputNumbers.seconds(ofNanoseconds: histogram.sumNanoseconds)
        sample("\(name)_sum", labels, sum)
        sample("\(name)_count", labels, "\(histogram.count)")
    }

    private mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
    }

    private mutating func sample(_ name: String, _ own: [(String, String)], _ value: String) {
        let pairs = (labels + own).map { "\($0.0)=\"\(Self.escaped($0.1, quotes: true))\"" }
        text += "\(name){\(pairs.joined(separator: ","))} \(value)\n"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        let lines = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        return quotes ? lines.replacing("\"", with: "\\\"") : lines
    }
}
