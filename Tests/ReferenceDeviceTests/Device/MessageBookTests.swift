import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

@Suite struct MessageBookTests {
    private static func id(_ number: UInt64, epoch: UInt64 = 1) -> RecordID {
        RecordID(
            epoch: EpochID(rawValue: epoch), channel: .interactive, number: RecordNumber(number))
    }

    private static func message(_ number: UInt64, epoch: UInt64 = 1) -> MessageBook.Received {
        MessageBook.Received(id: id(number, epoch: epoch), kind: .message, pairing: nil)
    }

    @Test func a_message_has_one_reply_and_the_newest_of_its_number_gets_it() {
        let book = MessageBook()
        let number = RecordNumber(3)
        book.received(Self.message(3, epoch: 1))
        book.received(Self.message(3, epoch: 2))
        #expect(book.unanswered(number, nil) == Self.message(3, epoch: 2))
        #expect(book.unanswered(number, EpochID(rawValue: 1)) == Self.message(3, epoch: 1))
        book.answered(Self.message(3, epoch: 2))
        #expect(book.unanswered(number, nil) == Self.message(3, epoch: 1))
        #expect(book.unanswered(RecordNumber(4), nil) == nil)
        // A device that was restarted waits no more.
        book.forgetUnanswered(of: PairingID(rawValue: 7))
        #expect(book.unanswered(number, nil) == Self.message(3, epoch: 1))
        book.forgetUnanswered(of: nil)
        #expect(book.unanswered(number, nil) == nil)
    }

    @Test func only_messages_of_this_side_are_settled_and_the_newest_outcomes_are_kept() {
        let book = MessageBook()
        #expect(!book.settled(Self.id(1), .applied))
        #expect(book.outcome(of: Self.id(1)) == nil)
        for number in 1...UInt64(MessageBook.limit + 1) {
            book.sent(Self.id(number))
            #expect(book.settled(Self.id(number), .notDelivered))
            #expect(!book.settled(Self.id(number), .applied))
        }
        #expect(book.outcome(of: Self.id(1)) == nil)
        #expect(book.outcome(of: Self.id(2)) == .notDelivered)
        for number in 0...UInt64(MessageBook.limit) { book.received(Self.message(number)) }
        #expect(book.unanswered(RecordNumber(0), nil) == nil)
        #expect(book.unanswered(RecordNumber(1), nil) != nil)
    }
}
