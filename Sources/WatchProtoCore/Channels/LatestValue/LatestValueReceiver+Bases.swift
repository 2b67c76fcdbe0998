/// The values that deltas name, and the requests for those that this side lacks.
extension LatestValueReceiver {
    /// The value that a frame names as its base.
    func base(_ named: ValueFrame.Base?, _ name: ValueName) -> InboundRecord? {
        guard let named else { return nil }
        let slots = bases[name]
        for candidate in [slots?.base, slots?.marked, values[name]?.candidate, values[name]?.held] {
            guard let candidate, candidate.id.number.rawValue & 0xFF == UInt64(named.versionLow),
                ValueFrame.Base(
                    version: candidate.id.number.rawValue, payload: candidate.payload) == named
            else { continue }
            return candidate
        }
        return nil
    }

    /// A value that marks the next base names the present one: those two are kept, where the value
    /// found room.
    mutating func keepBase(
        _ former: InboundRecord?, _ name: ValueName, _ record: InboundRecord
    ) {
        guard kinds[record.kind]?.applyDelta != nil,
            deliveries[name]?.id == record.id || values[name]?.id == record.id
        else { return }
        if bases[name] == nil, bases.count == Self.basesKept {
            nextToGo = (nextToGo + 1) % (Self.basesKept - 1)
            bases.remove(bases.keys[nextToGo])
        }
        bases[name] = Bases(base: former, marked: record)
    }

    /// Asks for a value whole: once until it comes, or as often as its fragments are given up.
    mutating func needBase(
        _ subject: NeedBaseFrame.Subject, for version: UInt64
    ) throws(WireError) {
        guard let session else { return }
        let asked = session.basesAsked[subject]
        let isDue = session.basesDue.contains(subject)
        guard
            asked != nil || isDue
                || max(session.basesAsked.count, session.basesDue.count) < limits.requests
        else {
            throw WireError(
                .outOfRange, at: 0, expected: "fewer values that cannot be applied",
                found: UInt64(session.basesAsked.count))
        }
        if !subject.isVersion { self.session?.basesAsked[subject] = max(asked ?? 0, version) }
        if asked == nil, !isDue { self.session?.basesDue.append(subject) }
    }
}

extension NeedBaseFrame.Subject {
    /// Whether it is a value whose fragments were given up.
    var isVersion: Bool { if case .version = self { true } else { false } }
}
