/// Bugs that are planted in the rooms of a peer, so that the checkers of the simulation can show
/// that they catch them; for tests only.
public struct PeerMutants: Hashable, Sendable {
    /// Bugs of tickets and verdicts.
    public var identity = IdentityMutants()
    /// Bugs of ordered channels.
    public var ordered: OrderedMutants = []
    /// Bugs of latest-value channels.
    public var latest: LatestMutants = []
    /// A bug of the connection.
    public var connection: ConnectionMutant?

    /// Plants nothing.
    public init() {}
}
