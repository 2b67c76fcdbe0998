import Locks
import Testing
import WatchProtoCore
import WatchProtoJournal

@testable import WatchProto
@testable import WatchProtoTransport

/// The questions and answers about messages between two devices.
@Suite struct MessageExchangeTests {
    private static let pairing = PairingID(rawValue: 7)
    private static let opening = EpochID(rawValue: 11)

    private final class Waiting: MessageLink {
        let missing = Mutex<[RecordID]>([])
        func didNotArrive(_ id: RecordID) { missing.withLock { $0.append(id) } }
    }

    private static func id(_ number: UInt64, epoch: UInt64 = 1) -> RecordID {
        RecordID(
            epoch: EpochID(rawValue: epoch), channel: .interactive, number: RecordNumber(number))
    }

    /// A record of the other device with a message.
    private static func record(_ draft: RecordDraft) -> InboundRecord {
        InboundRecord(
            id: id(99, epoch: opening.rawValue), kind: .app, key: nil, payload: draft.payload)
    }

    private static func sent(_ later: DeferredInputs) throws -> [AppMessage] {
        try drafts(later).map { try AppMessage($0.payload) }
    }

    private static func drafts(_ later: DeferredInputs) -> [RecordDraft] {
        later.inputs.compactMap { input -> RecordDraft? in
            if case .send(let draft, _, _) = input { draft } else { nil }
        }
    }

    /// Of three messages the first one was given, the second one not, and the third one was sent
    /// to an earlier opening of the receiver.
    @Test("A sender learns each outcome once, and its waiting caller which message is missing")
    func outcomes() async throws {
        let link = Waiting()
        let own = MessageTable(try DeviceStorage(.phone, nil))
        let asking = MessageExchange(own)
        asking.begin(link, with: Self.pairing)
        for number in 1...3 as ClosedRange<UInt64> {
            let opening = number == 3 ? EpochID(rawValue: 10) : Self.opening
            own.accepted(Self.id(number), in: Self.pairing, to: opening)
            _ = own.settled(Self.id(number), .unknown)
        }
        let theirs = MessageTable(try DeviceStorage(.watch, nil))
        _ = theirs.giving(Self.id(1), in: Self.pairing)
        let answering = MessageExchange(theirs)
        answering.begin(Waiting(), with: Self.pairing)

        var questions = DeferredInputs()
        asking.reachable(true, later: &questions)
        #expect(try Self.sent(questions).count == 1)
        var answers = DeferredInputs()
        for draft in Self.drafts(questions) {
            answering.received(Self.record(draft), later: &answers) { _, _ in
                Issue.record("a question settles nothing")
            }
        }
        #expect(answers.inputs.isEmpty, "the other device is not reachable yet")
        answering.reachable(true, later: &answers)
        var learnt: [RecordID: TransferOutcome] = [:]
        var rest = DeferredInputs()
        for _ in 0..<2 {
            for draft in Self.drafts(answers) {
                asking.received(Self.record(draft), later: &rest) { id, outcome in
                    #expect(learnt.updateValue(outcome, forKey: id) == nil)
                }
            }
        }
        #expect(
            learnt == [
                Self.id(1): .reached(.applied), Self.id(2): .notApplied(.notDelivered),
            ])
        #expect(link.missing.withLock { $0 } == [Self.id(2)])
        #expect(own.outcome(of: Self.id(3)) == .unknown)
    }

    @Test("A device that lost state is not asked, and one that was only restarted is")
    func changes() throws {
        let table = MessageTable(try DeviceStorage(.phone, nil))
        let exchange = MessageExchange(table)
        exchange.begin(Waiting(), with: Self.pairing)
        table.accepted(Self.id(1), in: Self.pairing, to: Self.opening)
        // The session ends, and settles the message no more.
        exchange.sessionEnded()
        for (change, count) in [(.restarted, 1), (.wiped, 0)] as [(CounterpartChange, Int)] {
            var later = DeferredInputs()
            exchange.counterpartChanged(change, later: &later)
            exchange.reachable(true, later: &later)
            #expect(try Self.sent(later).count == count)
        }
    }
}
