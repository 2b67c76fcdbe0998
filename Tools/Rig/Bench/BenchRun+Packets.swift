import Bench
import CommandLine
import ControlProtocol
import Reports

/// Lists of packets, where a page is to be drawn of them.
extension BenchRun {
    /// Asks both sides of the only pair to list their packets. Two builds list none: the older one
    /// may not know how, and any work beside the load must be the same for both.
    ///
    /// - Returns: whether both do.
    func startPackets() throws(RigFailure) -> Bool {
        guard options.keepsPackets, pairs.count == 1, let pair = pairs.first else { return false }
        return try pair.startPackets()
    }

    /// Lays both lists beside each other.
    func addPackets(of pair: BenchPair, to tally: inout BenchTally) throws(RigFailure) {
        let (down, up) = try pair.packets(until: end)
        tally.addPackets(down: down, up: up)
    }
}

extension BenchPair {
    /// Asks both sides to list their packets from now on.
    ///
    /// - Returns: whether both do.
    func startPackets() throws(RigFailure) -> Bool {
        for simulator in [phone, watch] {
            guard try simulator.startPackets(timeout: timeout) else { return false }
        }
        return true
    }

    /// Both lists, laid beside each other; nothing is added to them any more.
    ///
    /// - Parameter end: a moment at which both were still kept, in nanoseconds of CLOCK_MONOTONIC.
    func packets(until end: UInt64) throws(RigFailure) -> (down: PacketJoin, up: PacketJoin) {
        for simulator in [phone, watch] { try simulator.stopPackets(timeout: timeout) }
        let fromPhone = try phone.packets(timeout: timeout)
        let fromWatch = try watch.packets(timeout: timeout)
        return (
            PacketJoin(sender: fromPhone, receiver: fromWatch, until: end),
            PacketJoin(sender: fromWatch, receiver: fromPhone, until: end)
        )
    }
}

extension BenchTally {
    /// Adds the packets of both ways to what is drawn and counted.
    mutating func addPackets(down: PacketJoin, up: PacketJoin) {
        detail.addPackets(down, isFromWatch: false)
        detail.addPackets(up, isFromWatch: true)
        counts["packets"] = PacketJoin.counts(down: down, up: up)
    }
}
