import Locks
import Testing
import WatchProto
import WatchProtoCore
import WatchProtoJournal
import WatchProtoSecurity
import WatchProtoTransport

@testable import ReferenceDevice

/// Kept values stay until somebody has them.
@Suite(.timeLimit(.minutes(1)))
struct StoredValueTests {
    private func value(
        _ key: UInt128, _ text: String, _ channel: Channel = .context,
        kind: ContentKind = .medication
    ) -> StoredValue {
        StoredValue(
            recovered: kind, Array(text.utf8), channel, RecordKey(rawValue: key), from: 5)
    }

    private func all(_ shelf: Shelf) throws -> [StoredValue] {
        try shelf.file.read { store in try StoredValue.all(in: store) }
    }

    @Test(arguments: [true, false]) func they_outlive_a_kill(isSealed: Bool) throws {
        let shelf = try Shelf(
            key: isSealed ? AtRestPayloads(key: try .random()) : UnsealedPayloads())
        let first = value(1, "remedy as it was sent")
        let removal = value(.max, "", kind: .medicationRemoval)
        let face = value(1, "face", .complication, kind: .complication)
        var passing = value(2, "worth something until then", .background, kind: .userInfo)
        passing.expiresAt = WallTime(milliseconds: 1_800_000_000_000)
        try shelf.give([first, removal, face, passing].map(StoredValue.insert))
        try shelf.killAndOpen()
        #expect(try all(shelf) == [first, removal, face, passing])
        try shelf.give([StoredValue.delete(passing)])
        #expect(shelf.holds(first.payload) != isSealed)
        try shelf.give([StoredValue.delete(face)])
        #expect(try all(shelf) == [first, removal], "the key of another channel stays")
        // The newest value of a key is the one to answer.
        let second = value(1, "returned again")
        try shelf.give([StoredValue.insert(second)])
        #expect(try all(shelf) == [removal, second])
        try shelf.give([removal, second].map(StoredValue.delete))
        try shelf.killAndOpen()
        #expect(try all(shelf) == [])
    }

    /// A value whose write was lost with a failed commit, and one whose removal was lost.
    @Test func the_file_counts_after_it_was_opened_again() throws {
        let shelf = try Shelf()
        let storage = try DeviceStorage(.phone, shelf.file)
        try shelf.give(storage.keep(value(1, "a")).map { [$0] } ?? [])
        #expect(storage.keep(value(2, "b")) != nil)
        storage.forget(value(1, "a"))
        #expect(storage.values(.recovered, of: 5) == [value(2, "b")])
        #expect(storage.values(.recovered, of: 6) == [])
        try storage.reload()
        #expect(storage.values(.recovered, of: 5) == [value(1, "a")])
    }

    /// Their callers wait for the disk together, and not one after the other.
    @Test func messages_that_end_at_once_share_commits() async throws {
        let shelf = try Shelf()
        let table = MessageTable(try DeviceStorage(.phone, shelf.file))
        let ids = (1...400 as ClosedRange<UInt64>).map { number in
            RecordID(
                epoch: EpochID(rawValue: 1), channel: .interactive, number: RecordNumber(number))
        }
        for id in ids { table.accepted(id, in: PairingID(rawValue: 7), to: nil) }
        let before = shelf.file.counters.commits
        await withTaskGroup(of: Void.self) { group in
            for id in ids { group.addTask { await table.ended(id, .unknown) } }
        }
        #expect(shelf.file.counters.commits - before < 200)
        try shelf.killAndOpen()
        #expect(try all(shelf).count == ids.count)
        // A disk that takes nothing ends every wait, too.
        shelf.file.close()
        table.accepted(ids[0], in: PairingID(rawValue: 7), to: nil)
        await table.ended(ids[0], .unknown)
    }

