import WatchProtoCore
import WatchProtoJournal

/// The recovery from a crash, and from a crash of that recovery.
struct CrashRecovery {
    let verifier: CrashVerifier
    let scratch: ScratchDirectory

    /// Opens the journal where these are the files; gives what it asked of the disk, too.
    func run(
        from files: [DiskImage.NamedFile]
    ) throws -> (outcome: CrashVerifier.Outcome, calls: [DiskCall]) {
        if let complaint = verifier.complaint(about: files) { return (.fault(complaint), []) }
        try scratch.hold(files)
        let disk = RecordedDisk()
        let outcome = verifier.outcome(in: scratch, on: disk)
        let calls = disk.calls
        if case .holds = outcome, let file = alone(files) {
            try scratch.hold([file])
            if let complaint = verifier.complaintAlone(in: scratch, whole: outcome) {
                return (.fault(complaint), calls)
            }
        }
        return (outcome, calls)
    }

    /// The file that somebody moves away from what stands beside it; nil where that is nothing.
    /// On a disk that was full it may say nothing of its log.
    private func alone(_ files: [DiskImage.NamedFile]) -> DiskImage.NamedFile? {
        guard files.count > 1, verifier.recording.fault?.failure != .full else { return nil }
        return files.first { $0.name == CrashRecorder.fileName }
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
        return (CrashPoint(count, fate), try outcome(from: disk.files(after: fate)))
    }

    /// Crashes it at every one of its moments, in every way; until `body` returns false.
    func crashEverywhere(
        _ calls: [DiskCall], from files: [DiskImage.NamedFile], seed: UInt64,
        _ body: (CrashPoint, CrashVerifier.Outcome) -> Bool
    ) throws {
        var generator = SeededGenerator(seed: seed)
        var disk = DiskImage(holding: files)
        for count in 0...calls.count {
            if count > 0 { disk.apply(calls[count - 1]) }
            for fate in CrashStates.fates(disk, 1, &generator) {
                let outcome = try outcome(from: disk.files(after: fate))
                guard body(CrashPoint(count, fate), outcome) else { return }
            }
        }
    }

    private func outcome(
        from files: [DiskImage.NamedFile]
    ) throws -> CrashVerifier.Outcome {
        if let complaint = verifier.complaint(about: files) { return .fault(complaint) }
        try scratch.hold(files)
        return verifier.outcome(in: scratch)
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
