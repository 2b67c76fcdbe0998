import Testing
import WatchProtoJournal

@testable import FaultInjection

/// A crash comes at every call of a run and of what recovers from it.
@Suite(.timeLimit(.minutes(5)))
struct RecoveryTests {
    private let scratch: ScratchDirectory

    init() throws { scratch = try ScratchDirectory(in: CrashCampaignTests.directory) }

    @Test(arguments: [CrashFamily.recover, .forget, .close])
    func every_call_is_cut(_ family: CrashFamily) throws {
        let recording = try CrashRecorder(family: family, seed: 1).record(in: scratch)
        let states = CrashStates(recording: recording, seed: 1, tornStates: 1)
        var cuts: Set<Int> = []
        states.each { state in
            cuts.insert(state.point.callCount)
            return true
        }
        #expect(cuts == Set(0...recording.calls.count))
        // Of the recovery from a crash in the middle.
        let verifier = CrashVerifier(recording: recording, family: family)
        let recovery = CrashRecovery(verifier: verifier, scratch: scratch)
        let half = recording.calls.count / 2
        let files = CrashRecovery.disk(recording.calls.prefix(half), on: recording.base)
            .files(after: .keepAll)
        let (outcome, calls) = try recovery.run(from: files)
        #expect(outcome.complaint(recording.promise(at: half)) == nil && calls.count > 5)
        cuts = []
        try recovery.crashEverywhere(calls, from: files, seed: 1) { point, outcome in
            cuts.insert(point.callCount)
            #expect(outcome.complaint(recording.promise(at: half)) == nil, "\(point)")
            return true
        }
        #expect(cuts == Set(0...calls.count))
    }

    /// A bug that does harm only where a recovery is cut, after one of its calls.
    @Test func a_bug_of_the_recovery_is_found_where_it_is_cut() throws {
        let recording = try CrashRecorder(family: .upgrade, seed: 1).record(in: scratch)
        for isPlanted in [true, false] {
            var verifier = CrashVerifier(recording: recording, family: .upgrade)
            if isPlanted { verifier.mutants = [.migratesApart] }
            let recovery = CrashRecovery(verifier: verifier, scratch: scratch)
            let (outcome, calls) = try recovery.run(from: recording.base)
            #expect(outcome.complaint(recording.promise(at: 0)) == nil)
            var found = 0
            try recovery.crashEverywhere(calls, from: recording.base, seed: 1) { _, outcome in
                found += outcome.complaint(recording.promise(at: 0)) == nil ? 0 : 1
                return true
            }
            #expect((found > 0) == isPlanted, "\(found)")
        }
    }

    @Test func bytes_are_found_wherever_they_stand() {
        let word: [UInt8] = [1, 1, 2]
        for place in 0...5 {
            var bytes: [UInt8] = [1, 0, 1, 1, 1]
            #expect(!ByteSearch.holds(bytes, word))
            bytes.insert(contentsOf: word, at: place)
            #expect(ByteSearch.holds(bytes, word), "\(place)")
        }
        #expect(!ByteSearch.holds([], word) && !ByteSearch.holds([1, 1], word))
    }
}
