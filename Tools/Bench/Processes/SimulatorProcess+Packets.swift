package import CommandLine
import ControlProtocol
package import Reports

extension SimulatorProcess {
    /// Asks it to keep a list of its packets from now on.
    ///
    /// - Returns: whether it does; one of an older build does not know how.
    /// - Throws: exit code 70 or 75 when it does not answer.
    package func startPackets(timeout: Duration) throws(RigFailure) -> Bool {
        try request("packets.start", timeout: timeout)["ok"] == true
    }

    /// Asks it to add nothing to its list any more.
    ///
    /// - Throws: exit code 70 or 75 when it does not answer.
    package func stopPackets(timeout: Duration) throws(RigFailure) {
        _ = try request("packets.stop", timeout: timeout)
    }

    /// Its list of packets, page by page.
    ///
    /// - Parameter timeout: how long each page may take.
    /// - Throws: exit code 70 when it cannot be read, 75 when it does not come.
    package func packets(timeout: Duration) throws(RigFailure) -> PacketTrace {
        var trace = PacketTrace()
        var next: Int64? = 0
        while let after = next {
            let page = try call("packets.dump", ["after": .integer(after)], timeout: timeout)
            if let line = trace.add(page) {
                throw RigFailure(
                    .software, "\(name) gave a list of packets that rig cannot read.",
                    details: ["A line of it: \(JSONWriter.text(line))"])
            }
            next = page["next"]?.integer
            guard next ?? .max > after else {
                throw RigFailure(
                    .software, "\(name) gives the same page of its packets again and again.")
            }
        }
        return trace
    }
}
