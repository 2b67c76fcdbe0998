/// The kinds of trouble a world can make. Each is switched off in half of the seeds, so that faults
/// which hide one another also meet alone.
package enum FaultClass: String, Hashable, Sendable, CaseIterable {
    // The link, per direction.
    /// Packets are lost, each for itself.
    case loss
    /// Losses come several packets in a row.
    case bursts
    /// Packets arrive twice.
    case duplication
    /// Packets are delayed so that later ones pass them.
    case reordering
    /// The delay varies from packet to packet.
    case jitter
    /// The link holds everything back for a while.
    case clogs
    /// The queue before the link is short, in packets and in bytes.
    case capacity
    /// The sender misses occasions to send.
    case stalls
    /// Bits are flipped.
    case corruption
    /// Packets are cut short.
    case truncation
    /// A stream hands over its bytes in pieces other than those written.
    case chunking
    // The link, scheduled.
    /// Nothing leaves one side for a while.
    case partitions
    /// Nothing leaves either side for a while.
    case blackouts
    /// The carrier breaks.
    case cuts
    /// Packets that were sent before, in this session or an earlier one, arrive again; only where
    /// sessions are sealed.
    case replays
    /// A message 1 of an earlier handshake arrives again; only where sessions are sealed.
    case oldMessages1
    /// Somebody says that a session is unknown; only on a lossy carrier.
    case forgedResets
    /// Somebody connects to the side that listens; only on a connected carrier.
    case newcomers
    /// The address of a side changes on the way; only on a lossy carrier.
    case translations
    /// From some moment on nothing gets through in one direction, for good.
    case deadDirection
    // The process and its clocks.
    /// A process dies and starts again later.
    case crashes
    /// A process stands still for a while.
    case pauses
    /// A wall clock is set forward or back.
    case clockJumps
    /// Timers fire after their time.
    case lateTimers
    // The disk.
    /// Commits take long.
    case slowDisk
    /// A crash comes between a commit and its receipt.
    case unreceiptedCommits
    /// A process dies before, inside or after a call to its journal.
    case storageCrashes
    /// A process dies while it recovers.
    case recoveryCrashes
    /// Commits fail: one, or all from then on.
    case diskErrors
    /// A disk is full for a while.
    case fullDisk
    /// A disk is emptied.
    case wipes
    /// A disk is replaced by an older copy of it.
    case restores

    /// Whether it is drawn apart from the others, so that what a seed means otherwise stays.
    package var isDrawnApart: Bool { self == .replays || isOfAttackers }

    /// Whether somebody on the way does it.
    package var isOfAttackers: Bool {
        switch self {
        case .oldMessages1, .forgedResets, .newcomers, .translations: true
        default: false
        }
    }
}
