/// A failure planted in a ``RecordedDisk``.
public struct DiskFault: Hashable, Sendable {
    /// What the call fails with.
    public enum Failure: Hashable, Sendable, CaseIterable {
        /// An I/O error, as a dying disk gives it.
        case inputOutput
        /// No space is left.
        case full
    }

    /// How many calls pass before the one that fails, of the kinds in ``kinds``.
    public var passes: Int
    /// Which calls count, and fail.
    public var kinds: Set<DiskCall.Kind>
    /// What they fail with.
    public var failure: Failure
    /// Whether all later ones fail as well, or only that one.
    public var isForever: Bool

    /// Fails the call after `passes` others of these kinds, once or from then on.
    public init(
        after passes: Int,
        kinds: Set<DiskCall.Kind> = [.create, .write, .truncate, .sync, .delete],
        failure: Failure, isForever: Bool
    ) {
        self.passes = passes
        self.kinds = kinds
        self.failure = failure
        self.isForever = isForever
    }
}
