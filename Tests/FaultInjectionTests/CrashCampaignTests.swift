import Glibc
import Testing
import WatchProtoJournal

@testable import FaultInjection

/// A short campaign of each family.
@Suite(.timeLimit(.minutes(5)))
struct CrashCampaignTests {
    /// A file system in memory, where there is one: it is not the disk's speed that is tried.
    static let directory = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

    @Test(
        "nothing acknowledged is lost, and the store agrees with the journal",
        arguments: CrashFamily.allCases)
    func families(_ family: CrashFamily) throws {
        let campaign = CrashCampaign(
            family: family, states: 100, seed: 1, directory: Self.directory)
        let summary = try campaign.run()
        #expect(summary.findings.map(\.description) == [])
        #expect(summary.states >= 100)
        #expect(summary.recoveries > 0)
        #expect(summary.calls > 0)
        // The events that the family is named after did happen.
        switch family {
        case .fold: #expect(summary.folds > 0)
        case .checkpoint: #expect(summary.checkpoints > 0)
        case .recover: #expect(summary.folds > 0 && summary.checkpoints > 0)
        case .make, .migrate, .reseal: break
        case .seal: #expect(summary.folds > 0 && summary.checkpoints > 0)
        default: #expect(summary.commits > 0)
        }
    }

    /// The other families' calls fail in `rig lab crash faults` alone: each of these takes seconds.
    @Test(
        "whatever call of the disk fails, nothing acknowledged is lost",
        arguments: [CrashFamily.receive, .checkpoint, .forget, .upgrade])
    func faults(_ family: CrashFamily) throws {
        let campaign = FaultCampaign(family: family, seed: 1, directory: Self.directory)
        let summary = try campaign.run()
        #expect(summary.findings.map(\.description) == [])
        #expect(summary.faults > 0)
        #expect(summary.stopped > 0)
        #expect(summary.reopened > 0)
        #expect(summary.states > summary.faults)
    }

    @Test("the same seed gives the same calls", arguments: CrashFamily.allCases)
    func determinism(_ family: CrashFamily) throws {
        let scratch = try ScratchDirectory(in: Self.directory)
        let first = try CrashRecorder(family: family, seed: 3).record(in: scratch).calls
        for _ in 0..<2 {
            let again = try CrashRecorder(family: family, seed: 3).record(in: scratch).calls
            #expect(first.map(\.kind) == again.map(\.kind))
            #expect(first.map(\.bytes.count) == again.map(\.bytes.count))
        }
    }

    /// Also what was put off is tried again as often.
    @Test(arguments: ["full:any:60:forever", "full:any:90", "io:any:75"])
    func determinism_of_faults(_ fault: String) throws {
        let scratch = try ScratchDirectory(in: Self.directory)
        let recorder = CrashRecorder(family: .recover, seed: 1, fault: DiskFault(fault))
        let first = try recorder.record(in: scratch)
        #expect(first.faultsMet > 0)
        for _ in 0..<2 {
            let again = try recorder.record(in: scratch)
            #expect(first.calls.map(\.description) == again.calls.map(\.description))
            #expect((first.failure == nil) == (again.failure == nil))
            #expect(first.faultsMet == again.faultsMet)
        }
    }
}
