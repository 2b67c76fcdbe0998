import Testing
import WatchSecurity

@testable import FormerCore

/// Expiry moments are kept for the records that wait, and for few others.
@Suite struct ExpiryTests {
    private static let day: Int64 = 86_400_000

    private func send(_ count: Int, expiring at: Int64, _ box: PairInABox) throws -> [RecordID] {
        var ids: [RecordID] = []
        for number in 0..<count {
            var draft = userInfo("dose")
            draft.expiresAt = WallTime(milliseconds: at + Int64(number))
            ids.append(try box.phone.send(draft, at: box.now))
        }
        box.phone.drain(at: box.now)
        box.settle()
        return ids
    }

    @Test func what_is_over_wakes_nobody() throws {
        let box = PairInABox()
        box.connect()
        _ = try send(500, expiring: Self.day, box)
        #expect(box.watch.host.delivered.count == 500)
        let kept = box.phone.peer.outbox.expiries.count
        #expect(kept == 0)
        #expect(box.phone.nextDeadline == nil)
    }

    /// The first one stays in front of all those that end.
    @Test func those_that_are_over_are_no_more_than_those_that_wait() throws {
        let box = PairInABox()
        box.connect()
        box.watch.host.disposition = { $0.id.number.rawValue == 1 ? .pending : .applied }
        let first = try send(1, expiring: Self.day / 2, box)
        var largest = 0
        for _ in 1...20 {
            _ = try send(100, expiring: Self.day, box)
            largest = max(largest, box.phone.peer.outbox.expiries.count)
        }
        #expect(box.phone.outstanding == first)
        #expect(largest <= 2 * 101 + 64 + 100)
    }

    @Test func one_that_is_taken_back_wakes_nobody() throws {
        let box = PairInABox()
        let ids = try send(2, expiring: 5_000, box)
        box.phone.peer.cancel(ids[0], at: box.now)
        box.phone.drain(at: box.now)
        #expect(box.phone.nextDeadline == Instant.zero.advanced(by: .milliseconds(5_001)))
        box.restart(.phone, epoch: 0x3333)
        box.phone.peer.cancel(ids[1], at: box.now)
        box.phone.drain(at: box.now)
        #expect(box.phone.nextDeadline == nil)
    }

    @Test(arguments: UInt64(1)...50) func the_soonest_comes_first(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = ExpiryQueue()
        var kept: [Int64] = []
        var clock: Int64 = 0
        func id(_ number: Int64) -> RecordID {
            RecordID(
                epoch: EpochID(rawValue: 1), lane: .background,
                number: RecordNumber(UInt64(number)))
        }
        for _ in 1...400 {
            if random.chance(0.7) {
                let moment = Int64(random.uniform(in: 1...1_000))
                queue.insert(WallTime(milliseconds: moment), id(moment))
                kept.append(moment)
            } else if random.chance(0.2) {
                queue.keep { $0.number.rawValue.isMultiple(of: 3) }
                kept.removeAll { !$0.isMultiple(of: 3) }
            } else {
                clock = min(1_000, clock + Int64(random.uniform(in: 0...20)))
                let due = queue.takeDue(at: WallTime(milliseconds: clock))
                #expect(due == kept.filter { $0 <= clock }.sorted().map { id($0) })
                kept.removeAll { $0 <= clock }
            }
            #expect(queue.count == kept.count)
            #expect(queue.first?.moment.milliseconds == kept.min())
        }
    }
}
