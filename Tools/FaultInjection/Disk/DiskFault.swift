/// A failure planted in a ``RecordedDisk``.
package struct DiskFault: Hashable, Sendable {
    /// The error with which a call fails.
    package enum Failure: Hashable, Sendable, CaseIterable {
        /// An I/O error, as a dying disk gives it.
        case inputOutput
        /// No space is left.
        case full
    }

    /// How many calls pass before the one that fails, of the kinds in ``kinds``.
    package var passes: Int
    /// Which calls count, and fail.
    package var kinds: Set<DiskCall.Kind>
    /// The error with which they fail.
    package var failure: Failure
    /// Whether all later ones fail as well, or only that one.
    package var isForever: Bool

    /// Every call that changes the disk.
    package static let allChanges = Set(DiskCall.Kind.allCases.filter(\.changesTheDisk))

    /// Fails the call after `passes` others of these kinds, once or from then on.
    package init(
        after passes: Int,
        kinds: Set<DiskCall.Kind> = DiskFault.allChanges,
        failure: Failure, isForever: Bool
    ) {
        self.passes = passes
        self.kinds = kinds
        self.failure = failure
        self.isForever = isForever
    }
}

/// A fault of any call that changes the disk, in words: `io:any:13`, `full:any:13:forever`.
extension DiskFault: LosslessStringConvertible {
    /// The words; the call is counted from 1.
    package var description: String {
        "\(failure == .full ? "full" : "io"):any:\(passes + 1)" + (isForever ? ":forever" : "")
    }

    /// Reads them; nil where they are none.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 4 && parts[3] == "forever",
            ["io", "full"].contains(parts[0]), parts[1] == "any",
            let number = Int(parts[2]), (1...1_000_000_000).contains(number)
        else { return nil }
        self.init(
            after: number - 1, failure: parts[0] == "io" ? .inputOutput : .full,
            isForever: parts.count == 4)
    }
}
