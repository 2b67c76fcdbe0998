/// Counts the work of a driver by cause: the raw figures of a battery estimate. Counters only grow.
package struct DriverCounters: Hashable, Sendable {
    /// Times the driver's thread had work after it had waited, for any cause.
    package var wakeUps: UInt64 = 0
    /// Wake-ups without a sleep: see ``DriverConfiguration/busyPollDuration``.
    package var busyPollWakeUps: UInt64 = 0
    /// Wake-ups because bytes had arrived or the link had ended.
    package var carrierWakeUps: UInt64 = 0
    /// Wake-ups because a deadline had come.
    package var deadlineWakeUps: UInt64 = 0
    /// Wake-ups that another thread requested (an earlier deadline, a full carrier, a close).
    package var requestedWakeUps: UInt64 = 0
    /// Wake-ups because a connection was pending or a counterpart appeared.
    package var signWakeUps: UInt64 = 0
    /// Reads that returned bytes.
    package var reads: UInt64 = 0
    /// Bytes that reads returned.
    package var bytesRead: UInt64 = 0
    /// Writes that took bytes. On a carrier with a radio, each is one transmission.
    package var writes: UInt64 = 0
    /// Bytes that writes took.
    package var bytesWritten: UInt64 = 0
    /// Writes that took fewer bytes than offered.
    package var partialWrites: UInt64 = 0
    /// Links opened.
    package var linksOpened: UInt64 = 0
    /// Attempts to open a link that failed.
    package var linkFailures: UInt64 = 0
    /// Connections that were turned away.
    package var refusedConnections: UInt64 = 0
    /// Datagrams dropped because their sender was unknown.
    package var unknownSenders: UInt64 = 0
    /// Datagrams dropped because they belonged to an earlier link.
    package var staleDatagrams: UInt64 = 0
    /// Datagrams dropped because they were too large.
    package var oversizedDatagrams: UInt64 = 0
    /// Batches of journal entries handed over.
    package var journalBatches: UInt64 = 0

    /// All zero.
    package init() {}
}
