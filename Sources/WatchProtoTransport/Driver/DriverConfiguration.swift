package import WatchProtoCore

/// The settings of one driver.
package struct DriverConfiguration: Sendable {
    /// The peer's own settings.
    package var peer: PeerConfiguration
    /// The CPU for the driver's thread; nil leaves it to the system.
    package var pinnedCPU: Int?
    /// The bytes that one turn of the loop reads at most, before waiting senders get the lock.
    package var readBytesPerTurn = 1 << 18
    /// The bytes of the read buffer: the longest chunk or datagram.
    package var readBufferBytes = 1 << 16
    /// How long the driver's thread polls for an answer before it sleeps, if the last answers came
    /// about as quickly. It should be about the time in which a counterpart wakes and answers. Zero
    /// always sleeps at once. After each poll the thread yields its CPU (`sched_yield`).
    package var busyPollDuration = Duration.microseconds(150)

    /// The clock of all deadlines.
    package var clock: any DriverClock = HostClock.shared

    /// Starts from the product's defaults.
    package init(_ peer: PeerConfiguration) { self.peer = peer }
}
