package import WatchJournal
import WatchProto

/// A state of the disk that the journal did not recover from as it must.
public struct CrashFinding: Hashable, Sendable {
    /// The work that was under way.
    public var family: CrashFamily
    /// The seed of the run.
    public var seed: UInt64
    /// After how many calls of the disk the power went.
    public var callCount: Int
    /// What became of what was not synced.
    public var fate: DiskImage.Fate
    /// What is wrong.
    public var complaint: String

    /// All of it, as one line.
    public var description: String {
        "\(family.rawValue), seed \(seed), after \(callCount) calls, \(fate): \(complaint)"
    }
}

/// What a campaign did.
public struct CrashSummary: Sendable {
    /// States of the disk that were recovered from.
    public var states = 0
    /// Runs that were recorded.
    public var runs = 0
    /// Calls of the disk in them.
    public var calls = 0
    /// Transactions committed in them.
    public var commits = 0
    /// How often the log was folded into an image.
    public var folds = 0
    /// How often SQLite's log was copied into the file.
    public var checkpoints = 0
    /// What was found.
    public var findings: [CrashFinding] = []

    mutating func note(_ counters: JournalCounters) {
        commits += Int(counters.commits)
        folds += Int(counters.folds)
        checkpoints += Int(counters.checkpoints)
    }
}

/// Runs journals on a recorded disk, and recovers from every moment a crash could have come.
///
/// At each call the disk made, three things may have become of what no sync had covered: all of it
/// is there, none is, or any part. SIGKILL shows only the first.
public struct CrashCampaign {
    /// The work that is crashed.
    public var family: CrashFamily
    /// How many states to recover from; the run under way is finished.
    public var states: Int
    /// The first run's seed; each run has the next.
    public var seed: UInt64
    /// Where the files go: best a file system in memory, since it is not their speed that is tried.
    public var directory: String
    /// Bugs planted in the journal, for tests of the campaign.
    package var canaries: Set<JournalCanary> = []
    /// Torn states tried at each call.
    public var tornStates = 2
    /// The campaign ends after this many findings.
    public var findingLimit = 5

    /// Makes the campaign.
    public init(family: CrashFamily, states: Int, seed: UInt64, directory: String) {
        self.family = family
        self.states = states
        self.seed = seed
        self.directory = directory
    }

    /// Runs it.
    ///
    /// - Parameter progress: hears how many states are done, now and then.
    /// - Throws: ``CrashFailure`` or another error when the campaign itself could not work.
    public func run(progress: (Int) -> Void = { _ in }) throws -> CrashSummary {
        let scratch = try ScratchDirectory(in: directory)
        let inner = try ScratchDirectory(in: directory)
        var summary = CrashSummary()
        var next = seed
        while summary.states < states, summary.findings.count < findingLimit {
            let recorder = CrashRecorder(family: family, seed: next, canaries: canaries)
            let recording = try recorder.record(in: scratch)
            summary.runs += 1
            summary.calls += recording.calls.count
            summary.note(recording.counters)
            try recover(recording, next, in: scratch, inner, &summary)
            progress(summary.states)
            next += 1
        }
        return summary
    }

    private func recover(
        _ recording: CrashRecording, _ seed: UInt64, in scratch: ScratchDirectory,
        _ inner: ScratchDirectory, _ summary: inout CrashSummary
    ) throws {
        var disk = DiskImage(holding: recording.base)
        var generator = SeededGenerator(seed: seed)
        let verifier = CrashVerifier(recording: recording, family: family)
        for count in 0...recording.calls.count {
            if count > 0 { disk.apply(recording.calls[count - 1]) }
            for fate in fates(disk, &generator) {
                try scratch.hold(disk.files(after: fate))
                let promised = recording.promised(at: count)
                let complaint =
                    if family == .recover {
                        try crashAgain(
                            scratch, inner, verifier, promised, generator.next(), &summary)
                    } else {
                        verifier.complaint(in: scratch, promised: promised)
                    }
                summary.states += 1
                guard let complaint else { continue }
                summary.findings.append(
                    CrashFinding(
                        family: family, seed: seed, callCount: count, fate: fate,
                        complaint: complaint))
                if summary.findings.count >= findingLimit { return }
            }
        }
    }

    private func fates(
        _ disk: DiskImage, _ generator: inout SeededGenerator
    ) -> [DiskImage.Fate] {
        guard disk.hasUnsynced else { return [.keepAll] }
        return [.keepAll, .dropUnsynced]
            + (0..<tornStates).map { _ in .tear(seed: generator.next()) }
    }

    /// Recovers on a recorded disk, and from one moment of that recovery again.
    private func crashAgain(
        _ scratch: ScratchDirectory, _ inner: ScratchDirectory, _ verifier: CrashVerifier,
        _ promised: Int, _ seed: UInt64, _ summary: inout CrashSummary
    ) throws -> String? {
        let before = try scratch.contents().filter { !$0.name.hasSuffix("-lock") }
        let recorded = RecordedDisk()
        var options = CrashRecorder.options(family, storeVersion: 1)
        options.fileSystem = recorded.name
        do throws(JournalError) {
            let file = try JournalFile(
                path: scratch.file(CrashRecorder.fileName), options: options)
            file.abandon()
        } catch {
            return "it does not open: \(error.detail)"
        }
        let calls = recorded.calls
        var generator = SeededGenerator(seed: seed)
        var disk = DiskImage(holding: before)
        let count = Int(generator.uniform(in: 0...UInt64(calls.count)))
        for call in calls.prefix(count) { disk.apply(call) }
        let choices = fates(disk, &generator)
        let fate = choices[Int(generator.uniform(in: 0...UInt64(choices.count - 1)))]
        try inner.hold(disk.files(after: fate))
        summary.calls += calls.count
        return verifier.complaint(in: inner, promised: promised)
            .map { "after \(count) calls of the recovery, \(fate): \($0)" }
    }
}
