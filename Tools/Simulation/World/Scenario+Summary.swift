import WatchProtoCore

extension Scenario {
    /// The scenario in a few lines, for people.
    package var summary: String {
        var lines = ["seed \(seed), \(carrier.kind), \(carrier.largestDatagramBytes) B datagrams"]
        lines.append("on: " + switches.map(\.rawValue).joined(separator: ", "))
        if let shape { lines.append("a packet of constant shape every \(shape.interval)") }
        for (side, options) in linkConditions.enumerated() {
            lines.append(
                "out of the \(WorldNames.side(side)): rate \(options.rateBitsPerSecond ?? 0) bit/s,"
                    + " delay \(options.delay), jitter \(options.jitter), loss \(options.loss)")
        }
        for (index, act) in acts.enumerated() {
            lines.append(
                "act \(index)  \(WorldTrace.seconds(act.at))  \(WorldNames.side(act.side))  \(act.what)"
                    + (act.waitsForCommit ? ", waits for its commit" : ""))
        }
        for (index, fault) in faults.enumerated() {
            lines.append("fault \(index)  \(WorldTrace.seconds(fault.at))  \(fault.what)")
        }
        if let dead = deadDirection {
            lines.append(
                "\(WorldTrace.seconds(dead.at))  nothing leaves \(WorldNames.side(dead.side))")
        }
        lines.append("\(WorldTrace.seconds(healAt))  healed")
        return lines.joined(separator: "\n")
    }
}
