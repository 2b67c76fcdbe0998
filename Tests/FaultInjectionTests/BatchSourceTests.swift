import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import FaultInjection

/// Tests of the batches for the crash campaign.
@Suite struct BatchSourceTests {
    @Test(arguments: [CrashFamily.seal, .settle, .receive])
    func the_checkpoint_of_any_state_makes_the_same_checkpoint(_ family: CrashFamily) {
        var lostTails = 0
        for seed in UInt64(1)...100 {
            var source = BatchSource(family: family, seed: seed)
            var image = JournalImage(kinds: .product)
            for batch in 1...30 {
                let given = source.batch()
                for case .tailLost in given { lostTails += 1 }
                image.apply(given)
                var again = JournalImage(kinds: .product)
                again.apply(image.entries)
                #expect(again.entries == image.entries, "seed \(seed), batch \(batch)")
            }
        }
        #expect(family == .receive || lostTails > 0)
    }
}
