package import CommandLine
import ControlProtocol
import Reports

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

    /// Adds to `kept` the records that it has traced beyond those. A record that is kept is not
    /// read again: ask when nothing is under way.
    ///
    /// - Parameters:
    ///   - kept: what was read before.
    ///   - timeout: how long each page may take.
    /// - Throws: exit code 70 when it cannot be read or is not whole, 75 when it does not come.
    func addRecords(to kept: inout [TraceRecord], timeout: Duration) throws(RigFailure) {
        var records = kept
        try readTrace(from: kept.count, timeout: timeout) { records += $0.records }
        kept = records
    }

    /// Adds to `kept` the deliveries that it has traced beyond those.
    ///
    /// - Throws: as ``addRecords(to:timeout:)``.
    func addDeliveries(to kept: inout [TraceDelivery], timeout: Duration) throws(RigFailure) {
        var deliveries = kept
        try readTrace(from: kept.count, timeout: timeout) { deliveries += $0.deliveries }
        kept = deliveries
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
