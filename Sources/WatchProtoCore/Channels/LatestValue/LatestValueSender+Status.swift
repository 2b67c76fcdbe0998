/// Queries about values of this side.
extension LatestValueSender {
    /// The known status of a value. It is never a guess.
    package func status(of id: RecordID) -> RecordStatus {
        if let outcome = outcomes[id] { return .settled(outcome) }
        if let name = values.name(of: id), let value = values[name] {
            return forgottenOutcome(of: value).map { .settled($0) }
                ?? .underWay(stage(of: value, name))
        }
        if let stage = replaced[id] { return .underWay(stage) }
        return .unknown
    }

    /// The outcome of a newest value, durable and not among those that are remembered.
    private func forgottenOutcome(of value: OwnValue) -> Outcome? {
        let isUnderWay = commits.actions.contains { action in
            if case .settled(let id, _) = action { id == value.newest.id } else { false }
        }
        switch value.progress {
        case .applied where !isUnderWay: return .applied
        case .ended(let outcome) where !isUnderWay: return outcome
        default: return nil
        }
    }

    /// The stage of a newest value. Before its own commit it is *queued*, also if it has left.
    func stage(of value: OwnValue, _ name: ValueName) -> Stage {
        if transmissions[name]?.isDurable == false { return .queued }
        return switch value.progress {
        case .committed, .applied: .committed
        default: transmissions[name]?.reached ?? .queued
        }
    }

    /// The newest value of a key of this side.
    package func newest(_ name: ValueName) -> OutboundRecord? { values[name]?.newest }

    /// Values of a channel that are accepted and not durably settled, oldest first.
    package func outstanding(_ channel: Channel) -> [RecordID] {
        var ids = replaced.keys
        for value in values.table.values
        where value.progress.isUnsettled && outcomes[value.newest.id] == nil {
            ids.append(value.newest.id)
        }
        for case .settled(let id, _) in commits.actions where replaced[id] == nil { ids.append(id) }
        return ids.filter { $0.channel == channel }.sorted { $0.number < $1.number }
    }

    /// Whether values are being compared with those that the counterpart holds.
    package var isComparing: Bool { session?.comparison != nil }

    /// Whether some value waits for the counterpart's word.
    package var hasUnsettled: Bool { values.unsettled > 0 }

    /// The number of values that wait for the counterpart's word.
    var unsettledCount: Int { values.unsettled }

    /// A value by its name, where it is the newest one of its key.
    func record(of id: RecordID) -> OutboundRecord? {
        values.name(of: id).flatMap { values[$0]?.newest }
    }

    /// Whether the counterpart has not stated that it has committed a value.
    func isUncommitted(_ id: RecordID) -> Bool {
        values.name(of: id).flatMap { values[$0] }.map { $0.progress == .queued } ?? false
    }

    /// Takes what happened since the last call.
    package mutating func takeEvents() -> [Event] {
        defer { events.removeAll() }
        return events
    }
}
