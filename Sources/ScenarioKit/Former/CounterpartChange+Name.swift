import WatchProto

extension CounterpartChange {
    /// The word of a scenario file for the change.
    var scenarioName: String { "\(self)" }
}
