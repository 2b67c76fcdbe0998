import WatchProtoCore
package import WatchProtoJournal

/// Runs journals on a recorded disk, and recovers from every moment a crash could have come.
///
/// At each call the disk made, three things may have become of what no sync had covered: all of it
/// is there, none is, or any part. SIGKILL shows only the first. A part of the campaign is a run.
package struct CrashCampaign: CrashPlan {
    /// The work that is crashed.
    package var family: CrashFamily
    /// How many states to recover from; the run under way is finished.
    package var states: Int
    /// The first run's seed; each run has the next.
    package var seed: UInt64
    /// Where the files go: best a file system in memory, since it is not their speed that is tried.
    package var directory: String
    /// Bugs planted in the journal, for tests of the campaign.
    package var mutants: Set<JournalMutant> = []
    /// A call that the disk only seemed to make, for tests of the campaign.
    package var lie: DiskLie?
    /// Torn states tried at each call.
    package var tornStates = 2
    /// The campaign ends after this many findings.
    package var findingLimit = 5

    /// Makes the campaign.
    package init(family: CrashFamily, states: Int, seed: UInt64, directory: String) {
        self.family = family
        self.states = states
        self.seed = seed
        self.directory = directory
    }

    /// Whether there were as many states as were asked for.
    package func isDone(_ progress: CrashProgress) -> Bool { progress.statesBefore >= states }

    /// Does the next run, or only counts its states.
    ///
    /// - Throws: what `willGoOn` does; ``CrashFailure`` or another error when it could not be made.
    package func step(
        _ progress: inout CrashProgress, isOurs: Bool, willGoOn: (CrashSummary) throws -> Void
    ) throws {
        let seed = seed &+ UInt64(progress.next)
        let scratch = try ScratchDirectory(in: directory)
        var recorder = CrashRecorder(family: family, seed: seed, mutants: mutants)
        recorder.lie = lie
        let recording = try recorder.record(in: scratch)
        let states = CrashStates(recording: recording, seed: seed, tornStates: tornStates)
        var summary = progress.summary
        if isOurs {
            summary.note(recording)
            try recover(states, in: scratch, &summary, willGoOn)
        } else {
            try willGoOn(summary)
        }
        progress.statesBefore += states.each { _ in true }
        progress.next += 1
        progress.summary = summary
    }

    private func recover(
        _ states: CrashStates, in scratch: ScratchDirectory, _ summary: inout CrashSummary,
        _ willGoOn: (CrashSummary) throws -> Void
    ) throws {
        let recovery = CrashRecovery(
            verifier: CrashVerifier(recording: states.recording, family: family),
            scratch: scratch)
        var outcomes: [CrashVerifier.Outcome] = []
        try states.each { state in
            let promise = states.recording.promise(at: state.point.callCount)
            var second: [(CrashPoint, CrashVerifier.Outcome)] = []
            if state.isNew {
                try willGoOn(summary)
                summary.states += 1
                let (outcome, calls) = try recovery.run(from: state.files)
                outcomes.append(outcome)
                summary.calls += calls.count
                let seed = states.seed ^ UInt64(state.number) << 32
                if case .holds = outcome, family.crashesEverywhere(state.number) {
                    try recovery.crashEverywhere(calls, from: state.files, seed: seed) {
                        second.append(($0, $1))
                        return $1.complaint(promise) == nil
                    }
                } else if case .holds = outcome, family.crashesAgain(state.number) {
                    second = [try recovery.crash(calls, from: state.files, seed: seed)]
                }
                summary.recoveries += second.count
            } else if case .fault = outcomes[state.number] {
                // It was found where it came up first.
                return true
            }
            func note(_ points: [CrashPoint], _ outcome: CrashVerifier.Outcome) {
                guard let complaint = outcome.complaint(promise) else { return }
                summary.findings.append(
                    CrashFinding(
                        family: family, seed: states.seed, place: CrashPlace(points),
                        complaint: complaint))
            }
            note([state.point], outcomes[state.number])
            for (point, outcome) in second { note([state.point, point], outcome) }
            return summary.findings.count < findingLimit
        }
    }
}

/// A call that a disk answered and did not make, for tests of the campaign.
package enum DiskLie: Hashable, Sendable {
    /// The n-th sync, from 0, made nothing durable.
    case skipsSync(Int)
    /// The n-th write, from 0, went nowhere.
    case losesWrite(Int)

    /// The call's place among `calls`; nil when there are not so many.
    package func place(in calls: [DiskCall]) -> Int? {
        let (kind, number): (DiskCall.Kind, Int) =
            switch self {
            case .skipsSync(let number): (.sync, number)
            case .losesWrite(let number): (.write, number)
            }
        return calls.indices.filter { calls[$0].kind == kind }.dropFirst(number).first
    }
}

extension CrashFamily {
    /// Whether the recovery from the state of this number is crashed as well: every one in the
    /// family that is about it, every fourth in the others.
    func crashesAgain(_ number: Int) -> Bool { self == .recover || number % 4 == 3 }

    /// Whether it is so at every one of its calls, and not at one of them: of some states.
    func crashesEverywhere(_ number: Int) -> Bool {
        number % (self == .recover ? 32 : 128) == 5
    }
}
