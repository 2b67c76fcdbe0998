import Bench
import CommandLine
import ControlProtocol
import Reports

/// Collects the facts for alerts about the devices of a run.
struct DeviceHealth {
    private var wakeUps: UInt64 = 0
    private var nanoseconds: UInt64 = 0
    private var begin: (wakeUps: UInt64, at: UInt64)?

    /// A load begins, which `watch` takes part in.
    mutating func beginLoad(_ watch: SimulatorProcess) {
        begin = ProcessFigures(pid: watch.pid).map { ($0.wakeUps, MonotonicClock.nowNanoseconds) }
    }

    /// The load is over.
    mutating func endLoad(_ watch: SimulatorProcess) {
        guard let begin, let figures = ProcessFigures(pid: watch.pid) else { return }
        wakeUps += figures.wakeUps - min(begin.wakeUps, figures.wakeUps)
        nanoseconds += MonotonicClock.nowNanoseconds - begin.at
        self.begin = nil
    }

    /// All of it, of a run that started `simulators` and has ended none of them yet.
    func health(of simulators: [SimulatorProcess]) -> Alerts.Health {
        var health = Alerts.Health()
        health.started = simulators.count
        health.crashed = simulators.count { ProcessFigures(pid: $0.pid) == nil }
        health.launches = simulators.compactMap { simulator in
            simulator.shownNanoseconds.map { $0 - min($0, simulator.startNanoseconds) }
        }
        if nanoseconds > 0 {
            health.wakeUpsPerSecond = Double(wakeUps) * 1e9 / Double(nanoseconds)
        }
        return health
    }
}
