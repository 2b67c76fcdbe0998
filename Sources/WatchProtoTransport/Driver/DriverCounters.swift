/// What a driver did, by cause: the raw figures of a battery ledger. They only grow.
package struct DriverCounters: Hashable, Sendable {
    /// Times the driver's thread had something to do after it had waited, whatever the reason.
    package var wakeUps: UInt64 = 0
    /// Of those, without having slept: see ``DriverConfiguration/busyPollDuration``.
    package var busyPollWakeUps: UInt64 = 0
    /// Of those, because bytes had arrived or the link had ended.
    package var carrierWakeUps: UInt64 = 0
    /// Of those, because a deadline had come.
    package var deadlineWakeUps: UInt64 = 0
    /// Of those, because another thread asked (an earlier deadline, a full carrier, a close).
    package var requestedWakeUps: UInt64 = 0
    /// Of those, because somebody knocked or a counterpart appeared.
    package var signWakeUps: UInt64 = 0
    /// Reads that brought bytes.
    package var reads: UInt64 = 0
    /// Bytes they brought.
    package var bytesRead: UInt64 = 0
    /// Writes that took bytes: one radio transmission each on a carrier that has a radio.
    package var writes: UInt64 = 0
    /// Bytes they took.
    package var bytesWritten: UInt64 = 0
    /// Writes that took less than offered.
    package var partialWrites: UInt64 = 0
    /// Links opened.
    package var linksOpened: UInt64 = 0
    /// Attempts to open a link that failed.
    package var linkFailures: UInt64 = 0
    /// Newcomers turned away because a link was open.
    package var refusedConnections: UInt64 = 0
    /// Datagrams thrown away because they came from a stranger.
    package var strangers: UInt64 = 0
    /// Datagrams thrown away because they belonged to an earlier link.
    package var staleDatagrams: UInt64 = 0
    /// Datagrams thrown away because they were too large.
    package var oversizedDatagrams: UInt64 = 0
    /// Batches of journal entries handed over.
    package var journalBatches: UInt64 = 0

    /// All zero.
    package init() {}
}
