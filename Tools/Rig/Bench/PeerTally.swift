import Bench
import CommandLine
import Reports

/// The results of one broker at one placement.
struct PeerTally {
    let broker: Broker
    let placement: DemoCommand.Placement
    var series: LatencySeries
    /// The median of each turn, in nanoseconds; nil where a turn failed.
    var medians: [UInt64?] = []
    /// Why it was given up.
    var trouble: String?

    init(_ broker: Broker, _ placement: DemoCommand.Placement) {
        self.broker = broker
        self.placement = placement
        let suffix =
            switch placement {
            case .apart: ""
            case .same: ", one CPU"
            case .any: ", unpinned"
            }
        series = LatencySeries(broker.name + suffix)
        series.promise = DeliveryPromise(broker.guarantee)
    }

    /// One turn. A broker that failed once is out: its ends no longer agree.
    mutating func take(rounds: Int, warmUp: Int, since start: UInt64) {
        guard trouble == nil else { return }
        let begin = MonotonicClock.nowNanoseconds
        do throws(PeerFailure) {
            let cpus = placement.cpus
            let samples = try broker.run(
                rounds, warmUp, .init(phoneCPU: cpus?.phone, watchCPU: cpus?.watch))
            var turn = LatencySeries(broker.name)
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
}
