import Testing
import WatchProtoJournal

@testable import FaultInjection

/// Bugs planted in the journal, and lies of its disk: a campaign must see them at the moment they
/// do harm, and when the power goes later.
@Suite(.timeLimit(.minutes(5)))
struct PlantTests {
    private static let directory = CrashCampaignTests.directory
    /// Each bug, with a family whose work it spoils.
    private static let mutants: [(JournalMutant, CrashFamily)] = [
        (.acknowledgesBeforeCommit, .accept), (.doesNotSync, .accept), (.writesApart, .receive),
        (.makesUnsynced, .make), (.leavesNameUnsynced, .make), (.marksBeforeCommit, .accept),
        (.leavesMarkUnsynced, .make), (.callsForNoLog, .accept), (.callsForLogWhenClosed, .close),
        (.keepsCopyInClear, .seal), (.forgetsByHalves, .forget), (.leavesErasedBytes, .forget),
        (.leavesErasedBytes, .reseal), (.migratesApart, .upgrade), (.trustsLog, .accept),
    ]

    @Test func no_bug_is_left_out() {
        #expect(Set(Self.mutants.map(\.0)) == Set(JournalMutant.allCases))
    }

    /// One does harm behind a sync that failed only.
    @Test(
        "a crash finds it, and the place it names shows it again",
        arguments: mutants.filter { $0.0 != .trustsLog })
    func crashes(_ mutant: JournalMutant, _ family: CrashFamily) throws {
        var campaign = CrashCampaign(
            family: family, states: 2_000, seed: 1, directory: Self.directory)
        campaign.mutants = [mutant]
        campaign.findingLimit = 1
        let finding = try #require(try campaign.run().findings.first)
        let again = try CrashReplay(
            family: family, seed: finding.seed, at: finding.place, directory: Self.directory,
            mutants: [mutant])
        #expect(again.complaint != nil, "\(finding.description)")
        let without = try CrashReplay(
            family: family, seed: finding.seed, at: finding.place, directory: Self.directory)
        #expect(without.complaint == nil, "\(finding.description)")
    }

    /// Two of the bugs mend themselves with the next call where that one succeeds.
    /// The bugs whose traces stand in the file without a crash as well.
    private static let standing: Set<JournalMutant> = [
        .keepsCopyInClear, .leavesErasedBytes, .callsForLogWhenClosed,
    ]

    @Test(
        "a call fails, and a crash that comes later finds it",
        arguments: mutants.filter { !standing.contains($0.0) })
    func faultsThenCrashes(_ mutant: JournalMutant, _ family: CrashFamily) throws {
        // Another file was there before in runs of an even seed, and an older schema. Of the
        // moments at which a new file's name may yet be lost few are drawn in one run.
        let seed: UInt64 = [.leavesMarkUnsynced, .migratesApart].contains(mutant) ? 2 : 1
        var campaign = FaultCampaign(
            family: family, runs: mutant == .leavesNameUnsynced ? 2 : 1, seed: seed,
            directory: Self.directory)
        campaign.mutants = [mutant]
        campaign.findingLimit = 40
        let findings = try campaign.run().findings
        let later = findings.filter { finding in
            guard let fault = finding.place.fault, let point = finding.place.points.first else {
                return false
            }
            return point.callCount > fault.passes
        }
        let finding = try #require(later.first)
        let again = try CrashReplay(
            family: family, seed: finding.seed, at: finding.place, directory: Self.directory,
            mutants: [mutant])
        #expect(again.complaint != nil, "\(finding.description)")
    }

    @Test("it is found without a crash", arguments: mutants.filter { standing.contains($0.0) })
    func without_a_crash(_ mutant: JournalMutant, _ family: CrashFamily) throws {
        // Only the last batch is kept in clear, and it may hold no secret.
        var campaign = FaultCampaign(family: family, runs: 3, seed: 1, directory: Self.directory)
        campaign.mutants = [mutant]
        campaign.findingLimit = 200
        #expect(try campaign.run().findings.contains { $0.place.points.isEmpty })
    }

