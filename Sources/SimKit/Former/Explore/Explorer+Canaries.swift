import WatchProto

/// A planted mistake, caught.
public struct CanaryCatch: Sendable {
    /// The first seed in which it was noticed by a checker that is there for it.
    public var seed: UInt64
    /// What that checker found first.
    public var finding: Finding
}

extension Explorer {
    /// Runs `seeds` with a mistake planted until one of the checkers that are there for it notices;
    /// nil where none did. What others find does not count.
    ///
    /// - Precondition: sessions are sealed where the mistake needs it.
    public func hunt(_ canary: Canary, seeds: ClosedRange<UInt64>) -> CanaryCatch? {
        precondition(Security.isSealed || !canary.needsSealing, "\(canary) needs a seal")
        var options = ExploreOptions()
        options.canary = canary
        for seed in seeds {
            let found = replay(seed: seed, options: options).findings
            if let finding = found.first(where: { canary.checkers.contains($0.checker) }) {
                return CanaryCatch(seed: seed, finding: finding)
            }
        }
        return nil
    }
}
