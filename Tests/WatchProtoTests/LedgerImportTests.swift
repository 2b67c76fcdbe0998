import Locks
import Testing
import WatchProtoCore
import WatchProtoJournal

@testable import WatchProto

/// The events of a file come into a ledger as one.
@Suite(.timeLimit(.minutes(1))) struct LedgerImportTests {
    private let worker = ManualWorker()

    private func events(_ numbers: ClosedRange<Int>, medication: Int = 7) throws -> EncodedEvents {
        var events = EncodedEvents()
        for number in numbers {
            let event = DoseEvent.numbered(UInt128(number), medication: UInt128(medication))
            events.append(try event.encoded())
        }
        return events
    }

    private func add(
        _ events: EncodedEvents, to ledger: DeviceLedger, isPartial: Bool = false
    ) throws(DoseRefusal) -> DeviceLedger.Imported {
        let result = Mutex<Result<DeviceLedger.Imported, DoseRefusal>?>(nil)
        ledger.add(events, isPartial: isPartial) { answer in result.withLock { $0 = answer } }
        worker.run()
        guard let answer = result.withLock({ $0 }) else {
            preconditionFailure("the ledger gave no answer")
        }
        return try answer.get()
    }

    private func tables(_ folder: Folder) throws -> LedgerTables {
        LedgerTables(
            try JournalFile(
                path: folder.file("j"), options: JournalOptions(stores: [LedgerTables.schema])))
    }

    @Test("Encodings come back as they were, in the order that is asked for")
    func encodings() throws {
        // More than one piece, and encodings of several lengths.
        var events = EncodedEvents()
        let encodings = (0..<2_000).map { [UInt8](repeating: UInt8($0 & 0xFF), count: $0 % 201) }
        for encoding in encodings { events.append(encoding) }
        #expect(Array(events) == encodings)
        events.select([1_999, 3, 400])
        #expect(Array(events) == [encodings[1_999], encodings[3], encodings[400]])
    }

    @Test("Every event of a file counts once, in the file's order, in a file and in memory")
    func whole() async throws {
        let folder = try Folder()
        let file = try tables(folder)
        for store in [file, MemoryLedger()] as [any LedgerStore] {
            let ledger = DeviceLedger(.phone, store, worker)
            let reader = ledger.changes()
            _ = try add(events(1...300), to: ledger)
            let result = try add(events(201...1_000), to: ledger)
            #expect(result.recorded == 700 && result.known == 100 && result.clashCount == 0)
            #expect(try store.digest().count == 1_000)
            let newest = try store.newest(of: nil, before: nil, limit: 2)
            let ids = try newest.map { try DoseEvent(decoding: $0.encoding).id.rawValue }
            #expect(ids == [1_000, 999])
            reader.finish()
            for number in 1...1_000 { #expect(await reader.next() == UInt128(number)) }
            #expect(await reader.next() == nil)
        }
        file.file.close()
    }

    @Test("A file with another form of an event changes nothing")
    func clash() throws {
        let ledger = DeviceLedger(.phone, FaultyLedger(), worker)
        _ = try add(events(1...3), to: ledger)
        let before = try ledger.store.digest()
        var file = try events(2...5, medication: 9)
        for encoding in try events(6...9) { file.append(encoding) }
        let refused = try add(file, to: ledger)
        #expect(refused.clashCount == 2 && refused.clashes.map(\.rawValue) == [2, 3])
        #expect(refused.recorded == 0)
        #expect(try ledger.store.digest() == before)
    }

    @Test("Of a file with other forms, the rest is added if that is asked for")
    func partial() throws {
        let folder = try Folder()
        let file = try tables(folder)
        for store in [file, MemoryLedger()] as [any LedgerStore] {
            let ledger = DeviceLedger(.phone, store, worker)
            _ = try add(events(1...3), to: ledger)
            let result = try add(events(2...5, medication: 9), to: ledger, isPartial: true)
            #expect(result.recorded == 2 && result.clashCount == 2)
            #expect(try store.digest().count == 5)
            #expect(try store.event(2) == DoseEvent.numbered(2).encoded())
        }
        file.file.close()
    }

    /// Shows D-2.
    @Test("The events of a failed commit are looked for when the journal works again")
    func failure() async throws {
        for isDurable in [true, false] {
            let (store, link) = (FaultyLedger(), KeepingLink())
            let exchange = LedgerExchange(DeviceLedger(.watch, store, worker))
            exchange.begin(link, with: PairingID(rawValue: 1))
            let reader = exchange.ledger.changes()
            store.faults.withLock { faults in
                faults.writing = true
                faults.keepsFailed = isDurable
            }
            let refusal = #expect(throws: DoseRefusal.self) {
                try add(events(1...2_500), to: exchange.ledger)
            }
            #expect(refusal?.isOutcomeUnknown == true)
            // The session learns of the failure, and opens the journal again.
            #expect(link.contents.withLock { $0.writes } == 1)
            store.faults.withLock { $0.writing = false }
            exchange.journalReopened()
            worker.run()
            reader.finish()
            var count = 0
            while await reader.next() != nil { count += 1 }
            #expect(count == (isDurable ? 2_500 : 0))
            // Repeated, each event counts once.
            let again = try add(events(1...2_500), to: exchange.ledger)
            #expect(again.recorded == (isDurable ? 0 : 2_500))
            #expect(try store.digest().count == 2_500)
        }
    }
}
