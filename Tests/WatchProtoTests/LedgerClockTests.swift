import Locks
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import WatchProto

/// Rule 13: the offset of the phone's clock, with clocks that the test sets.
@Suite struct LedgerClockTests {
    /// The true time in milliseconds, and how far each device's wall clock is ahead of it.
    private final class Clocks: Sendable {
        let now = Mutex<Int64>(1_767_225_600_000)
        let ahead = Mutex<[DeviceRole: Int64]>([:])

        func pass(_ milliseconds: Int64) { now.withLock { $0 += milliseconds } }

        func set(_ role: DeviceRole, ahead milliseconds: Int64) {
            ahead.withLock { $0[role] = milliseconds }
        }

        func wall(_ role: DeviceRole) -> WallTime {
            WallTime(milliseconds: now.withLock { $0 } + ahead.withLock { $0[role] ?? 0 })
        }

        /// A clock that started an hour before the test.
        var uptime: Instant {
            Instant(
                nanoseconds: UInt64(now.withLock { $0 } - 1_767_222_000_000) * 1_000_000)
        }
    }

    private let clocks = Clocks()
    private let worker = ManualWorker()
    private let links: [DeviceRole: KeepingLink] = [.phone: KeepingLink(), .watch: KeepingLink()]
    private let exchanges: [DeviceRole: LedgerExchange]

    init() {
        var made: [DeviceRole: LedgerExchange] = [:]
        let clocks = self.clocks
        for role in [DeviceRole.phone, .watch] {
            made[role] = LedgerExchange(
                DeviceLedger(
                    role, MemoryLedger(), worker, clock: { clocks.wall(role) },
                    uptime: { clocks.uptime }))
        }
        exchanges = made
        for (role, exchange) in made {
            guard let link = links[role] else { continue }
            exchange.begin(link, with: PairingID(rawValue: 1))
        }
        worker.run()
    }

    /// A device's time of an event now.
    private func time(_ role: DeviceRole) throws -> DoseTime {
        let ledger = try #require(exchanges[role]).ledger
        return ledger.now(device: 1, WallClock(time: clocks.wall(role)))
    }

    private func offset(_ role: DeviceRole = .watch) throws -> Int32? {
        try time(role).phoneOffset
    }

    private func receive(_ question: [UInt8], _ role: DeviceRole) throws {
        try #require(exchanges[role]).receiveQuestion(
            InboundRecord(
                id: KeepingLink.record(1, .interactive), kind: .ledger, key: nil,
                payload: question, expectsReply: true))
        worker.run()
    }

    /// The phone's newest question reaches the watch after so many milliseconds.
    private func compare(after way: Int64 = 0) throws {
        let asked = try #require(links[.phone]).contents.withLock { $0.questions.last }
        let question = try #require(asked)
        clocks.pass(way)
        try receive(question.bytes, .watch)
        question.answered(LedgerReply.equal.bytes)
        worker.run()
    }

    /// The phone compares again.
    private func compareAgain() throws {
        clocks.pass(60_000)
        try #require(exchanges[.phone]).ledger.check()
        worker.run()
        try compare()
    }

    @Test("A watch measures the phone's clock, less half of the round trip (D-25)")
    func measured() throws {
        #expect(try offset() == nil, "nothing is measured yet")
        clocks.set(.watch, ahead: 300_000)
        links[.watch]?.contents.withLock { $0.roundTripTime = .milliseconds(90) }
        try compare(after: 45)
        #expect(try offset() == -300_000)
        #expect(try time(.watch).isUncertain)
        #expect(try time(.watch).onPhone == clocks.wall(.phone))
        // A night passes without a session.
        clocks.pass(28_800_000)
        #expect(try offset() == -300_000)
    }

    @Test("A watch without a round trip yet is late by the way of the question (D-25)")
    func without_a_round_trip() throws {
        try compare(after: 400)
        #expect(try offset() == -400)
    }

    @Test(
        "Over 60 s the time is uncertain", arguments: [60_000, 60_001, -60_000, -60_001] as [Int64])
    func marked(_ ahead: Int64) throws {
        clocks.set(.watch, ahead: ahead)
        try compare()
        #expect(try offset().map { Int64($0) } == -ahead)
        #expect(try time(.watch).isUncertain == (ahead.magnitude > 60_000))
    }

    @Test("A jump of the watch's clock is in its offset at once (D-25)")
    func the_watch_jumps() throws {
        try compare()
        #expect(try offset() == 0)
        clocks.set(.watch, ahead: 300_000)
        #expect(try offset() == -300_000)
        clocks.set(.watch, ahead: -7_200_000)
        #expect(try offset() == 7_200_000)
        clocks.set(.watch, ahead: 0)
        #expect(try offset() == 0)
    }

    @Test("A jump of the phone's clock is in the offset from the next comparison on (D-25)")
    func the_phone_jumps() throws {
        try compare()
        clocks.set(.phone, ahead: 90_000)
        #expect(try offset() == 0)
        try compareAgain()
        #expect(try offset() == 90_000)
    }

    @Test("An event of the phone has the offset 0, whatever a watch asks (D-26)")
    func the_phone() throws {
        #expect(try offset(.phone) == 0)
        let time = WallTime(milliseconds: 0)
        try receive(
            LedgerRequest.compare(LedgerDigest(), LedgerSalt(byte: 0), at: time).bytes, .phone)
        #expect(try offset(.phone) == 0)
    }

    @Test(
        "A clock that a phone made up is clamped and marked (D-26)",
        arguments: [Int64.min, Int64.min + 1, -1, 0, 1 << 61, Int64.max])
    func hostile(_ milliseconds: Int64) throws {
        links[.watch]?.contents.withLock { $0.roundTripTime = .seconds(1 << 40) }
        let time = WallTime(milliseconds: milliseconds)
        try receive(
            LedgerRequest.compare(LedgerDigest(), LedgerSalt(byte: 0), at: time).bytes, .watch)
        #expect(try offset() == (milliseconds > 1 << 60 ? Int32.max : Int32.min))
        #expect(try self.time(.watch).isUncertain)
        let event = DoseEvent(
            id: DoseEventID(rawValue: 1), medication: MedicationID(rawValue: 7), planned: nil,
            status: .taken, time: try self.time(.watch))
        #expect(try DoseEvent(decoding: event.encoded()) == event)
    }

    @Test("The longest way that is believed is five seconds (D-25)")
    func a_long_round_trip() throws {
        links[.watch]?.contents.withLock { $0.roundTripTime = .seconds(60) }
        try compare(after: 5_000)
        #expect(try offset() == 0)
    }
}
