package import WatchProtoCore

/// Measures cells on links, many trials at once; the same seed gives the same figures, however many
/// run at once.
package struct BaselineBench: Sendable {
    private let makeTrials:
        @Sendable (_ cell: BaselineCell, _ settings: BaselineSettings, _ life: UInt64)
            -> BaselineTrials

    /// Makes a bench of peers with the security that `makeSecurity` makes, for each life paired.
    package init(
        makeSecurity:
            @escaping @Sendable (_ role: DeviceRole, _ life: UInt64) -> some PeerSecurity
    ) {
        makeTrials = { cell, settings, life in
            BaselineTrials(cell, settings, seed: life) { role in makeSecurity(role, life) }
        }
    }

    /// Runs `trials` of `cell`, `jobs` pairs of peers at a time.
    ///
    /// - Parameters:
    ///   - cell: what is measured.
    ///   - settings: the link, and how it is used.
    ///   - trials: how many there are.
    ///   - jobs: how many pairs of peers run at once.
    ///   - progress: is told, now and then, how many trials are done.
    package func run(
        _ cell: BaselineCell, _ settings: BaselineSettings, trials: Int, jobs: Int,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async -> BaselineSamples {
        let size = cell.trialsPerPair
        let blocks = (trials + size - 1) / size
        var parts = [BaselineSamples?](repeating: nil, count: blocks)
        var done = 0
        await withTaskGroup(of: (Int, BaselineSamples).self) { group in
            var next = 0
            func addNext() {
                guard next < blocks else { return }
                let index = next
                next += 1
                let count = min(size, trials - index * size)
                group.addTask { (index, self.block(index, cell, settings, trials: count)) }
            }
            for _ in 0..<max(1, jobs) { addNext() }
            while let (index, samples) = await group.next() {
                parts[index] = samples
                done += samples.ours.count
                progress(done)
                addNext()
            }
        }
        var whole = BaselineSamples()
        for part in parts { if let part { whole.add(part) } }
        return whole
    }

    private func block(
        _ index: Int, _ cell: BaselineCell, _ settings: BaselineSettings, trials: Int
    ) -> BaselineSamples {
        let life = settings.seed &* 1_000_003 &+ UInt64(index)
        return makeTrials(cell, settings, life).run(trials)
    }
}
