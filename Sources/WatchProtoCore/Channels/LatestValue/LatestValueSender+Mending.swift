/// The repair after this side's journal has lost a version that the counterpart took. Beyond the
/// reservation a version may then stand for two values, one here and one at the counterpart.
extension LatestValueSender {
    /// Asks for the values there that this side has never known, and that its own replace.
    mutating func findConflicts() {
        guard let comparison = session?.comparison, let held = comparison.held else { return }
        for entry in held.values where comparison.conflicts[entry.name] == nil {
            guard let value = values[entry.name], differs(entry.version, entry.fingerprint, value)
            else { continue }
            session?.comparison?.conflicts[entry.name] = .some(nil)
            session?.comparison?.wanted[entry.name] = true
        }
        askForValues()
    }

    /// Whether a value of the counterpart is one that this side never knew, and not its own.
    func differs(_ version: UInt64, _ fingerprint: UInt64?, _ value: OwnValue) -> Bool {
        guard !value.isEnded, let fingerprint else { return false }
        return version > value.versionKnown && fingerprint != value.fingerprint
    }

    mutating func mendIfReady() throws(WireError) {
        guard session?.comparison?.isReadyToMend == true else { return }
        // Values that are accepted while others are fetched may meet one, too.
        findConflicts()
        guard let comparison = session?.comparison, comparison.isReadyToMend else { return }
        mend(comparison)
        try reconcile()
    }

    /// Gives the values of epochs that the counterpart does not know, and that are not above all
    /// that it holds, new names that are; so it does to a value under whose name the counterpart
    /// has one of another device. A value that was applied there is adopted, one that ended
    /// before it left stays as it is.
    private mutating func mend(_ comparison: Comparison) {
        var unknown = zip(values.table.keys, values.table.values).filter { name, value in
            comparison.epochs[value.newest.id.epoch] != .some(.some(true))
                || comparison.conflicts[name].map { $0?.version == value.version } == true
                || mutants.contains(.mendAll)
        }
        if mutants.contains(.noMend) { unknown = [] }
        unknown.sort { $0.1.version < $1.1.version }
        let top = session?.presented?.top?.version ?? 0
        lastVersion = max(lastVersion, top)
        reserve(through: lastVersion)
        var conflicts: [Event] = []
        for (name, value) in unknown {
            if value.isEnded { continue }
            if value.version <= top || mutants.contains(.mendAll) {
                if let version = comparison.versionApplied(name, value) {
                    adopt(name, value.newest.kind, value.newest.payload, heldAs: version)
                    continue
                }
                renew(name)
            }
            if case .some(.some(let theirs)) = comparison.conflicts[name],
                differs(theirs.version, theirs.fingerprint, value), let ours = values[name]?.newest
            {
                conflicts.append(.conflict(ours: ours, theirs: theirs))
            }
        }
        emit(.numbered(present, .context, last: lastVersion), .mended(conflicts: conflicts))
        mendsUnderWay += 1
        session?.verdict = .mending
    }
}

extension LatestValueSender.Comparison {
    /// The version under which the counterpart has applied a value of this content; nil where it
    /// has not. In a range that was not listed it holds an adopted value as it was found there. It
    /// took no value under a name of an epoch that it does not know, but for one that it has
    /// forgotten: such a value is sent once more.
    fileprivate func versionApplied(_ name: ValueName, _ value: OwnValue) -> UInt64? {
        if let entry = held?[name] { return entry.isApplied(as: value) ? entry.version : nil }
        let isAdopted = value.progress == .applied && value.seen > 0 && value.seen != value.version
        return isAdopted && !search.isListed(name) ? value.seen : nil
    }
}

extension OwnValue {
    var fingerprint: UInt64 { VersionDigest.fingerprint(newest.kind, newest.payload) }
}

extension LatestValueSender.RecoveredValue {
    var fingerprint: UInt64 { VersionDigest.fingerprint(kind, payload) }
}

extension HeldFrame.Entry {
    /// Whether the counterpart has applied a value of the same content.
    func isApplied(as value: OwnValue) -> Bool {
        disposition == .applied && fingerprint == value.fingerprint
    }
}
