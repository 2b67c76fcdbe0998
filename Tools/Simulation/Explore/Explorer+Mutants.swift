import WatchProtoCore

/// A planted bug, caught.
package struct MutantCatch: Sendable {
    /// The first seed in which it was noticed by a checker that is there for it.
    package var seed: UInt64
    /// The first finding of that checker.
    package var finding: Finding
}

extension Explorer {
    /// Runs `seeds` with a bug planted until one of the checkers that are there for it notices; nil
    /// where none did. Findings of other checkers do not count, nor those of seeds that fail
    /// without the bug.
    ///
    /// - Precondition: sessions are sealed where the mutant needs it.
    package func hunt(_ mutant: Mutant, seeds: ClosedRange<UInt64>) -> MutantCatch? {
        precondition(isSealed || !mutant.needsSealing, "\(mutant.name) needs a seal")
        var options = ExploreOptions()
        options.mutant = mutant
        for seed in seeds {
            let found = replay(seed: seed, options: options).findings
            let checkers = mutant.checkers
            guard let finding = found.first(where: { checkers?.contains($0.checker) ?? true }),
                replay(seed: seed).findings.isEmpty
            else { continue }
            return MutantCatch(seed: seed, finding: finding)
        }
        return nil
    }
}
