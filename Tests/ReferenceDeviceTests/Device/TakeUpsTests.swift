import ControlProtocol
import Locks
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// Values handed back that find no room are taken up as soon as there is some.
@Suite struct TakeUpsTests {
    private final class Wakes: Sendable {
        let count = Atomic<Int>(0)
    }

    private static let full = SendRefusal.queueFull(records: 8192).controlError

    private func value(_ number: UInt128) -> HandedBack {
        HandedBack(
            channel: .context, key: RecordKey(rawValue: number), kind: .medication,
            payload: [UInt8(number)])
    }

    @Test func what_found_the_queue_full_is_tried_again_when_a_record_has_ended() {
        let wakes = Wakes()
        let list = TakeUps([value(1), value(2)]) { wakes.count.add(1, ordering: .relaxed) }
        #expect(wakes.count.load(ordering: .relaxed) == 1)
        var tried: [HandedBack] = []
        let refuse = { (value: HandedBack) throws(ControlError) in
            tried.append(value)
            throw Self.full
        }
        #expect(list.perform(refuse).map(\.code) == ["queue_full"])
        #expect(tried == [value(1)], "those behind it would find the same")
        #expect(!list.isEmpty)
        list.recordEnded()
        #expect(wakes.count.load(ordering: .relaxed) == 2)
        #expect(list.perform(refuse).isEmpty, "it is told once")
        list.add(value(3))
        tried = []
        #expect(list.perform { tried.append($0) }.isEmpty)
        #expect(tried == [value(1), value(2), value(3)], "in their order, none forgotten")
        #expect(list.isEmpty)
        let before = wakes.count.load(ordering: .relaxed)
        list.recordEnded()
        #expect(wakes.count.load(ordering: .relaxed) == before, "nothing waits any more")
        #expect(list.perform(refuse).isEmpty)
    }

    @Test func a_set_without_room_does_not_hold_back_others() {
        let list = TakeUps([value(1), value(2)]) {}
        var taken: [HandedBack] = []
        let told = list.perform { (value: HandedBack) throws(ControlError) in
            if value == self.value(1) { throw SendRefusal.setTooLarge(limit: 1).controlError }
            taken.append(value)
        }
        #expect(told.map(\.code) == ["set_too_large"])
        #expect(taken == [value(2)])
        _ = list.perform { taken.append($0) }
        #expect(taken == [value(2), value(1)])
    }

    /// Nothing that ends would change it: it stays in the file for the next start.
    @Test func another_error_is_told_and_not_tried_again() {
        let list = TakeUps([value(1), value(2)]) {}
        var tried = 0
        let told = list.perform { _ throws(ControlError) in
            tried += 1
            throw ControlError("does_not_fit")
        }
        #expect(told.map(\.code) == ["does_not_fit", "does_not_fit"])
        _ = list.perform { _ in tried += 1 }
        #expect(tried == 2)
    }
}
