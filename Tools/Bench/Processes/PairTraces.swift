package import CommandLine
package import Reports

/// The traces of a phone and of a watch.
///
/// Either device may send by itself while they are read: the phone offers the state of its last
/// edits half a second after them. Both deliveries are read before both lists of records, so that
/// each delivery has its record.
package struct PairTraces {
    private var phone: (records: [TraceRecord], deliveries: [TraceDelivery]) = ([], [])
    private var watch: (records: [TraceRecord], deliveries: [TraceDelivery]) = ([], [])

    package init() {}

    /// Adds the lines that the two have traced since. A record that is held is not read again: ask
    /// when nothing is under way.
    ///
    /// - Parameters:
    ///   - phone: the phone.
    ///   - watch: the watch.
    ///   - timeout: the time that each page may take.
    /// - Throws: exit code 70 when a trace cannot be read or is not whole, 75 when it does not
    ///   come. Nothing is added then.
    package mutating func read(
        _ phone: SimulatorProcess, _ watch: SimulatorProcess, timeout: Duration
    ) throws(RigFailure) {
        var read = self
        try watch.addDeliveries(to: &read.watch.deliveries, timeout: timeout)
        try phone.addDeliveries(to: &read.phone.deliveries, timeout: timeout)
        try phone.addRecords(to: &read.phone.records, timeout: timeout)
        try watch.addRecords(to: &read.watch.records, timeout: timeout)
        self = read
    }

    /// Lays the two beside each other, each direction by itself.
    ///
    /// - Parameter quiet: when nothing was under way; nanoseconds of CLOCK_MONOTONIC. A record that
    ///   was accepted then or later is left out.
    package func joined(quietAt quiet: UInt64 = .max) -> (down: TraceJoin, up: TraceJoin) {
        (
            TraceJoin(
                records: phone.records, deliveries: watch.deliveries, quietAt: quiet),
            TraceJoin(records: watch.records, deliveries: phone.deliveries, quietAt: quiet)
        )
    }
}