    @Test func one_that_was_altered_is_refused() throws {
        let shelf = try Shelf(key: AtRestPayloads(key: try .random()))
        try shelf.give([StoredValue.insert(value(1, "a")), StoredValue.insert(value(2, "b"))])
        try shelf.give([
            SQLWrite("UPDATE stored_values SET id = 7 WHERE id = ?", [.integer(2)])
        ])
        #expect(throws: StoreFailure.self) { try all(shelf) }
        try shelf.give([SQLWrite("UPDATE stored_values SET body = ?", [.blob([1, 2, 3])])])
        #expect(throws: StoreFailure.self) { try all(shelf) }
    }

    // MARK: Records of a former pairing

    private func carriedOver(_ key: UInt128, _ channel: Channel) -> StoredValue {
        var value = value(key, "\(key)", channel, kind: .userInfo)
        value.purpose = .carriedOver
        return value
    }

    @Test func a_carried_over_record_without_room_waits_and_none_of_its_channel_passes_it() throws {
        let storage = try DeviceStorage(.phone, nil)
        let values = [
            carriedOver(1, .background), carriedOver(2, .background), carriedOver(3, .bulk),
            carriedOver(4, .bulk),
        ]
        for value in values { #expect(storage.keep(value) == nil) }
        let link = Link()
        link.refusals.withLock { $0 = [.background: .queueFull(records: 8)] }
        #expect(storage.sendCarriedOver(to: 5, over: link) { _, _, _ in } == .queueFull(records: 8))
        #expect(link.take() == [values[2].draft, values[3].draft])
        link.refusals.withLock { $0 = [:] }
        var accepted: [StoredValue] = []
        let waits = storage.sendCarriedOver(to: 5, over: link) { value, _, _ in
            accepted.append(value)
        }
        #expect(waits == nil)
        #expect(link.take() == [values[0].draft, values[1].draft])
        #expect(accepted == [values[0], values[1]])
        #expect(storage.values(.carriedOver, of: 5) == [])
    }

    @Test func an_expired_record_of_a_former_pairing_is_gone() throws {
        let storage = try DeviceStorage(.phone, nil)
        _ = storage.keep(carriedOver(1, .background))
        _ = storage.keep(carriedOver(2, .bulk))
        let link = Link()
        link.refusals.withLock { $0 = [.background: .alreadyExpired] }
        #expect(storage.sendCarriedOver(to: 5, over: link) { _, _, _ in } == nil)
        #expect(link.take() == [carriedOver(2, .bulk).draft])
        #expect(storage.values(.carriedOver, of: 5) == [])
    }
}

/// Accepts records, except those of channels with a refusal.
private final class Link: LedgerLink {
    let refusals = Mutex<[Channel: SendRefusal]>([:])
    private let drafts = Mutex<[RecordDraft]>([])

    func take() -> [RecordDraft] {
        drafts.withLock { drafts in
            defer { drafts = [] }
            return drafts
        }
    }

    var isReachable: Bool { true }

    func withEventsUnderWay(_ body: ([RecordID: UInt128]) -> Void) {}

    func transfer(
        _ draft: RecordDraft, writes: [any StoreWrite], accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID {
        if let refusal = refusals.withLock({ $0[draft.channel] }) { throw refusal }
        let number = drafts.withLock { drafts in
            drafts.append(draft)
            return UInt64(drafts.count)
        }
        let id = RecordID(
            epoch: EpochID(rawValue: 1), channel: draft.channel, number: RecordNumber(number))
        accepted(id, .zero)
        return id
    }

    func applied(_ id: RecordID, writes: [any StoreWrite]) -> Bool { false }
    func rejected(_ id: RecordID, code: UInt16, writes: [any StoreWrite]) -> Bool { false }
    func write(_ writes: [any StoreWrite]) -> Bool { false }

    func ask(_ question: [UInt8], answered: @escaping @Sendable ([UInt8]?) -> Void) {
        answered(nil)
    }

    func reply(
        to message: InboundRecord, with payload: [UInt8]
    ) throws(SendRefusal) -> RecordID { throw .notReachable }
}
