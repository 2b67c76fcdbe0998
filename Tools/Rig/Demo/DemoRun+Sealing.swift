import CommandLine
import Reports

extension DemoRun {
    /// Measures what sealing at rest takes, by itself, once everything else has been measured:
    /// Argon2id fills 64 MiB and would disturb what runs beside it.
    func measureSealing() throws(RigFailure) {
        progress.step("measuring sealing at rest")
        let bench = SealingBench(seed: options.seed, directory: directoryPath)
        try bench.run()
        measured += bench.measured
        notes += bench.notes
    }
}

extension LatencySeries {
    /// Records how long `body` takes, in a run that began at `start`.
    mutating func time<Failure: Error>(
        since start: UInt64, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        let begin = MonotonicClock.nowNanoseconds
        try body()
        let end = MonotonicClock.nowNanoseconds
        let name = name
        record(end - begin, message: name, atNanoseconds: begin - min(start, begin))
    }
}
