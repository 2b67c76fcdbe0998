package import CommandLine
import ControlProtocol
package import Reports

extension SimulatorProcess {
    /// How many records it has under way. Doses that it has recorded and not queued yet count as
    /// one.
    ///
    /// - Throws: as ``call(_:_:timeout:)``.
    package func outstanding(timeout: Duration) throws(RigFailure) -> UInt64 {
        let status = try call("status", timeout: timeout)
        let count = status["outstanding"]?.unsigned ?? 0
        return status["doses"]?["sending"] == true ? count + 1 : count
    }

    /// All that it has traced so far, page by page.
    ///
    /// - Parameter timeout: how long each page may take.
    /// - Throws: exit code 70 when it cannot be read or is not whole, 75 when it does not come.
    package func trace(
        timeout: Duration
    ) throws(RigFailure) -> (records: [TraceRecord], deliveries: [TraceDelivery]) {
        var records: [TraceRecord] = []
        var deliveries: [TraceDelivery] = []
        try readTrace(from: 0, timeout: timeout) { page in
            records += page.records
            deliveries += page.deliveries
        }
        return (records, deliveries)
    }

    /// Adds to `kept` what it has traced beyond that. What changed since in a record that is kept
    /// is not seen: ask when nothing is under way.
    ///
    /// - Throws: as ``trace(timeout:)``.
    package func addTrace(
        to kept: inout (records: [TraceRecord], deliveries: [TraceDelivery]), timeout: Duration
    ) throws(RigFailure) {
        // A page counts both lists from the same place.
        var (records, deliveries) = kept
        try readTrace(from: kept.records.count, timeout: timeout) { records += $0.records }
        try readTrace(from: kept.deliveries.count, timeout: timeout) {
            deliveries += $0.deliveries
        }
        kept = (records, deliveries)
    }

    private func readTrace(
        from start: Int, timeout: Duration,
        _ take: ((records: [TraceRecord], deliveries: [TraceDelivery])) -> Void
    ) throws(RigFailure) {
        var next: Int64? = Int64(start)
        var dropped: UInt64 = 0
        while let after = next {
            let page = try call(
                "trace.dump", ["after": .integer(after), "limit": 1000], timeout: timeout)
            let lines = (page["records"]?.array ?? [], page["deliveries"]?.array ?? [])
            let read = (
                records: lines.0.compactMap(TraceRecord.init),
                deliveries: lines.1.compactMap(TraceDelivery.init)
            )
            guard read.0.count == lines.0.count, read.1.count == lines.1.count else {
                throw RigFailure(
                    .software, "\(name) gave a trace that rig cannot read.",
                    details: [
                        "A line of it: \(JSONWriter.text(lines.0.first ?? lines.1.first ?? .null))"
                    ])
            }
            take(read)
            dropped = max(dropped, page["untraced"]?.unsigned ?? 0)
            next = page["next"]?.integer
            guard next ?? .max > after else {
                throw RigFailure(
                    .software, "\(name) gives the same page of its trace again and again.")
            }
        }
        if dropped > 0 {
            throw RigFailure(
                .software, "\(name) left \(dropped) lines out of its trace.",
                details: ["Try: a shorter --duration or a lower --rate."])
        }
    }
}
