internal import WatchJournal
import WatchProto

/// The recovery from a crash, and from a crash of that recovery.
struct CrashRecovery {
    let verifier: CrashVerifier
    let scratch: ScratchDirectory

    /// Opens the journal where these are the files; gives what it asked of the disk, too.
    func run(
        from files: [DiskImage.NamedFile]
    ) throws -> (outcome: CrashVerifier.Outcome, calls: [DiskCall]) {
        try scratch.hold(files)
        let disk = RecordedDisk()
        let outcome = verifier.outcome(in: scratch, on: disk)
        return (outcome, disk.calls)
    }

    /// Crashes the recovery that made these calls at one of its moments, and recovers once more.
    func crash(
        _ calls: [DiskCall], from files: [DiskImage.NamedFile], seed: UInt64
    ) throws -> (CrashPoint, CrashVerifier.Outcome) {
        var generator = SeededGenerator(seed: seed)
        let count = Int(generator.uniform(in: 0...UInt64(calls.count)))
        let disk = Self.disk(calls.prefix(count), on: files)
        let fates = CrashStates.fates(disk, 2, &generator)
        let fate = fates[Int(generator.uniform(in: 0...UInt64(fates.count - 1)))]
        try scratch.hold(disk.files(after: fate))
        return (CrashPoint(count, fate), verifier.outcome(in: scratch))
    }

    /// A disk that held `files`, and was asked this.
    static func disk(
        _ calls: some Sequence<DiskCall>, on files: [DiskImage.NamedFile]
    ) -> DiskImage {
        var disk = DiskImage(holding: files)
        for call in calls { disk.apply(call) }
        return disk
    }
}
