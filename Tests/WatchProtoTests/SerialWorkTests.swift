import Foundation
import Locks
import Testing

@testable import WatchProto

/// Pieces of work on a thread of their own.
@Suite(.timeLimit(.minutes(2))) struct SerialWorkTests {
    private final class Seen: Sendable {
        let numbers = Mutex<[Int]>([])
        let running = Mutex(0)
    }

    /// The thread waits for a moment where there is nothing to do, and the next piece wakes it.
    @Test func pieces_run_one_after_the_other_in_their_order() {
        let (work, seen) = (SerialWork(), Seen())
        let begin = ContinuousClock.now
        for number in 0..<3_000 {
            work.add {
                let running = seen.running.withLock { running in
                    running += 1
                    return running
                }
                seen.numbers.withLock { $0.append(running == 1 ? number : -1) }
                seen.running.withLock { $0 -= 1 }
            }
            if number % 3 == 0 { while !work.isIdle { Thread.sleep(forTimeInterval: 1e-5) } }
        }
        while !work.isIdle { Thread.sleep(forTimeInterval: 1e-5) }
        #expect(seen.numbers.withLock { $0 } == Array(0..<3_000))
        // Without the wake-up each of the 1,000 pauses would take a tenth of a second.
        #expect(begin.duration(to: .now) < .seconds(50))
    }
}
