import Locks
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import WatchProtoTransport

/// Changes to the application's store reach the journal with the entries they belong to.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct StoreWriteTests {
    struct Note: StoreWrite, Hashable {
        var text: String
        init(_ text: String) { self.text = text }
    }

    /// Keeps every batch as it was given.
    final class NotingJournal: JournalBackend {
        struct Batch {
            var entries: [JournalEntry]
            var notes: [String]
            var receipt: JournalReceipt
        }

        private let memory = MemoryJournal()
        private let kept = Mutex<[Batch]>([])

        var isDurable: Bool { true }
        var batches: [Batch] { kept.withLock { $0 } }
        var notes: [String] { batches.flatMap(\.notes) }
        func restore(_ configuration: PeerConfiguration) -> JournalImage {
            memory.restore(configuration)
        }

        func persist(
            _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
            notifier: CommitNotifier
        ) -> JournalAnswer {
            let notes = writes.compactMap { ($0 as? Note)?.text }
            kept.withLock { kept in
                kept.append(Batch(entries: entries, notes: notes, receipt: receipt))
            }
            return memory.persist(entries, writes: writes, receipt: receipt, notifier: notifier)
        }
    }

    /// Writes each record down; answers as it is told to.
    final class Writer: SessionDelegate {
        let disposition: Disposition
        let pending = Mutex<[RecordID]>([])
        let refusals = Mutex(0)
        init(_ disposition: Disposition) { self.disposition = disposition }

        func deliver(
            _ record: InboundRecord, at now: Instant, later: inout DeferredInputs
        ) -> Disposition {
            later.write(Note("record \(record.id.number.rawValue)"))
            // Too large, and refused: its write must not be carried out.
            later.send(
                background([UInt8](repeating: 0, count: 1 << 17)), tag: 5,
                writes: [Note("never")])
            later.send(background([9]), writes: [Note("answer \(record.id.number.rawValue)")])
            pending.withLock { $0.append(record.id) }
            return disposition
        }

        func event(_ event: PeerEvent, at now: Instant, later: inout DeferredInputs) {}

        func deferredSend(
            _ tag: UInt64, _ result: Result<RecordID, SendRefusal>, at now: Instant,
            later: inout DeferredInputs
        ) {
            if case .failure = result { refusals.withLock { $0 += 1 } }
        }
    }

    private struct Pair {
        let directory = TemporaryDirectory()
        let journal = NotingJournal()
        let writer: Writer
        let phone: DriverSession
        let watch: DriverSession

        init(_ disposition: Disposition) throws {
            writer = Writer(disposition)
            let address = LinkAddress.unixStream(path: directory.file("s"))
            func options(_ role: DeviceRole) -> DriverSessionOptions {
                DriverSessionOptions(
                    PeerConfiguration(role: role, pairing: PairingID(rawValue: 7), kinds: .product),
                    at: address)
            }
            watch = try DriverSession(
                options(.watch), security: testSecurity(.watch), journal: journal, delegate: writer)
            phone = try DriverSession(
                options(.phone), security: testSecurity(.phone), delegate: Recorder())
            try watch.activate()
            try phone.activate()
        }

        func close() {
            phone.close()
            watch.close()
        }
    }

    private static func receives(_ batch: NotingJournal.Batch, _ id: RecordID) -> Bool {
        batch.entries.contains { entry in
            if case .received(let record, .applied, _) = entry { return record.id == id }
            return false
        }
    }

    @Test func a_records_write_goes_with_its_entry_and_an_answers_with_the_answer() async throws {
        let pair = try Pair(.applied)
        let id = try pair.phone.transfer(background([1]))
        #expect(await eventually { pair.phone.status(of: id) == .settled(.applied) })
        let batches = pair.journal.batches
        let own = try #require(batches.first { $0.notes == ["record 1"] })
        #expect(Self.receives(own, id))
        let answer = try #require(batches.first { $0.notes == ["answer 1"] })
        #expect(
            answer.entries.contains { entry in
                if case .queued(let record) = entry { return record.payload == [9] }
                return false
            })
        #expect(pair.journal.notes == ["record 1", "answer 1"])
        #expect(pair.writer.refusals.withLock { $0 } == 1)
        pair.close()
    }

    @Test func drafts_given_at_once_are_one_batch_or_none() async throws {
        let pair = try Pair(.applied)
        var drafts = (0..<300).map { background([UInt8($0 & 0xFF), UInt8($0 >> 8)]) }
        #expect(pair.watch.transfer([RecordDraft]()) == TransferBatch())
        let before = pair.journal.batches.count
        let batch = pair.watch.transfer(drafts)
        #expect(batch.accepted.count == 300 && batch.refusal == nil)
        #expect(batch.accepted.map(\.number.rawValue) == Array(1...300))
        let first = try #require(pair.journal.batches.dropFirst(before).first)
        let queued = first.entries.compactMap { entry -> [UInt8]? in
            if case .queued(let record) = entry { record.payload } else { nil }
        }
        #expect(queued == drafts.map(\.payload))
        drafts[2] = background([UInt8](repeating: 0, count: 1 << 17))
        let refusal = SendRefusal.tooLarge(bytes: 1 << 17, limit: 1 << 16)
        #expect(pair.watch.transfer(drafts) == TransferBatch(refusal: refusal))
        let cut = pair.watch.transfer(drafts, isPartial: true)
        // The refused batch took no number.
        #expect(cut == TransferBatch(accepted: cut.accepted, refusal: refusal))
        #expect(cut.accepted.map(\.number.rawValue) == [301, 302])
        var values = (1...3).map { number in
            RecordDraft(
                channel: .context, kind: .applicationContext,
                key: RecordKey(rawValue: UInt128(number)), payload: [1])
        }
        values[2].payload = [UInt8](repeating: 0, count: 1 << 22)
        let none = pair.watch.transfer(values)
        #expect(none.accepted.isEmpty && none.refusal != nil)
        #expect(pair.watch.newestValue(.context, of: RecordKey(rawValue: 1)) == nil)
        let all = batch.accepted + cut.accepted
        #expect(
            await eventually { all.allSatisfy { pair.watch.status(of: $0) == .settled(.applied) } })
        pair.close()
        #expect(pair.watch.transfer(drafts).refusal == .notReachable)
    }

    @Test func writes_of_a_record_left_pending_run_once() async throws {
        let pair = try Pair(.pending)
        let id = try pair.phone.transfer(background([1]))
        #expect(await eventually { pair.writer.pending.withLock { $0 == [id] } })
        #expect(pair.watch.applied(id, writes: [Note("applied")]))
        #expect(!pair.watch.applied(id, writes: [Note("again")]))
        #expect(!pair.watch.rejected(id, code: 1, writes: [Note("rejected")]))
        let batch = try #require(pair.journal.batches.first { $0.notes == ["applied"] })
        #expect(batch.entries.contains(.decided(id, .applied)))
        #expect(pair.journal.notes == ["record 1", "answer 1", "applied"])
        #expect(await eventually { pair.phone.status(of: id) == .settled(.applied) })
        pair.close()
    }

    @Test func what_joins_a_record_under_way_by_its_key_writes_nothing_more() async throws {
        let pair = try Pair(.applied)
        // Nobody is there to answer yet.
        pair.watch.suspendLink()
        var draft = background([1])
        draft.idempotencyKey = 5
        let id = try pair.watch.transfer(draft, writes: [Note("once")])
        #expect(try pair.watch.transfer(draft, writes: [Note("once")]) == id)
        pair.watch.resumeLink()
        #expect(await eventually { pair.watch.status(of: id) == .settled(.applied) })
        // A transfer after its end is an act of its own here, and none over there.
        let again = try pair.watch.transfer(draft, writes: [Note("again")])
        #expect(await eventually { pair.watch.status(of: again) == .settled(.applied) })
        #expect(pair.phone.peerCounters.recordsRepeated == 1)
        pair.close()
        #expect(pair.journal.notes.filter { $0 == "once" }.count == 1)
        #expect(pair.journal.notes.filter { $0 == "again" }.count == 1)
    }

    @Test func writes_of_the_callers_own_acts() async throws {
        let pair = try Pair(.applied)
        #expect(throws: SendRefusal.self) {
            try pair.watch.transfer(
                background([UInt8](repeating: 0, count: 1 << 17)), writes: [Note("refused")])
        }
        let id = try pair.watch.transfer(background([1]), writes: [Note("a"), Note("b")])
        let batch = try #require(pair.journal.batches.first { $0.notes == ["a", "b"] })
        #expect(
            batch.entries.contains { entry in
                if case .queued(let record) = entry { return record.id == id }
                return false
            })
        #expect(pair.watch.write([Note("alone")]))
        let alone = try #require(pair.journal.batches.first { $0.notes == ["alone"] })
        #expect(alone.entries.isEmpty && alone.receipt.rawValue == 0)
        #expect(await eventually { pair.watch.status(of: id) == .settled(.applied) })
        pair.close()
        #expect(!pair.watch.write([Note("closed")]))
        #expect(!pair.journal.notes.contains("closed") && !pair.journal.notes.contains("refused"))
    }
}
