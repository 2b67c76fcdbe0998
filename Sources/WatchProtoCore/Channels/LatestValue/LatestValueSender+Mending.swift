/// The repair after this side's journal has lost a reservation. A version may then stand for two
/// values, one here and one at the counterpart.
extension LatestValueSender {
    /// Asks for the values there that this side has never known, and that its own replace.
    mutating func findConflicts() {
        guard let held = session?.comparison?.held else { return }
        for entry in held.values {
            guard let value = values[entry.name], let fingerprint = entry.fingerprint,
                entry.version != value.seen,
                VersionDigest.fingerprint(value.newest.kind, value.newest.payload) != fingerprint
            else { continue }
            session?.comparison?.conflicts[entry.name] = .some(nil)
            session?.comparison?.wanted.append(entry.name)
        }
        askForValues()
    }

    mutating func mendIfReady() throws(WireError) {
        guard let comparison = session?.comparison, comparison.isReadyToMend else { return }
        mend(comparison)
        try reconcile()
    }

    /// Gives the values of epochs that the counterpart does not know versions above all that it
    /// holds, in their old order. A value that it holds just so keeps the version it has there.
    private mutating func mend(_ comparison: Comparison) {
        var unknown = zip(values.table.keys, values.table.values).filter { _, value in
            comparison.epochs[value.newest.id.epoch] != .some(.some(true))
                || mutants.contains(.mendAll)
        }
        if mutants.contains(.noMend) { unknown = [] }
        unknown.sort { $0.1.version < $1.1.version }
        lastVersion = max(lastVersion, session?.top?.version ?? 0)
        var versions: [MendedVersion] = []
        var renumbered: [(former: RecordID, now: RecordID)] = []
        var conflicts: [Event] = []
        for (name, value) in unknown {
            if let entry = comparison.held?[name], isSame(entry, value) { continue }
            lastVersion += 1
            let now = value.newest.renumbered(lastVersion)
            renumbered.append((value.newest.id, now.id))
            versions.append(
                MendedVersion(channel: name.channel, key: name.key, version: lastVersion))
            if case .some(.some(let theirs)) = comparison.conflicts[name] {
                conflicts.append(.conflict(ours: now, theirs: theirs))
            }
        }
        reserve(through: lastVersion)
        hasGivenVersion = true
        emit(.mended(versions), .mended(renumbered, conflicts: conflicts))
        // The same value, of a lost epoch: as adopted.
        for (name, value) in unknown {
            guard let entry = comparison.held?[name], isSame(entry, value) else { continue }
            adopt(
                checked: RecoveredValue(
                    name: name, version: entry.version, kind: value.newest.kind,
                    payload: value.newest.payload))
        }
        mendsUnderWay += 1
        session?.verdict = .mending
        for version in versions {
            let name = ValueName(channel: version.channel, key: version.key)
            if case .ended = values[name]?.progress { continue }
            makeDue(name)
        }
    }

    private func isSame(_ entry: HeldFrame.Entry, _ value: OwnValue) -> Bool {
        if case .rejected = entry.disposition { return false }
        return entry.fingerprint
            == VersionDigest.fingerprint(value.newest.kind, value.newest.payload)
    }
}
