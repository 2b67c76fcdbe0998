import Testing
import WatchProtoCore

@testable import WatchProtoTransport

/// A journal whose disk was full, and has room again.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct JournalReturnTests {
    @Test(
        "after a failed commit the journal is opened again, and the session returns by itself",
        arguments: LinkKind.sockets, DeviceRole.allCases)
    func returns(_ kind: LinkKind, victim: DeviceRole) async throws {
        let directory = TemporaryDirectory()
        let addresses = try kind.addresses(in: directory)
        let journals = [JournalTests.SlowJournal(), JournalTests.SlowJournal()]
        let (phone, phoneRecorder) = try JournalTests.make(.phone, addresses.phone, journals[0])
        let (watch, watchRecorder) = try JournalTests.make(.watch, addresses.watch, journals[1])
        try watch.activate()
        try phone.activate()
        #expect(await eventually { phone.isReachable && watch.isReachable })
        let (failing, recorder) =
            victim == .phone ? (phone, phoneRecorder) : (watch, watchRecorder)
        let (other, otherRecorder) =
            victim == .phone ? (watch, watchRecorder) : (phone, phoneRecorder)
        let before = failing.currentEpoch
        journals[Int(victim.rawValue)].fail()
        // A commit of the session itself may have failed before: the record is refused then.
        let lost = try? failing.transfer(background([1]))
        #expect(await eventually { recorder.events.contains(.journalFailed) })
        let waits = try other.transfer(background([2]))
        #expect(await eventually { !other.isReachable })
        // There is room again.
        journals[Int(victim.rawValue)].fail(false)
        #expect(await eventually { recorder.transport.contains(.journalReopened) })
        #expect(await eventually { phone.isReachable && watch.isReachable })
        #expect(failing.currentEpoch != before)
        if let lost { #expect(failing.status(of: lost) == .unknown) }
        #expect(await eventually { other.status(of: waits) == .settled(.applied) })
        let later = try failing.transfer(background([3]))
        #expect(await eventually { failing.status(of: later) == .settled(.applied) })
        // It left while its commit was under way, and no one was told that it counts.
        #expect(otherRecorder.records.map(\.payload).last == [3])
        phone.close()
        watch.close()
    }

    @Test("a journal that cannot be opened yet is tried at ever longer intervals")
    func retries() {
        var retry = JournalRetry()
        var now = Instant.zero
        var waits: [Int64] = []
        for _ in 0..<9 {
            retry.failed(at: now)
            let next = retry.nextAt ?? .zero
            waits.append(now.duration(to: next).nanosecondsClamped / 1_000_000)
            now = next
            let begins = [retry.begin(at: now), retry.begin(at: now)]
            #expect(begins == [true, false])
        }
        #expect(waits == [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
        retry.succeeded(at: now)
        // It fails at once: the disk has no room yet.
        retry.failed(at: now)
        #expect(retry.nextAt == now.advanced(by: .seconds(30)))
        let begins = retry.begin(at: now.advanced(by: .seconds(30)))
        #expect(begins)
        retry.succeeded(at: now)
        retry.failed(at: now.advanced(by: .seconds(30)))
        #expect(retry.nextAt == now.advanced(by: .milliseconds(30_250)))
    }
}
