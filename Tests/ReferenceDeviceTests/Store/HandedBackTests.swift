import Testing
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords
import WatchProtoSecurity

@testable import ReferenceDevice

/// Values handed back stay until they are taken up.
@Suite(.timeLimit(.minutes(1)))
struct HandedBackTests {
    private func value(
        _ key: UInt128, _ text: String, _ channel: Channel = .context,
        kind: ContentKind = .medication
    ) -> HandedBack {
        HandedBack(
            channel: channel, key: RecordKey(rawValue: key), kind: kind, payload: Array(text.utf8))
    }

    @Test(arguments: [true, false]) func they_outlive_a_kill(isSealed: Bool) throws {
        let shelf = try Shelf(
            key: isSealed ? AtRestPayloads(key: try .random()) : UnsealedPayloads())
        let first = value(1, "remedy as it was sent")
        let removal = value(.max, "", kind: .medicationRemoval)
        let face = value(1, "face", .complication, kind: .complication)
        var passing = value(2, "worth something until then", .background, kind: .userInfo)
        passing.expiresAt = WallTime(milliseconds: 1_800_000_000_000)
        try shelf.give([first, removal, face, passing].map(StoreChange.keep))
        try shelf.killAndOpen()
        #expect(try shelf.store.handedBack() == [first, removal, face, passing])
        try shelf.give([StoreChange.takenUp(passing)])
        #expect(shelf.holds(first.payload) != isSealed)
        try shelf.give([StoreChange.takenUp(face)])
        #expect(try shelf.store.handedBack() == [first, removal], "the key of another lane stays")
        // The newest word of the counterpart on a key is the one to answer.
        let second = value(1, "handed back again")
        try shelf.give([StoreChange.keep(second)])
        #expect(try shelf.store.handedBack() == [removal, second])
        try shelf.give([removal, second].map(StoreChange.takenUp))
        try shelf.killAndOpen()
        #expect(try shelf.store.handedBack() == [])
    }

    @Test func one_that_was_altered_is_refused() throws {
        let shelf = try Shelf(key: AtRestPayloads(key: try .random()))
        try shelf.give([StoreChange.keep(value(1, "a")), StoreChange.keep(value(2, "b"))])
        try shelf.give([
            SQLWrite("UPDATE handed_back SET id = 7 WHERE id = ?", [.integer(2)])
        ])
        #expect(throws: StoreFailure.self) { try shelf.store.handedBack() }
        try shelf.give([SQLWrite("UPDATE handed_back SET body = ?", [.blob([1, 2, 3])])])
        #expect(throws: StoreFailure.self) { try shelf.store.handedBack() }
    }
}
