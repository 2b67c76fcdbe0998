import PeerKit
import RigKit

/// What one contender did at one placement.
struct PeerTally {
    let contender: Contender
    let placement: DemoCommand.Placement
    var series: LatencySeries
    /// The median of each turn, in nanoseconds; nil where a turn failed.
    var medians: [UInt64?] = []
    /// Why it was given up.
    var trouble: String?

    init(_ contender: Contender, _ placement: DemoCommand.Placement) {
        self.contender = contender
        self.placement = placement
        let suffix =
            switch placement {
            case .apart: ""
            case .same: ", one CPU"
            case .any: ", unpinned"
            }
        series = LatencySeries(contender.name + suffix)
    }

    /// One turn. A contender that failed once is out: its ends no longer agree.
    mutating func take(rounds: Int, warmUp: Int, since start: UInt64) {
        guard trouble == nil else { return }
        let begin = MonotonicClock.nowNanoseconds
        do throws(PeerFailure) {
            let samples = try contender.run(rounds, warmUp, Self.cpus(of: placement))
            var turn = LatencySeries(contender.name)
            for (index, sample) in samples.enumerated() {
                turn.record(sample, message: "", atNanoseconds: 0)
                series.record(
                    sample, message: "round \(index)", atNanoseconds: begin - min(start, begin))
            }
            medians.append(turn.histogram[.p50])
        } catch {
            trouble = "\(series.name): given up, \(error)"
        }
    }

    private static func cpus(of placement: DemoCommand.Placement) -> EchoRounds.Placement {
        switch placement {
        case .apart: .init(phoneCPU: 0, watchCPU: 1 % Files.processorCount)
        case .same: .init(phoneCPU: 0, watchCPU: 0)
        case .any: .init()
        }
    }
}

/// What the product is to be beside the others.
enum PeerTargets {
    /// One bound: the product's p50 by that of another, in the same turns.
    struct Row {
        var target: Target
        var against: String
        var placement: DemoCommand.Placement
    }

    static let rows: [Row] = [
        row("peers.floor", "interactive / raw Unix socket", "raw Unix socket", 1.3),
        row(
            "peers.floor.one-cpu", "interactive / raw Unix socket, one CPU", "raw Unix socket", nil,
            .same),
        row("peers.mosquitto", "interactive / mosquitto QoS 1", "mosquitto QoS 1", 0.6),
        row("peers.zeromq", "interactive / ZeroMQ", "ZeroMQ PAIR, ipc", 0.8),
    ]

    private static func row(
        _ id: String, _ title: String, _ against: String, _ goal: Double?,
        _ placement: DemoCommand.Placement = .apart
    ) -> Row {
        // Builds without optimisation say nothing of a ratio.
        #if DEBUG
            let bound: Double? = nil
        #else
            let bound = goal
        #endif
        return Row(
            target: .ratio(id, "\(title), p50", atMost: bound),
            against: against, placement: placement)
    }
}
