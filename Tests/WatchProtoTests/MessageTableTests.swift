import Testing
import WatchProtoCore

@testable import WatchProto

/// The messages of which a device can say whether its application was given them.
@Suite struct MessageTableTests {
    private static let opening = EpochID(rawValue: 11)
    private static let pairing = PairingID(rawValue: 7)

    private static func id(_ number: UInt64, epoch: UInt64 = 1) -> RecordID {
        RecordID(
            epoch: EpochID(rawValue: epoch), channel: .interactive, number: RecordNumber(number))
    }

    private static func pending(_ number: UInt64) -> PendingRecord {
        PendingRecord(
            record: InboundRecord(id: id(number), kind: .message, key: nil, payload: []),
            isRedelivery: false, pairing: pairing)
    }

    private static func read(_ drafts: [RecordDraft]) throws -> [AppMessage] {
        try drafts.map { try AppMessage($0.payload) }
    }

    @Test("A message that may have been given is never called missing, however many came since")
    func limit() async throws {
        let table = MessageTable(try DeviceStorage(.watch, nil))
        let limit = UInt64(StoredValue.messageLimit)
        for number in 1...9 as ClosedRange<UInt64> {
            #expect(await table.give(Self.id(number), in: Self.pairing))
        }
        let other = Self.id(3, epoch: 2)
        #expect(
            try Self.read(table.answers(about: [Self.id(10), Self.id(9), other])) == [
                .messages(.given, [Self.id(9)]), .messages(.missing, [Self.id(10), other]),
            ])
        for number in 11...(limit + 15) {
            #expect(await table.give(Self.id(number), in: Self.pairing))
        }
        // The limit made room for the newest ones: 1 to 9 and 11 to 15 are gone, 10 never came.
        let asked = [1, 10, 15, 16, limit + 15, limit + 16].map { Self.id($0) } + [other]
        #expect(
            try Self.read(table.answers(about: asked)) == [
                .messages(.given, [Self.id(16), Self.id(limit + 15)]),
                .messages(.missing, [Self.id(limit + 16)]),
            ])
    }

    @Test("A message that waits for its reader is answered for when that has it")
    func waiting() async throws {
        let inbox = Inbox()
        let table = MessageTable(try DeviceStorage(.watch, nil)) { inbox.has($0) }
        inbox.add(Self.pending(1))
        #expect(table.answers(about: [Self.id(1)]).isEmpty)
        let pending = try #require(await inbox.next(.message, inbox.read(.message)))
        #expect(table.answers(about: [Self.id(1)]).isEmpty && !inbox.isIdle)
        #expect(await table.give(pending.record.id, in: pending.pairing))
        inbox.handedOver(Self.id(1))
        #expect(try Self.read(table.given(Self.id(1), true)) == [.messages(.given, [Self.id(1)])])
        #expect(table.given(Self.id(1), true).isEmpty && inbox.isIdle)
    }

    @Test("A device that lost state is not asked, and an outcome is learnt once")
    func questions() async throws {
        let table = MessageTable(try DeviceStorage(.phone, nil))
        for number in 1...3 as ClosedRange<UInt64> {
            table.accepted(Self.id(number), in: Self.pairing, to: Self.opening)
        }
        // The call of 1 has ended, and its record has not: it may still arrive.
        await table.ended(Self.id(1), .unknown)
        _ = table.settled(Self.id(2), .unknown)
        await table.ended(Self.id(3), .other)
        #expect(
            try Self.read(table.questions(in: Self.pairing)) == [.messages(.asked, [Self.id(2)])])
        _ = table.settled(Self.id(1), .unknown)
        await table.ended(Self.id(2), .unknown)
        #expect(
            try Self.read(table.questions(in: Self.pairing)) == [
                .messages(.asked, [Self.id(1), Self.id(2)])
            ])
        #expect(table.questions(in: PairingID(rawValue: 8)).isEmpty)
        let applied = TransferOutcome.reached(.applied)
        #expect(table.learnt(Self.id(1), applied, from: Self.opening) != nil)
        #expect(table.learnt(Self.id(1), applied, from: Self.opening) == nil)
        #expect(table.learnt(Self.id(3), applied, from: Self.opening) == nil)
        #expect(table.outcome(of: Self.id(1)) == applied)
        _ = table.forgotten(in: Self.pairing)
        #expect(table.questions(in: Self.pairing).isEmpty)
        #expect(table.learnt(Self.id(2), applied, from: Self.opening) == nil)
        #expect(table.outcome(of: Self.id(2)) == .unknown)
        #expect(table.outcome(of: Self.id(3)) == nil)
    }

    @Test("A reply settles a message whose outcome was told as unknown, and is told of once")
    func replies() async throws {
        let table = MessageTable(try DeviceStorage(.phone, nil))
        for number in 1...2 as ClosedRange<UInt64> {
            table.accepted(Self.id(number), in: Self.pairing, to: Self.opening)
        }
        _ = table.settled(Self.id(1), .unknown)
        #expect(await table.ended(Self.id(1), .reply))
        #expect(table.outcome(of: Self.id(1)) == .reached(.applied))
        #expect(await !table.ended(Self.id(1), .reply))
        // Nobody was told that the outcome of this one is unknown.
        #expect(await !table.ended(Self.id(2), .reply))
        #expect(table.questions(in: Self.pairing).isEmpty)
    }

    /// It may have been restored from a backup.
    @Test("Only the opening that a message was sent to can deny it")
    func denials() async throws {
        let table = MessageTable(try DeviceStorage(.phone, nil))
        let missing = TransferOutcome.notApplied(.notDelivered)
        for number in 1...2 as ClosedRange<UInt64> {
            table.accepted(Self.id(number), in: Self.pairing, to: Self.opening)
            _ = table.settled(Self.id(number), .unknown)
            await table.ended(Self.id(number), .unknown)
        }
        let other = EpochID(rawValue: 12)
        #expect(table.learnt(Self.id(1), missing, from: other) == nil)
        #expect(table.outcome(of: Self.id(1)) == .unknown)
        #expect(table.learnt(Self.id(1), missing, from: Self.opening) != nil)
        #expect(table.learnt(Self.id(2), .reached(.applied), from: other) != nil)
        #expect(table.outcome(of: Self.id(1)) == missing)
    }

    @Test("Each outcome is kept as it is")
    func outcomes() {
        let outcomes: [TransferOutcome] = [
            .reached(.applied), .notApplied(.notDelivered), .notApplied(.cancelled),
            .notApplied(.expired), .notApplied(.rejected(Rejection(code: 0xABCD))), .unknown,
        ]
        for outcome in outcomes {
            let value = StoredValue(sent: Self.id(300, epoch: .max), in: Self.pairing, outcome)
            #expect(value.outcome == outcome && value.message == Self.id(300, epoch: .max))
            #expect(value.mayBeAsked == (outcome == .unknown))
        }
    }
}
