/// What a driver did, by cause: the raw figures of a battery ledger. They only grow.
public struct DriverCounters: Hashable, Sendable {
    /// Times the driver's thread had something to do after it had waited, whatever the reason.
    public var wakeUps: UInt64 = 0
    /// Of those, without having slept: see ``DriverConfiguration/busyPollDuration``.
    public var busyPollWakeUps: UInt64 = 0
    /// Of those, because bytes had arrived or the link had ended.
    public var carrierWakeUps: UInt64 = 0
    /// Of those, because a deadline had come.
    public var deadlineWakeUps: UInt64 = 0
    /// Of those, because another thread asked (an earlier deadline, a full carrier, a close).
    public var requestedWakeUps: UInt64 = 0
    /// Of those, because somebody knocked or a counterpart appeared.
    public var signWakeUps: UInt64 = 0
    /// Reads that brought bytes.
    public var reads: UInt64 = 0
    /// Bytes they brought.
    public var bytesRead: UInt64 = 0
    /// Writes that took bytes: one radio transmission each on a carrier that has a radio.
    public var writes: UInt64 = 0
    /// Bytes they took.
    public var bytesWritten: UInt64 = 0
    /// Writes that took less than offered.
    public var partialWrites: UInt64 = 0
    /// Links opened.
    public var linksOpened: UInt64 = 0
    /// Attempts to open a link that failed.
    public var linkFailures: UInt64 = 0
    /// Newcomers turned away because a link was open.
    public var refusedConnections: UInt64 = 0
    /// Datagrams thrown away because they came from a stranger.
    public var strangers: UInt64 = 0
    /// Datagrams thrown away because they belonged to an earlier link.
    public var staleDatagrams: UInt64 = 0
    /// Datagrams thrown away because they were too large.
    public var oversizedDatagrams: UInt64 = 0
    /// Batches of journal entries handed over.
    public var journalBatches: UInt64 = 0

    /// All zero.
    public init() {}
}
