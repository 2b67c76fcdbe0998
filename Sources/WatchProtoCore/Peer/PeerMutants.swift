/// Bugs that are planted in the rooms of a peer, so that the checkers of the simulation can show
/// that they catch them; for tests only.
package struct PeerMutants: Hashable, Sendable {
    /// Bugs of tickets and verdicts.
    package var identity = IdentityMutants()
    /// Bugs of ordered channels.
    package var ordered: OrderedMutants = []
    /// Bugs of latest-value channels.
    package var latest: LatestMutants = []
    /// A bug of the connection.
    package var connection: ConnectionMutant?

    /// Plants nothing.
    package init() {}
}
