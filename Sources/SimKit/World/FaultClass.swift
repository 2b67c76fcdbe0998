/// The kinds of trouble a world can make. Each is switched off in half of the seeds, so that faults
/// which hide one another also meet alone.
public enum FaultClass: String, Hashable, Sendable, CaseIterable {
    // The link, per direction.
    case loss, bursts, duplication, reordering, jitter, clogs, capacity, stalls
    case corruption, truncation, chunking
    // The link, scheduled.
    case partitions, blackouts, cuts, deadDirection
    // The process and its clocks.
    case crashes, pauses, clockJumps, lateTimers
    // The disk.
    case slowDisk, unreceiptedCommits
}
