import Bench
import CommandLine
import ControlProtocol
import NetworkEmulation
import Reports
import Simulation
import WatchProtoTransport

extension DemoRun {
    /// Bounces bytes over a plain Unix socket, between the CPUs that the simulators had: no
    /// protocol on this machine can beat that in this minute.
    func measureBaseline() throws(RigFailure) {
        // A link model's delays are no socket's.
        guard !options.conditions.hasEffect else { return reportDelays() }
        progress.step("measuring the lower bound: a plain Unix socket")
        var pingPong = RawPingPong.Options()
        pingPong.rounds = 5000
        pingPong.warmUpRounds = 500
        pingPong.measuringCPU = options.placement.cpus?.phone
        pingPong.echoingCPU = options.placement.cpus?.watch
        let trips: [UInt64]
        do throws(LinkError) {
            trips = try RawPingPong.run(pingPong)
        } catch {
            throw RigFailure(.software, "The lower bound could not be measured: \(error)")
        }
        var baseline = LatencySeries("raw ping-pong")
        var time = MonotonicClock.nowNanoseconds - start
        for (index, trip) in trips.enumerated() {
            baseline.record(trip, message: "round \(index)", atNanoseconds: time)
            time += trip
        }
        series.append(baseline)
        guard let base = baseline.histogram[.p50],
            let trip = series.first(where: { $0.name == Self.roundTrip })?.histogram[.p50]
        else { return }
        let ratio = Decimals.fixed(Double(trip) / Double(base), decimals: 1)
        notes.append(
            "message and reply p50 \(TimeText.rounded(trip)), \(ratio) x a plain Unix-socket "
                + "round trip in the same run (\(TimeText.rounded(base)), back to back)")
    }

    /// Reports the time that the network conditions alone take: no row over the link has less.
    private func reportDelays() {
        let conditions = options.conditions
        func time(_ direction: DirectionConditions) -> String {
            let delay = direction.delay(conditions.reading)
            let wait = direction.options.sendInterval
            let parts = [
                delay > .zero ? delay.meaning : nil,
                wait > .zero ? "up to \(wait.meaning) for the connection interval" : nil,
            ].compactMap(\.self)
            return parts.isEmpty ? "no delay" : parts.joined(separator: " and ")
        }
        let trip = series.first { $0.name == Self.roundTrip }?.histogram[.p50]
        let measured = trip.map { "; message and reply p50 \(TimeText.rounded($0))" } ?? ""
        cautions.append(
            "the lower bound on \(conditions.name): \(time(conditions.up)) from phone to watch, "
                + "\(time(conditions.down)) back" + measured)
    }

    /// The series of messages with their replies.
    static let roundTrip = "message + reply"
}
