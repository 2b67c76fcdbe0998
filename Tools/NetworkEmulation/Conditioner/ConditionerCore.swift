import CommandLine
import Simulation
import WatchProtoCore
import WatchProtoTransport

/// The insides of a conditioner, under its lock: both directions, and the sockets.
struct ConditionerCore {
    enum Wiring {
        case datagrams(DatagramWires)
        case connections(ConnectionWires)
        /// Closed by whoever made the tunnel.
        case packets(TunnelWires)

        func close() {
            switch self {
            case .datagrams(let wires): wires.close()
            case .connections(let wires): wires.close()
            case .packets: break
            }
        }
    }

    /// The descriptors to sleep on, and until when.
    struct Plan {
        var reading: [Int32]
        var writing: [Int32]
        var deadline: Instant
    }

    var conditions: NetworkConditions
    var up: ConditionedDirection
    var down: ConditionedDirection
    var wiring: Wiring
    var isStopping = false

    /// One turn: due packets leave, packets received are planned, and those of them that are due
    /// leave.
    mutating func turn(_ buffer: inout [UInt8]) -> Plan? {
        guard !isStopping else { return nil }
        deliver()
        read(into: &buffer)
        Self.retry(&up)
        Self.retry(&down)
        deliver()
        let moments = [up.nextDue, down.nextDue, up.nextRetry, down.nextRetry]
        let deadline = moments.compactMap { $0 }.min() ?? .distantFuture
        switch wiring {
        case .datagrams(let wires):
            return Plan(reading: wires.descriptors, writing: [], deadline: deadline)
        case .connections(let wires):
            let (reading, writing) = wires.descriptors(up, down)
            return Plan(reading: reading, writing: writing, deadline: deadline)
        case .packets(let wires):
            return Plan(reading: wires.descriptors, writing: [], deadline: deadline)
        }
    }

    private static func retry(_ direction: inout ConditionedDirection) {
        let now = SystemClock.now
        if let moment = direction.nextRetry, moment <= now { direction.offerBacklog(at: now) }
    }

    private mutating func read(into buffer: inout [UInt8]) {
        switch wiring {
        case .datagrams(let wires): wires.read(into: &buffer, &up, &down)
        case .connections(var wires):
            wires.read(into: &buffer, &up, &down)
            wiring = .connections(wires)
        case .packets(let wires): wires.read(into: &buffer, &up, &down)
        }
    }

    private mutating func deliver() {
        switch wiring {
        case .datagrams(let wires): wires.deliver(&up, &down)
        case .connections(var wires):
            wires.deliver(&up, &down)
            wiring = .connections(wires)
        case .packets(let wires): wires.deliver(&up, &down)
        }
    }

    mutating func set(
        _ conditions: NetworkConditions, restartsBlackouts: LinkConditioner.Directions,
        at now: Instant
    ) {
        self.conditions = conditions
        up.set(
            conditions.up, conditions.reading, restartsBlackouts: restartsBlackouts.contains(.up),
            at: now)
        down.set(
            conditions.down, conditions.reading,
            restartsBlackouts: restartsBlackouts.contains(.down),
            at: now)
    }

    /// - Returns: false on a carrier that promises to lose nothing; nothing will be dropped then.
    mutating func drop(up: [UInt64], down: [UInt64]) -> Bool {
        guard self.up.kind.isLossy else { return false }
        self.up.drop(up)
        self.down.drop(down)
        return true
    }

    mutating func setDown(_ isDown: Bool, at now: Instant) {
        up.setDown(isDown, at: now)
        down.setDown(isDown, at: now)
    }

    var counters: ConditionerCounters {
        ConditionerCounters(up: up.snapshot, down: down.snapshot)
    }

    func close() { wiring.close() }
}
