/// Whether what a counterpart says it holds can be so.
extension Outbox {
    /// How many sums of values are tried before a digest is taken for explained.
    private static var sumLimit: Int { 4096 }

    /// What a digest of the counterpart's values comes to.
    struct Explanation: Sendable {
        /// The counterpart may hold what its digest says: the values it confirmed, each perhaps
        /// replaced by one that is under way.
        var isFound: Bool
        /// Only so if a value of an earlier opening has not arrived there (it may have, and another
        /// one after it that a crash or a backup here undid), or nobody has added it up. What is
        /// held is to be asked for once nothing is under way.
        var isDoubtful = false
        /// How many sums were formed to find out.
        var sums: Int
    }

    /// Explains the digest of a counterpart that knows these epochs. Where too many values are
    /// under way to tell, it may be so, and is in doubt.
    func explanation(_ lane: Lane, _ digest: UInt64, known: [EpochID]) -> Explanation {
        let state = lanes[Int(lane.rawValue)]
        let current = epochs.count - 1
        let isMet = epochs.map { !lostHere.isEmpty || known.contains($0.id) }
        var sums = [state.heldDigest.rawValue]
        // Those in which every value of an earlier opening has arrived.
        var sure = sums
        var isUnsure = false
        for (key, value) in zip(state.keys.keys, state.keys.values) where !value.live.isEmpty {
            let live = value.live.filter { state.segments[$0.epochIndex][$0.number] != nil }
            let items = live.compactMap { state.segments[$0.epochIndex][$0.number] }
            // Once a value has arrived, no older one can be held any more; one that looks like an
            // older one is of a record that a crash here undid.
            let arrived = items.lastIndex { $0.stage >= .received }
            let possible = items[(arrived ?? 0)...]
            // Asked before the sums are formed: they are as many times more as values are live.
            guard sums.count * (possible.count + 1) <= Self.sumLimit else {
                // Who holds nothing has lost what is not under way, whatever has arrived.
                let hasLost =
                    digest == 0
                    && state.keys.values.contains {
                        $0.live.isEmpty && $0.held.map { !$0.kind.removesKey } ?? false
                    }
                return Explanation(isFound: !hasLost, isDoubtful: true, sums: sums.count)
            }
            func fingerprint(_ kind: ContentKind, _ payload: [UInt8]) -> UInt64 {
                var digest = SetDigest()
                digest.insert(key, kind, payload)
                return digest.rawValue
            }
            let held = value.held.map { fingerprint($0.kind, $0.payload) } ?? 0
            var changes: [UInt64] = arrived == nil ? [0] : []
            changes += possible.map { fingerprint($0.record.kind, $0.record.payload) &- held }
            sums = changes.flatMap { change in sums.map { $0 &+ change } }
            // What came in an epoch that the counterpart does not know cannot have arrived;
            // whatever is of this opening wins there, too.
            let doubted = live.lastIndex { $0.epochIndex < current && isMet[$0.epochIndex] } ?? -1
            if doubted > arrived ?? -1 { isUnsure = true }
            let sureChanges = changes.suffix(live.count - max(doubted, arrived ?? -1))
            sure = sureChanges.flatMap { change in sure.map { $0 &+ change } }
        }
        return Explanation(
            isFound: sums.contains(digest), isDoubtful: isUnsure && !sure.contains(digest),
            sums: sums.count)
    }
}
