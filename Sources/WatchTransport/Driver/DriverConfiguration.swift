public import WatchProto

/// How one driver is set up.
public struct DriverConfiguration: Sendable {
    /// The peer's own settings.
    public var peer: PeerConfiguration
    /// The CPU the driver's thread is pinned to; nil leaves it to the system.
    public var pinnedCPU: Int?
    /// Bytes one turn of the loop reads at most before it lets waiting senders in.
    public var readBytesPerTurn = 1 << 18
    /// Bytes of the buffer every read goes into: the longest chunk or datagram.
    public var readBufferBytes = 1 << 16
    /// How long the driver's thread looks for an answer before it sleeps, where the last ones came
    /// about as fast: about what a counterpart takes to wake and answer. Zero always sleeps at
    /// once. After each look the CPU is offered to other threads (`sched_yield`).
    public var busyPollDuration = Duration.microseconds(150)

    /// Starts from the product's defaults.
    public init(_ peer: PeerConfiguration) { self.peer = peer }
}
