internal import WatchProtoJournal

/// Something that the journal did not bear as it must.
package struct CrashFinding: Hashable, Sendable {
    /// The work that was under way.
    package var family: CrashFamily
    /// The seed of the run.
    package var seed: UInt64
    /// The events planted in the run.
    package var place: CrashPlace
    /// The fault found.
    package var complaint: String

    /// Makes the finding.
    package init(family: CrashFamily, seed: UInt64, place: CrashPlace, complaint: String) {
        self.family = family
        self.seed = seed
        self.place = place
        self.complaint = complaint
    }

    /// All of it, as one line.
    package var description: String {
        "\(family.rawValue), seed \(seed), at \(place): \(complaint)"
    }

    /// The command that shows it again.
    package var replayCommand: String {
        "rig lab crash \(place.fault == nil ? "states" : "faults") --family \(family.rawValue) "
            + "--seed \(seed) --at \(place)"
    }
}

/// The figures and findings of a campaign, or of a share of it.
package struct CrashSummary: Hashable, Sendable {
    /// Runs that were crashed, or whose calls failed.
    package var runs = 0
    /// Calls of the disk in them, and in the recoveries.
    package var calls = 0
    /// Transactions committed in them.
    package var commits = 0
    /// How often the log was folded into an image.
    package var folds = 0
    /// How often SQLite's log was copied into the file.
    package var checkpoints = 0
    /// States of the disk that were recovered from.
    package var states = 0
    /// States that a crash while recovering from one of those left, recovered from as well.
    package var recoveries = 0
    /// Runs with a fault in them.
    package var faults = 0
    /// Those in which the journal refused to open, or stopped; in the others the fault was in
    /// tidying, which was put off.
    package var stopped = 0
    /// Those in which the journal was opened again, and went on.
    package var reopened = 0
    /// The findings, by seed.
    package var findings: [CrashFinding] = []

    /// A summary of nothing.
    package init() {}

    /// The figures by name, to be stored.
    package static var figures: [(name: String, path: WritableKeyPath<CrashSummary, Int>)] {
        [
            ("runs", \.runs), ("calls", \.calls), ("commits", \.commits), ("folds", \.folds),
            ("checkpoints", \.checkpoints), ("states", \.states), ("recoveries", \.recoveries),
            ("faults", \.faults), ("stopped", \.stopped), ("reopened", \.reopened),
        ]
    }

    /// Adds what another share of the same campaign did.
    package mutating func add(_ other: CrashSummary) {
        for (_, path) in Self.figures { self[keyPath: path] += other[keyPath: path] }
        findings += other.findings
        // Equal seeds keep their order.
        findings = findings.enumerated()
            .sorted { ($0.element.seed, $0.offset) < ($1.element.seed, $1.offset) }
            .map(\.element)
    }

    mutating func note(_ recording: CrashRecording) {
        runs += 1
        calls += recording.calls.count
        commits += Int(recording.counters.commits)
        folds += Int(recording.counters.folds)
        checkpoints += Int(recording.counters.checkpoints)
    }
}

/// How far a campaign, or a share of it, has come: all that a later process needs to go on.
package struct CrashProgress: Hashable, Sendable {
    /// The first part that has not been looked at yet.
    package var next = 0
    /// The states of all parts before it, this share's and others'.
    package var statesBefore = 0
    /// The figures and findings of the share.
    package var summary = CrashSummary()

    /// Nothing done yet.
    package init() {}
}

/// A campaign of one family, in parts that do not depend on each other: the same in every process,
/// so that processes can share them.
package protocol CrashPlan: Sendable {
    /// The work that is brought to grief.
    var family: CrashFamily { get }
    /// The first run's seed; each run has the next.
    var seed: UInt64 { get }
    /// Where the files go: best a file system in memory, since it is not their speed that is tried.
    var directory: String { get }
    /// The campaign ends after this many findings.
    var findingLimit: Int { get }

    /// Whether all parts have been looked at.
    func isDone(_ progress: CrashProgress) -> Bool

    /// Does the next part, or only counts it where another share does it. An error of `willGoOn`
    /// ends the step, and leaves the progress as it was.
    ///
    /// - Throws: ``CrashFailure`` or another error when the campaign itself could not work.
    func step(
        _ progress: inout CrashProgress, isOurs: Bool, willGoOn: (CrashSummary) throws -> Void
    ) throws
}

extension CrashPlan {
    /// Does all of it in one go.
    ///
    /// - Throws: ``CrashFailure`` or another error when the campaign itself could not work.
    package func run() throws -> CrashSummary {
        var progress = CrashProgress()
        while !isDone(progress), progress.summary.findings.count < findingLimit {
            try step(&progress, isOurs: true) { _ in }
        }
        return progress.summary
    }

    /// A hash of the first run's calls of the disk. A build whose journals work otherwise, or
    /// another SQLite, gives another hash.
    ///
    /// - Throws: ``CrashFailure`` or another error when the run could not be made.
    package func course() throws -> UInt64 {
        let scratch = try ScratchDirectory(in: directory)
        let recording = try CrashRecorder(family: family, seed: seed).record(in: scratch)
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for call in recording.calls {
            for word in [Int(call.kind.rawValue), call.offset, call.bytes.count] {
                hash = (hash ^ UInt64(truncatingIfNeeded: word)) &* 0x100_0000_01B3
            }
        }
        return hash
    }
}
