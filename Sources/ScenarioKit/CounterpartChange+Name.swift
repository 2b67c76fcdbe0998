import WatchProto

extension CounterpartChange {
    /// The word of a scenario file for the change.
    var scenarioName: String {
        switch self {
        case .first: "first"
        case .restarted: "restarted"
        case .wentBack: "rolledBack"
        case .wiped: "lostItsState"
        case .cloned: "cloned"
        }
    }
}
