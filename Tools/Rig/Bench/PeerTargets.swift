import Bench
import Reports

/// The bounds on the product beside other brokers.
enum PeerTargets {
    /// One bound: the product's p50 by that of another, in the same turns.
    struct Row {
        var id: String
        var title: String
        var goal: Double?
        /// The one whose median counts, and the one by whose median it is divided.
        var own: String
        var against: String
        var placement: DemoCommand.Placement

        /// The bound.
        ///
        /// - Parameter isEvaluated: whether the machine has what the bound is about.
        func target(isEvaluated: Bool) -> Target {
            PeerTargets.bound(id, title, .atMost, isEvaluated ? goal : nil)
        }
    }

    /// The bounds to evaluate. A row is left out if its broker is not installed, or did not run at
    /// its placement.
    static let rows: [Row] = [
        row("peers.baseline", Broker.product.name, Broker.baseline.name, 1.3),
        row("peers.baseline.one-cpu", Broker.product.name, Broker.baseline.name, nil, .same),
        row("peers.baseline.sleeping", Broker.sleepingProduct.name, Broker.baseline.name, nil),
        row(
            "peers.mosquitto", Broker.product.name, MosquittoPeer.name(.one), 0.6),
        row("peers.zeromq", Broker.product.name, ZeroMQPeer.name, 0.8),
    ]

    /// A durable record's p50 by that of the lower bound under it.
    static func durable(isEvaluated: Bool) -> Target {
        bound(
            "peers.durable", "durable / fdatasync on both sides, p50", .atMost,
            isEvaluated ? DurableLoad.latencyLimit : nil)
    }

    /// Records a second of a flood, by those of the lower bound.
    static func flood(isEvaluated: Bool) -> Target {
        bound(
            "peers.flood", "durable flood, share of the lower bound's rate", .atLeast,
            isEvaluated ? DurableLoad.throughputLimit : nil)
    }

    /// A bound on a median of turns; nothing is told by fewer than it takes to tell two builds
    /// apart.
    private static func bound(
        _ id: String, _ title: String, _ sense: Target.Sense, _ goal: Double?
    ) -> Target {
        let goal = evaluated(goal)
        return .expectation(
            id, title, .count, sense, goal: goal,
            goal == nil ? .total : .job(ofAtLeast: RoundComparison.roundsNeeded))
    }

    /// What PhoneSim and WatchSim, ended by SIGKILL, did that they must not do: each a sentence of
    /// what was lost, doubled or changed.
    static let killed = Target.expectation(
        "peers.killed", "findings after SIGKILL of PhoneSim and WatchSim", .count, .exactly,
        goal: 0)

    private static func row(
        _ id: String, _ own: String, _ against: String, _ goal: Double?,
        _ placement: DemoCommand.Placement = .apart
    ) -> Row {
        let suffix = placement == .same ? ", one CPU" : ""
        return Row(
            id: id, title: "\(own) / \(against)\(suffix), p50", goal: goal, own: own,
            against: against, placement: placement)
    }

    /// Builds without optimisation say nothing of a ratio.
    private static func evaluated(_ goal: Double?) -> Double? {
        #if DEBUG
            nil
        #else
            goal
        #endif
    }
}
