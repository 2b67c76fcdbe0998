package import WatchProto

/// The complication states of a load: each different, numbered in its text so that both sides'
/// traces can tell which is newer.
package enum LoadComplication {
    private static let prefix = "update "

    /// The state with the number `revision`.
    package static func state(_ revision: UInt32) -> ComplicationState {
        ComplicationState(
            name: prefix + String(revision), amountText: "load",
            taken: UInt8(truncatingIfNeeded: revision), total: 255)
    }

    /// The number of a load's state; nil for any other.
    package static func revision(of state: ComplicationState) -> UInt32? {
        state.name.hasPrefix(prefix) ? UInt32(state.name.dropFirst(prefix.count)) : nil
    }
}
