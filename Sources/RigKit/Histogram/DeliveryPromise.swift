/// What something that carries messages promises of one that it has taken, and what was left of the
/// promise when its process was ended by SIGKILL.
public struct DeliveryPromise: Hashable, Sendable, CustomStringConvertible {
    /// What became of messages that had been acknowledged.
    public struct Killed: Hashable, Sendable {
        /// How many had been acknowledged.
        public var acknowledged: Int
        /// How many of them came to the receiver after a new start.
        public var kept: Int

        /// Makes it.
        public init(acknowledged: Int, kept: Int) {
            self.acknowledged = acknowledged
            self.kept = kept
        }
    }

    /// The promise: `at least once`.
    public var guarantee: String
    /// What was left of it; nil where nothing is acknowledged, or nobody was killed.
    public var killed: Killed?

    /// Makes it.
    public init(_ guarantee: String, killed: Killed? = nil) {
        self.guarantee = guarantee
        self.killed = killed
    }

    /// `at least once; kept 0 of 200`.
    public var description: String {
        guarantee + (killed.map { "; kept \($0.kept) of \($0.acknowledged)" } ?? "")
    }
}
