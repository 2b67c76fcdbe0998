/// The promise that a carrier of messages makes for an accepted message, and how much of it was
/// kept when the carrier's process was ended by SIGKILL.
package struct DeliveryPromise: Hashable, Sendable, CustomStringConvertible {
    /// How many messages that had been acknowledged were kept.
    package struct Killed: Hashable, Sendable {
        /// How many had been acknowledged.
        package var acknowledged: Int
        /// How many of them came to the receiver after a new start.
        package var kept: Int

        /// Makes it.
        package init(acknowledged: Int, kept: Int) {
            self.acknowledged = acknowledged
            self.kept = kept
        }
    }

    /// The promise: `at least once`.
    package var guarantee: String
    /// The rest of it; nil where nothing is acknowledged, or nobody was killed.
    package var killed: Killed?

    /// Makes it.
    package init(_ guarantee: String, killed: Killed? = nil) {
        self.guarantee = guarantee
        self.killed = killed
    }

    /// `at least once; kept 0 of 200`.
    package var description: String {
        guarantee + (killed.map { "; kept \($0.kept) of \($0.acknowledged)" } ?? "")
    }
}
