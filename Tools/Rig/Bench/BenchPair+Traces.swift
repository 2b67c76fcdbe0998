import Bench
import CommandLine
import ControlProtocol
import Reports

/// What the two have seen of their records and of their link.
extension BenchPair {
    /// What both have traced, page by page.
    typealias Trace = (records: [TraceRecord], deliveries: [TraceDelivery])

    /// Both traces, laid beside each other, of all that was sent so far.
    func traces() throws(RigFailure) -> (down: TraceJoin, up: TraceJoin) {
        Self.join(try phone.trace(timeout: timeout), try watch.trace(timeout: timeout))
    }

    /// Reads what both have traced so far, in case one of them does not live to the end. Nothing
    /// may be under way.
    func keepTraces() throws(RigFailure) {
        try phone.addTrace(to: &kept.phone, timeout: timeout)
        try watch.addTrace(to: &kept.watch, timeout: timeout)
    }

    /// As ``traces()``, of what was kept.
    var keptTraces: (down: TraceJoin, up: TraceJoin) { Self.join(kept.phone, kept.watch) }

    private static func join(
        _ phone: Trace, _ watch: Trace
    ) -> (down: TraceJoin, up: TraceJoin) {
        (
            TraceJoin(records: phone.records, deliveries: watch.deliveries),
            TraceJoin(records: watch.records, deliveries: phone.deliveries)
        )
    }

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
