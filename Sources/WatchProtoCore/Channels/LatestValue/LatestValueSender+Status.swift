/// Queries about values of this side.
extension LatestValueSender {
    /// The known status of a value. It is never a guess.
    public func status(of id: RecordID) -> RecordStatus {
        if let outcome = outcomes[id] { return .settled(outcome) }
        if let name = values.name(of: id), let value = values[name] {
            return .underWay(stage(of: value, name))
        }
        if let stage = replaced[id] { return .underWay(stage) }
        return .unknown
    }

    func stage(of value: OwnValue, _ name: ValueName) -> Stage {
        switch value.progress {
        case .committed, .applied: .committed
        default: flights[name]?.reached ?? .queued
        }
    }

    /// The newest value of a key of this side.
    public func newest(_ name: ValueName) -> OutboundRecord? { values[name]?.newest }

    /// Whether some value waits for the counterpart's word.
    public var hasUnsettled: Bool { values.unsettled > 0 }

    /// Takes what happened since the last call.
    public mutating func takeEvents() -> [Event] {
        defer { events.removeAll() }
        return events
    }
}
