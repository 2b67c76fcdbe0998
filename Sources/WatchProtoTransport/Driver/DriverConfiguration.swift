package import WatchProtoCore

/// How one driver is set up.
package struct DriverConfiguration: Sendable {
    /// The peer's own settings.
    package var peer: PeerConfiguration
    /// The CPU the driver's thread is pinned to; nil leaves it to the system.
    package var pinnedCPU: Int?
    /// Bytes one turn of the loop reads at most before it lets waiting senders in.
    package var readBytesPerTurn = 1 << 18
    /// Bytes of the buffer every read goes into: the longest chunk or datagram.
    package var readBufferBytes = 1 << 16
    /// How long the driver's thread looks for an answer before it sleeps, where the last ones came
    /// about as fast: about what a counterpart takes to wake and answer. Zero always sleeps at
    /// once. After each look the CPU is offered to other threads (`sched_yield`).
    package var busyPollDuration = Duration.microseconds(150)

    /// The clock of every deadline.
    package var clock: any DriverClock = HostClock.shared

    /// Starts from the product's defaults.
    package init(_ peer: PeerConfiguration) { self.peer = peer }
}
