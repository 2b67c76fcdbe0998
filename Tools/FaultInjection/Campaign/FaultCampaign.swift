import WatchProtoCore
package import WatchProtoJournal

/// Lets each call that a journal makes of the disk fail: once, and from then on; with an I/O error,
/// and for want of space. A journal that stops is restored in the same run, as a driver does, and
/// goes on where the disk lets it. Afterwards the disk is whole again, the journal is opened, and
/// everything that was acknowledged must be there; and so it must be when the power went meanwhile,
/// at some moment after the call that failed and at the end.
///
/// A part of the campaign is a run in which each call fails in one of these ways, in turn.
package struct FaultCampaign: CrashPlan {
    /// The work under which calls fail.
    package var family: CrashFamily
    /// The first run's seed; each run has the next.
    package var seed: UInt64
    /// In how many runs.
    package var runs: Int
    /// Where the files go.
    package var directory: String
    /// The campaign ends after this many findings.
    package var findingLimit = 5
    /// Bugs planted in the journal, for tests of the campaign.
    package var mutants: Set<JournalMutant> = []

    private static let ways: [(failure: DiskFault.Failure, isForever: Bool)] =
        DiskFault.Failure.allCases.flatMap { failure in [(failure, false), (failure, true)] }

    /// Makes the campaign.
    package init(family: CrashFamily, runs: Int = 1, seed: UInt64, directory: String) {
        self.family = family
        self.runs = runs
        self.seed = seed
        self.directory = directory
    }

    /// Whether all calls of all runs have failed.
    package func isDone(_ progress: CrashProgress) -> Bool {
        progress.next >= runs * Self.ways.count
    }

    /// Lets each call of the next run fail in the next way.
    ///
    /// - Throws: what `willGoOn` does; ``CrashFailure`` or another error when it could not be made.
    package func step(
        _ progress: inout CrashProgress, isOurs: Bool, willGoOn: (CrashSummary) throws -> Void
    ) throws {
        var summary = progress.summary
        try willGoOn(summary)
        if isOurs {
            let scratch = try ScratchDirectory(in: directory)
            let way = Self.ways[progress.next % Self.ways.count]
            if progress.next % Self.ways.count == 0 { summary.runs += 1 }
            var fault = DiskFault(after: 0, failure: way.failure, isForever: way.isForever)
            let seed = seed &+ UInt64(progress.next / Self.ways.count)
            // Until it lies behind the last call.
            while summary.findings.count < findingLimit,
                try bear(fault, seed, in: scratch, &summary)
            {
                try willGoOn(summary)
                fault.passes += 1
            }
        }
        progress.next += 1
        progress.summary = summary
    }

    private func bear(
        _ fault: DiskFault, _ seed: UInt64, in scratch: ScratchDirectory,
        _ summary: inout CrashSummary
    ) throws -> Bool {
        let recorder = CrashRecorder(family: family, seed: seed, mutants: mutants, fault: fault)
        let recording = try recorder.record(in: scratch)
        guard recording.faultsMet > 0 else { return false }
        summary.faults += 1
        if recording.failure != nil { summary.stopped += 1 }
        if recording.reopenedAt != nil { summary.reopened += 1 }
        let verifier = CrashVerifier(recording: recording, family: family)
        func note(_ points: [CrashPoint], _ outcome: CrashVerifier.Outcome) -> Bool {
            let count = points.first?.callCount ?? recording.calls.count
            let promise = recording.promise(at: count)
            guard let complaint = outcome.complaint(promise) else { return true }
            summary.findings.append(
                CrashFinding(
                    family: family, seed: seed, place: CrashPlace(fault: fault, points),
                    complaint: complaint))
            return false
        }
        guard note([], verifier.outcome(in: scratch)) else { return true }
        let recovery = CrashRecovery(verifier: verifier, scratch: scratch)
        for state in later(recording, fault, seed) {
            summary.states += 1
            guard note([state.point], try recovery.run(from: state.files).outcome) else { break }
        }
        return true
    }

    /// The states that a loss of power leaves at the end, and at one moment after the failed call.
    private func later(
        _ recording: CrashRecording, _ fault: DiskFault, _ seed: UInt64
    ) -> [CrashStates.State] {
        let end = recording.calls.count
        var generator = SeededGenerator(seed: seed ^ UInt64(fault.passes) << 32)
        let between = Int(
            generator.uniform(in: UInt64(min(fault.passes, end))...UInt64(end)))
        var states: [CrashStates.State] = []
        for count in Set([between, end]).sorted() {
            let disk = CrashRecovery.disk(recording.calls.prefix(count), on: recording.base)
            for fate in CrashStates.fates(disk, 2, &generator) {
                let files = disk.files(after: fate)
                guard !states.contains(where: { CrashStates.areEqual($0.files, files) })
                else { continue }
                states.append(
                    CrashStates.State(
                        point: CrashPoint(count, fate), files: files, number: states.count,
                        isNew: true))
            }
        }
        return states
    }
}
