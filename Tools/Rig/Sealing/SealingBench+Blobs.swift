import CommandLine
import ControlProtocol
import Reports
import WatchProtoSecurity

extension SealingBench {
    /// How many operations lie between two samples of the memory.
    private static let operationsPerSample = 100

    /// Seals a thousand random blobs and opens them, three times over.
    func measureBlobs(_ sealer: AtRestSealer, _ blobs: [[UInt8]]) throws(RigFailure) {
        var seals = LatencySeries("AEAD seal")
        var opens = LatencySeries("AEAD open")
        var rates: [Double] = []
        var memory = OwnMemory()
        var wrong = 0
        for _ in 0..<Self.rounds {
            try Interrupts.check()
            var sealed: [[UInt8]] = []
            var opened: [[UInt8]?] = []
            var sampling: UInt64 = 0
            let begin = MonotonicClock.nowNanoseconds
            for (number, blob) in blobs.enumerated() {
                seals.time(since: start) { sealed.append(sealer.seal(blob, associatedData: place)) }
                if number % Self.operationsPerSample == 0 { sampling += Self.sample(&memory) }
            }
            for (number, blob) in sealed.enumerated() {
                opens.time(since: start) {
                    opened.append(try? sealer.open(blob, associatedData: place))
                }
                if number % Self.operationsPerSample == 0 { sampling += Self.sample(&memory) }
            }
            let nanoseconds = MonotonicClock.nowNanoseconds - begin - sampling
            wrong += zip(blobs, opened).count { $0 != $1 }
            rates.append(Double(blobs.count) * 1e9 / Double(max(1, nanoseconds)))
        }
        keep("aead.seal", seals)
        keep("aead.open", opens)
        let slowest = Decimals.fixed(rates.min() ?? 0, decimals: 0)
        found(
            "aead.rate", wrong > 0 ? 0 : rates.reduce(0, +) / Double(rates.count),
            samples: rates.count, wrong > 0 ? "\(wrong) did not open" : "slowest \(slowest) /s")
        found("aead.memory.mean", memory.mean, samples: memory.count)
        found("aead.memory.peak", memory.peak.map { Double($0) })
    }

    /// Samples the memory, and returns how long that took, in nanoseconds.
    private static func sample(_ memory: inout OwnMemory) -> UInt64 {
        let begin = MonotonicClock.nowNanoseconds
        memory.sample()
        return MonotonicClock.nowNanoseconds - begin
    }

    /// Seals the blobs on all processors that this process may use, and on one, in turn.
    func measureAllCores(_ sealer: AtRestSealer, _ blobs: [[UInt8]]) throws(RigFailure) {
        let cores = Files.usableProcessors.count
        var rates: [(all: Double, one: Double)] = []
        for _ in 0..<Self.rounds {
            try Interrupts.check()
            let (all, one) = (
                try rate(sealer, blobs, threads: cores), try rate(sealer, blobs, threads: 1)
            )
            rates.append((all, one))
        }
        let all = rates.map(\.all).reduce(0, +) / Double(rates.count)
        let one = rates.map(\.one).reduce(0, +) / Double(rates.count)
        found(
            "aead.all", all, samples: rates.count,
            "\(cores) \(cores == 1 ? "core" : "cores"), "
                + "\(Decimals.fixed(all / max(1, one), decimals: 2)) x one")
    }

    /// How many blobs `threads` threads seal in a second.
    private func rate(
        _ sealer: AtRestSealer, _ blobs: [[UInt8]], threads: Int
    ) throws(RigFailure) -> Double {
        let begin = MonotonicClock.nowNanoseconds
        let sealed = try SealAll.run(sealer, blobs, associatedData: place, threads: threads)
        let nanoseconds = MonotonicClock.nowNanoseconds - begin
        let good = zip(blobs, sealed).count { blob, sealed in
            (try? sealer.open(sealed, associatedData: place)) == blob
        }
        guard good == blobs.count else {
            throw RigFailure(.software, "\(blobs.count - good) blobs sealed at once do not open.")
        }
        return Double(good) * 1e9 / Double(max(1, nanoseconds))
    }
}
