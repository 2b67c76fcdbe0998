import Glibc
import Locks
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import WatchProtoTransport

/// The seam a durable journal will fill: it answers later, from a thread of its own.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct JournalTests {
    /// Commits in batches on its own thread once it is let go.
    final class SlowJournal: JournalBackend {
        private struct State {
            var waiting: [(JournalReceipt, CommitNotifier)] = []
            var image: JournalImage?
            var isHeld = false
            var fails = false
        }

        private let state = Mutex(State())

        var isDurable: Bool { true }
        var waitingCount: Int { state.withLock { $0.waiting.count } }

        func restore(_ configuration: PeerConfiguration) -> JournalImage {
            state.withLock { state in
                let image = state.image ?? MemoryJournal().restore(configuration)
                state.image = image
                return image
            }
        }

        func persist(
            _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
            notifier: CommitNotifier
        ) -> JournalAnswer {
            state.withLock { state in
                if state.fails { return .failed }
                state.image?.apply(entries)
                guard state.isHeld else { return .committed }
                state.waiting.append((receipt, notifier))
                return .later
            }
        }

        func hold() { state.withLock { $0.isHeld = true } }
        func fail(_ fails: Bool = true) { state.withLock { $0.fails = fails } }

        /// Commits what waits, on another thread.
        func commit() throws {
            let thread = try SystemThread { [self] in
                let waiting = state.withLock { state in
                    state.isHeld = false
                    defer { state.waiting = [] }
                    return state.waiting
                }
                for (receipt, notifier) in waiting { notifier.committed(receipt) }
            }
            thread.join()
        }
    }

    /// The notes of an observed journal, in order.
    final class Notes: Sendable {
        private let list = Mutex<[String]>([])
        var all: [String] { list.withLock { $0 } }
        func add(_ note: String) { list.withLock { $0.append(note) } }
    }

    @Test("an observer of a journal hears of each batch, however it is answered")
    func observed() throws {
        let notes = Notes()
        let journal = SlowJournal()
        journal.hold()
        let observed = ObservedJournal(journal) { entries in
            entries.isEmpty ? nil : entries.count
        } ended: { note, isCommitted in
            notes.add("\(note ?? 0) \(isCommitted)")
        }
        let notifier = CommitNotifier(wake: try WakeDescriptor())
        func persist(_ receipt: UInt64, _ entries: [JournalEntry]) -> JournalAnswer {
            observed.persist(
                entries, writes: [], receipt: JournalReceipt(rawValue: receipt), notifier: notifier)
        }
        let entry = JournalEntry.ticketProgress(own: 1, counterpart: nil)
        #expect(observed.isDurable)
        #expect(persist(1, [entry]) == .later)
        #expect(persist(2, [entry, entry]) == .later)
        #expect(notes.all == [])
        try journal.commit()
        #expect(notes.all == ["1 true", "2 true"])
        #expect(notifier.take().map { $0.receipt.rawValue } == [1, 2])
        #expect(persist(0, []) == .committed)
        journal.fail()
        #expect(persist(3, [entry]) == .failed)
        #expect(notes.all == ["1 true", "2 true", "0 true", "1 false"])
        // The notifier gets no receipt of a batch that the journal answers at once.
        #expect(notifier.take().isEmpty)
    }

    /// Notes what it is told, and commits nothing.
    final class ToldJournal: JournalBackend {
        let notes: Notes
        init(_ notes: Notes) { self.notes = notes }
        var isDurable: Bool { true }
        func restore(_ configuration: PeerConfiguration) -> JournalImage {
            JournalImage(kinds: configuration.kinds)
        }

        func persist(
            _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
            notifier: CommitNotifier
        ) -> JournalAnswer {
            notes.add("persist")
            return .later
        }

        func queue(
            _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
            notifier: CommitNotifier
        ) -> JournalAnswer {
            notes.add("queue")
            return .later
        }

        func start() { notes.add("start") }
    }

    /// Notes what is written.
    final class ToldCarrier: Carrier {
        let notes: Notes
        let traits: CarrierTraits
        init(_ notes: Notes, _ traits: CarrierTraits) {
            self.notes = notes
            self.traits = traits
        }
        var readDescriptor: Int32? { nil }
        var writeDescriptor: Int32? { nil }
        func read(into buffer: inout MutableSpan<UInt8>) -> CarrierRead { .nothingYet }

        func write(_ bytes: Span<UInt8>) -> CarrierWrite {
            notes.add("write \(bytes.count)")
            return .took(bytes.count)
        }

        func suspend() {}
        func resume() {}
        func close() {}
    }

    @Test(
        "packets leave before the journal begins, and it always begins",
        arguments: [
            CarrierTraits.stream,
            CarrierTraits(framing: .datagram(largestBytes: 1200), isLossy: true),
        ])
    func order(_ traits: CarrierTraits) throws {
        let notes = Notes()
        let notifier = CommitNotifier(wake: try WakeDescriptor())
        var environment = DriverEnvironment(
            journal: ToldJournal(notes), notifier: notifier)
        func persist() { environment.persist([], receipt: JournalReceipt(rawValue: 1)) }
        // Without a link.
        persist()
        environment.startJournal()
        environment.startJournal()
        #expect(notes.all == ["queue", "start"])
        environment.install(ToldCarrier(notes, traits))
        persist()
        persist()
        #expect(environment.transmit([1, 2, 3].span, to: nil) == 3)
        #expect(environment.transmit([4].span, to: nil) == 1)
        environment.flush()
        environment.startJournal()
        let written =
            traits.framing == .stream ? ["write 4", "start"] : ["write 3", "start", "write 1"]
        #expect(Array(notes.all.dropFirst(2)) == ["queue", "queue"] + written)
    }

    static func make(
        _ role: DeviceRole, _ address: LinkAddress, _ journal: any JournalBackend
    ) throws -> (DriverSession, Recorder) {
        let recorder = Recorder()
        let session = try DriverSession(
            DriverSessionOptions(
                PeerConfiguration(role: role, pairing: PairingID(rawValue: 7), kinds: .product),
                at: address),
            security: testSecurity(role), journal: journal, delegate: recorder)
        return (session, recorder)
    }

    @Test("nothing is acknowledged before the receiver's journal has said so")
    func later() async throws {
        let directory = TemporaryDirectory()
        let address = LinkAddress.unixStream(path: directory.file("s"))
        let journal = SlowJournal()
        let (phone, _) = try Self.make(.phone, address, MemoryJournal())
        let (watch, recorder) = try Self.make(.watch, address, journal)
        #expect(watch.isDurable && !phone.isDurable)
        try watch.activate()
        try phone.activate()
        #expect(await eventually { phone.isReachable && watch.isReachable })
        journal.hold()
        let id = try phone.transfer(background([1]))
        #expect(await eventually { recorder.recordCount == 1 && journal.waitingCount > 0 })
        await pause(.milliseconds(50))
        guard case .underWay(let stage) = phone.status(of: id) else {
            Issue.record("settled before it was durable")
            return
        }
        #expect(stage < .committed)
        try journal.commit()
        #expect(await eventually { phone.status(of: id) == .settled(.applied) })
        phone.close()
        watch.close()
    }

    @Test("a journal that fails stops the peer and says so")
    func fails() throws {
        let directory = TemporaryDirectory()
        let journal = SlowJournal()
        journal.fail()
        let (phone, recorder) = try Self.make(
            .phone, .unixStream(path: directory.file("s")), journal)
        _ = try? phone.transfer(background([1]))
        #expect(recorder.events.contains(.journalFailed))
        #expect(throws: SendRefusal.journalFailed) { try phone.transfer(background([2])) }
        #expect(!phone.write([]))
        phone.close()
    }
}
