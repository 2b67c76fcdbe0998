import Bench
import CommandLine
import ControlProtocol
import Reports

/// Traces of the two sides: of their records and of their link.
extension BenchPair {
    /// Both traces, laid beside each other.
    ///
    /// - Parameter isDrained: whether ``drain(_:)`` came to its end. Records that were sent after
    ///   it are left out then.
    func traces(isDrained: Bool) throws(RigFailure) -> (down: TraceJoin, up: TraceJoin) {
        var traces = PairTraces()
        try traces.read(phone, watch, timeout: timeout)
        return traces.joined(quietAt: isDrained ? quiet : .max)
    }

    /// Reads what both have traced so far, in case one of them does not live to the end. Nothing
    /// may be under way.
    func keepTraces() throws(RigFailure) { try kept.read(phone, watch, timeout: timeout) }

    /// When their link closed since `start`, nanoseconds of CLOCK_MONOTONIC, and why: a sentence
    /// for each.
    func closures(since start: UInt64) -> [String] {
        both.flatMap { simulator in
            simulator.takeEvents("link.closed").compactMap { event -> String? in
                guard let at = event["t_ns"]?.unsigned, at >= start else { return nil }
                let seconds = Decimals.fixed(Double(at - start) / 1e9, decimals: 2)
                return "\(simulator.name): the link closed at \(seconds) s: "
                    + (event["reason"]?.string ?? "")
            }
        }
    }
}
