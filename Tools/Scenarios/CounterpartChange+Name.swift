import WatchProtoCore

extension CounterpartChange {
    /// The word of a scenario file for the change.
    var scenarioName: String {
        switch self {
        case .first: "first"
        case .restarted: "restarted"
        case .wentBack: "went_back"
        case .wiped: "wiped"
        case .cloned: "cloned"
        }
    }
}