    @Test func a_receipt_before_a_commit_that_fails_is_found_without_a_crash() throws {
        var campaign = FaultCampaign(family: .accept, seed: 1, directory: Self.directory)
        campaign.mutants = [.acknowledgesBeforeCommit]
        campaign.findingLimit = 20
        #expect(try campaign.run().findings.contains { $0.place.points.isEmpty })
    }

    @Test func commits_that_wait_for_no_disk_are_missed_when_the_power_goes_much_later() throws {
        var campaign = CrashCampaign(
            family: .settle, states: 1, seed: 1, directory: Self.directory)
        campaign.mutants = [.doesNotSync]
        campaign.tornStates = 0
        campaign.findingLimit = 10_000
        let findings = try campaign.run().findings
        let scratch = try ScratchDirectory(in: Self.directory)
        let recording = try CrashRecorder(family: .settle, seed: 1, mutants: [.doesNotSync])
            .record(in: scratch)
        // The last commits are in doubt to the end; one call after each that is synced by the way,
        // none is.
        let last = findings.compactMap(\.place.points.first?.callCount).max() ?? 0
        #expect(last > recording.calls.count - 3)
        #expect(findings.count > recording.calls.count / 4)
    }

    // MARK: Lies of the disk

    /// Each write of the log that a commit needs: wherever the power goes later, its commit is
    /// gone, or what follows it is damage.
    @Test func a_write_that_went_nowhere_is_found_when_the_power_goes_much_later() throws {
        let (recording, found) = try lies(every: 4, DiskLie.losesWrite)
        var frames = 0
        for (place, callCounts) in found {
            let call = recording.calls[place]
            // Room made behind the log need not be there, nor what is noted of it.
            let name = DiskCall.name(of: call.path)
            // In the file itself stands that there is a log.
            if name == CrashRecorder.fileName { continue }
            let isOfLog = name.hasSuffix("-wal")
            guard isOfLog, call.bytes.contains(where: { $0 != 0 }), call.bytes.count <= 4096
            else {
                #expect(callCounts == [], "\(call)")
                continue
            }
            frames += 1
            let syncs = recording.calls.indices.filter {
                $0 > place && recording.calls[$0].kind == .sync
            }
            // Later than the next commit, where there was one.
            let least = syncs.count > 2 ? syncs[2] : syncs.first ?? place
            #expect((callCounts.max() ?? 0) >= least, "\(call), call \(place + 1)")
        }
        #expect(frames > 5)
    }

    /// A sync that made nothing durable does harm from the receipt on until the next one covers
    /// what it should have: it is found at the first of these moments and at the last.
    @Test func a_sync_that_did_nothing_is_found_until_the_next_one() throws {
        let (recording, found) = try lies(every: 1, DiskLie.skipsSync)
        var commits = 0
        // The mark of the log is written between the sync and the receipt.
        for (place, callCounts) in found
        where recording.promised(at: place + 2) > recording.promised(at: place + 1) {
            commits += 1
            #expect(recording.calls[place + 1].description == "write journal-lock 512+32")
            let next = recording.calls.indices.first {
                $0 > place && recording.calls[$0].kind == .sync
            }
            #expect(callCounts.min() == place + 2)
            #expect(callCounts.max() == next ?? recording.calls.count)
        }
        #expect(commits > 5, "of \(found.count) syncs")
    }

    /// For each of the disk's lies, by the call that it is about: after how many calls a loss of
    /// power was found to do harm.
    private func lies(
        every step: Int, _ lie: (Int) -> DiskLie
    ) throws -> (CrashRecording, [(place: Int, callCounts: [Int])]) {
        let scratch = try ScratchDirectory(in: Self.directory)
        let recording = try CrashRecorder(family: .settle, seed: 1).record(in: scratch)
        var found: [(Int, [Int])] = []
        for number in stride(from: 0, to: 1_000, by: step) {
            guard let place = lie(number).place(in: recording.calls) else { break }
            var campaign = CrashCampaign(
                family: .settle, states: 1, seed: 1, directory: Self.directory)
            campaign.lie = lie(number)
            campaign.tornStates = 0
            campaign.findingLimit = 10_000
            let findings = try campaign.run().findings
            found.append((place, findings.compactMap(\.place.points.first?.callCount)))
        }
        return (recording, found)
    }
}
