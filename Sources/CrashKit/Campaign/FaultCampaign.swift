package import WatchJournal
import WatchProto

/// A fault of the disk that the journal did not bear as it must.
public struct FaultFinding: Hashable, Sendable {
    /// The work that was under way.
    public var family: CrashFamily
    /// The seed of the run.
    public var seed: UInt64
    /// What failed, and when.
    public var fault: DiskFault
    /// What is wrong.
    public var complaint: String

    /// All of it, as one line.
    public var description: String {
        let length = fault.isForever ? "and all after it" : "once"
        return
            "\(family.rawValue), seed \(seed), call \(fault.passes + 1) fails (\(fault.failure)), "
            + "\(length): \(complaint)"
    }
}

/// What a campaign of faults did.
public struct FaultSummary: Sendable {
    /// Runs with a fault in them.
    public var runs = 0
    /// Runs in which the journal refused to open, or stopped.
    public var stopped = 0
    /// Runs in which it went on: the fault was in tidying, which was put off, or was never met.
    public var wentOn = 0
    /// What was found.
    public var findings: [FaultFinding] = []
}

/// Lets each call that a journal makes of the disk fail: once, and from then on; with an I/O error,
/// and for want of space. Afterwards the disk is whole again, the journal is opened, and everything
/// that was acknowledged must be there.
public struct FaultCampaign {
    /// The work under which calls fail.
    public var family: CrashFamily
    /// The run's seed.
    public var seed: UInt64
    /// Where the files go.
    public var directory: String
    /// The campaign ends after this many findings.
    public var findingLimit = 5
    /// Bugs planted in the journal, for tests of the campaign.
    package var canaries: Set<JournalCanary> = []

    /// Makes the campaign.
    public init(family: CrashFamily, seed: UInt64, directory: String) {
        self.family = family
        self.seed = seed
        self.directory = directory
    }

    /// Runs it: each call of the run in turn, four times.
    ///
    /// - Parameter progress: hears how many runs are done.
    /// - Throws: ``CrashFailure`` or another error when the campaign itself could not work.
    public func run(progress: (Int) -> Void = { _ in }) throws -> FaultSummary {
        let scratch = try ScratchDirectory(in: directory)
        var summary = FaultSummary()
        for failure in DiskFault.Failure.allCases {
            for isForever in [false, true] {
                var passes = 0
                // Until the fault lies behind the last call.
                while summary.findings.count < findingLimit {
                    let fault = DiskFault(after: passes, failure: failure, isForever: isForever)
                    let isMet = try bear(fault, in: scratch, &summary)
                    progress(summary.runs)
                    guard isMet else { break }
                    passes += 1
                }
            }
        }
        return summary
    }

    private func bear(
        _ fault: DiskFault, in scratch: ScratchDirectory, _ summary: inout FaultSummary
    ) throws -> Bool {
        let recorder = CrashRecorder(family: family, seed: seed, canaries: canaries, fault: fault)
        let recording = try recorder.record(in: scratch)
        guard recording.faultsMet > 0 else { return false }
        summary.runs += 1
        if recording.failure == nil { summary.wentOn += 1 } else { summary.stopped += 1 }
        let verifier = CrashVerifier(recording: recording, family: family)
        let promised = recording.acknowledgedAt.count
        if let complaint = verifier.complaint(in: scratch, promised: promised) {
            summary.findings.append(
                FaultFinding(family: family, seed: seed, fault: fault, complaint: complaint))
        }
        return true
    }
}
