import Testing
import WatchProtoJournal

@testable import FaultInjection

/// Shares of a campaign, and one that is gone on with by another process.
@Suite(.timeLimit(.minutes(3)))
struct ShareTests {
    private struct Interrupted: Error {}

    /// A bug shows which states were tried, and that each was tried once.
    private var states: CrashCampaign {
        var campaign = CrashCampaign(
            family: .make, states: 900, seed: 5, directory: CrashCampaignTests.directory)
        campaign.mutants = [.makesUnsynced]
        campaign.findingLimit = 10_000
        return campaign
    }

    private var faults: FaultCampaign {
        var campaign = FaultCampaign(
            family: .migrate, runs: 3, seed: 2, directory: CrashCampaignTests.directory)
        campaign.mutants = [.doesNotSync]
        campaign.findingLimit = 10_000
        return campaign
    }

    /// Does a share, as a process would: interrupted at some state of each part, and begun anew
    /// from what was kept.
    private func share(_ index: Int, of count: Int, _ plan: any CrashPlan) throws -> CrashProgress {
        var progress = CrashProgress()
        while !plan.isDone(progress) {
            let isOurs = progress.next % count == index
            let before = progress
            var asked = 0
            #expect(throws: Interrupted.self) {
                try plan.step(&progress, isOurs: isOurs) { _ in
                    asked += 1
                    if asked == 20 || !isOurs || plan is FaultCampaign { throw Interrupted() }
                }
            }
            #expect(progress == before)
            try plan.step(&progress, isOurs: isOurs) { _ in }
        }
        return progress
    }

    @Test(arguments: [true, false])
    func shares_together_do_what_one_process_does(isFaults: Bool) throws {
        let plan: any CrashPlan = isFaults ? faults : states
        let whole = try plan.run()
        #expect(whole.runs > 2 && !whole.findings.isEmpty)
        for count in [3] {
            let shares = try (0..<count).map { try share($0, of: count, plan) }
            var sum = CrashSummary()
            for share in shares { sum.add(share.summary) }
            for (name, path) in CrashSummary.figures {
                #expect(sum[keyPath: path] == whole[keyPath: path], "\(name)")
            }
            #expect(Set(sum.findings.map(\.place)) == Set(whole.findings.map(\.place)))
            #expect(sum.findings.map(\.place) == whole.findings.map(\.place) || isFaults)
            #expect(sum.findings.count == whole.findings.count)
            // Each knows how far all have come.
            #expect(Set(shares.map(\.statesBefore)).count == 1)
        }
    }

    @Test func a_place_is_read_as_it_is_written() throws {
        let texts = [
            "87:drop", "0:keep", "87:tear=1f3a,12:keep", "io:any:13", "full:any:1:forever",
            "io:any:13:forever,57:drop", "full:any:2,5:tear=ffffffffffffffff,0:keep",
        ]
        for text in texts { #expect(CrashPlace(text)?.description == text) }
        for text in [
            "", "87", "87:", "-1:drop", "87:tear=", "87:tear=xyz", "87:drop,", "87:drop,io:any:13",
            "io:sync:13", "io:any:0", "io:any:13:once", "1:drop,2:drop,3:drop", "87:Drop",
        ] {
            #expect(CrashPlace(text) == nil, "\(text)")
        }
    }

    @Test func a_place_beyond_the_end_of_the_run_is_said_to_be_none() throws {
        for text in ["9999:drop", "io:any:9999"] {
            let place = try #require(CrashPlace(text))
            #expect(throws: NoSuchPlace.self) {
                try CrashReplay(
                    family: .accept, seed: 1, at: place, directory: CrashCampaignTests.directory)
            }
        }
    }
}
