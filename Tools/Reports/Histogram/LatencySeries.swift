import ControlProtocol

/// The latencies of one kind of message in one run, and which of them was the worst.
package struct LatencySeries: Sendable {
    /// The message with the longest latency.
    package struct Worst: Hashable, Sendable, CustomStringConvertible {
        /// Which message it was, as people can find it again: `medication 233`.
        package var message: String
        /// When it was intended, in nanoseconds since the run began.
        package var atNanoseconds: UInt64
        /// Its latency in nanoseconds.
        package var latencyNanoseconds: UInt64

        /// `medication 233 at 11.65 s`.
        package var description: String {
            "\(message) at \(Decimals.fixed(Double(atNanoseconds) / 1e9, decimals: 2)) s"
        }
    }

    /// The name of the series that tells by how much this machine wakes late.
    package static let schedulingDelayName = "scheduling delay"

    /// The measured value: `sync`, `complication`.
    package private(set) var name: String
    /// All latencies.
    package private(set) var histogram = LatencyHistogram()
    /// The latencies in nanoseconds by the second of the run in which they were intended, for
    /// figures over time.
    private(set) var seconds: [UInt64: [UInt64]] = [:]
    /// The worst message; nil before the first.
    package private(set) var worst: Worst?

    /// The figures of each round of the load, in their order; empty where there were no rounds.
    package var rounds: [Round] = []

    /// The delivery promise of its carrier; nil where that is not to be shown.
    package var promise: DeliveryPromise?

    /// Makes an empty series called `name`.
    package init(_ name: String) { self.name = name }

    /// Counts one message.
    ///
    /// - Parameters:
    ///   - latencyNanoseconds: from the moment it was intended, not from when it was sent: a sender
    ///     that falls behind must not hide the wait (Tene's "coordinated omission").
    ///   - message: names the message, should it be the worst.
    ///   - atNanoseconds: when it was intended, since the run began.
    package mutating func record(
        _ latencyNanoseconds: UInt64, message: @autoclosure () -> String, atNanoseconds: UInt64
    ) {
        histogram.record(latencyNanoseconds)
        seconds[atNanoseconds / 1_000_000_000, default: []].append(latencyNanoseconds)
        guard latencyNanoseconds > (worst?.latencyNanoseconds ?? 0) || worst == nil else { return }
        worst = Worst(
            message: message(), atNanoseconds: atNanoseconds,
            latencyNanoseconds: latencyNanoseconds)
    }

    /// The text in the last column of a table: a promise, or the worst message.
    var lastCell: String? { promise?.description ?? worst?.description }

    /// The head of that column.
    static func lastHead(_ all: [LatencySeries]) -> String {
        all.contains { $0.promise != nil } ? "guarantee; kept after SIGKILL" : "worst"
    }

    /// The same under another name.
    package func renamed(_ name: String) -> LatencySeries {
        var copy = self
        copy.name = name
        return copy
    }
}
