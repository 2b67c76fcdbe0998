import ControlProtocol
import Locks
import Testing
import WatchProto
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// Recovered values that find no room are tried again as soon as there is some.
@Suite struct RecoveryTests {
    private final class Wakes: Sendable {
        let count = Atomic<Int>(0)
    }

    private static let full = SendRefusal.queueFull(records: 8192)

    private func value(_ number: UInt128) -> StoredValue {
        StoredValue(
            recovered: .medication, [UInt8(number)], .context, RecordKey(rawValue: number), from: 7)
    }

    /// Tries these values, and gives the codes of the reported errors.
    private func perform(
        _ recovery: Recovery, _ numbers: [UInt128],
        _ recover: (StoredValue) throws(ControlError) -> Void
    ) -> [String] {
        recovery.perform(
            send: { nil }, values: { numbers.map(value) }, recover: recover
        ).map(\.code)
    }

    @Test func a_value_that_found_the_queue_full_is_tried_again_when_a_record_has_ended() {
        let wakes = Wakes()
        let recovery = Recovery { wakes.count.add(1, ordering: .relaxed) }
        recovery.valuesCame()
        #expect(wakes.count.load(ordering: .relaxed) == 1)
        var tried: [StoredValue] = []
        let refuse = { (value: StoredValue) throws(ControlError) in
            tried.append(value)
            throw Self.full.controlError
        }
        #expect(perform(recovery, [1, 2], refuse) == ["queue_full"])
        #expect(tried == [value(1)], "the second would find the same")
        #expect(recovery.isWaiting)
        recovery.recordEnded()
        #expect(wakes.count.load(ordering: .relaxed) == 2)
        #expect(perform(recovery, [1, 2], refuse) == [], "it is reported once")
        tried = []
        #expect(perform(recovery, [1, 2, 3]) { tried.append($0) } == [])
        #expect(tried == [value(1), value(2), value(3)], "in their order")
        #expect(!recovery.isWaiting)
        recovery.recordEnded()
        #expect(wakes.count.load(ordering: .relaxed) == 2, "nothing waits any more")
        #expect(perform(recovery, [], refuse) == [])
    }

    @Test func a_set_without_room_delays_no_other_value() {
        let recovery = Recovery {}
        var taken: [StoredValue] = []
        let codes = perform(recovery, [1, 2]) { (value: StoredValue) throws(ControlError) in
            if value == self.value(1) { throw SendRefusal.setTooLarge(limit: 1).controlError }
            taken.append(value)
        }
        #expect(codes == ["set_too_large"])
        #expect(taken == [value(2)] && recovery.isWaiting)
    }

    /// Nothing that ends would change it: it stays in the file for the next start.
    @Test func another_error_is_reported_and_not_tried_again() {
        let recovery = Recovery {}
        var tried = 0
        let refuse = { (_: StoredValue) throws(ControlError) in
            tried += 1
            throw ControlError("does_not_fit")
        }
        #expect(perform(recovery, [1, 2], refuse) == ["does_not_fit", "does_not_fit"])
        #expect(!recovery.isWaiting)
        #expect(perform(recovery, [1, 2], refuse) == [] && tried == 2)
        // After the file was opened again.
        recovery.reset()
        #expect(perform(recovery, [1], refuse) == ["does_not_fit"] && tried == 3)
    }

    @Test func a_carried_over_record_without_room_waits_as_well() {
        let recovery = Recovery {}
        #expect(
            recovery.perform(send: { Self.full }, values: { [] }, recover: { _ in }).map(\.code)
                == ["queue_full"])
        #expect(recovery.isWaiting)
        #expect(perform(recovery, []) { _ in } == [] && !recovery.isWaiting)
    }
}
