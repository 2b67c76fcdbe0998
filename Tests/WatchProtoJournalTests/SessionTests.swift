import Locks
import Testing
import WatchProtoCore
import WatchProtoRecords
import WatchProtoSecurity

@testable import WatchProtoJournal
@testable import WatchProtoTransport

extension NullSecurity {
    /// The security of a device of the tests' pairing.
    init(_ role: DeviceRole) {
        self.init(PeerLabel(role: role, pairing: pairing), seed: SystemRandomness.epoch().rawValue)
    }
}

/// Two sessions on a socket, each with its own file; one side after the other ends as a killed
/// process does and comes back.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SessionTests {
    private static let counts = StoreSchema(
        name: "counts",
        migrations: [
            Migration(
                adding: "makes the table",
                ["CREATE TABLE seen(payload BLOB PRIMARY KEY NOT NULL, times INTEGER NOT NULL)"])
        ])

    /// Counts in the store how often each record was applied.
    private final class Counter: SessionDelegate {
        func deliver(
            _ record: InboundRecord, at now: Instant, later: inout DeferredInputs
        ) -> Disposition {
            later.write(
                SQLWrite(
                    """
                    INSERT INTO seen(payload, times) VALUES(?, 1)
                    ON CONFLICT(payload) DO UPDATE SET times = times + 1
                    """, [.blob(record.payload)]))
            return .applied
        }

        func event(_ event: PeerEvent, at now: Instant, later: inout DeferredInputs) {}
    }

    /// One device: its file and its session.
    private struct Device {
        let file: JournalFile
        let session: DriverSession

        init(
            _ role: DeviceRole, in directory: TemporaryDirectory,
            _ options: JournalOptions = JournalOptions(stores: [counts])
        ) throws {
            file = try JournalFile(
                path: directory.file(role == .phone ? "phone" : "watch"), options: options)
            var peer = PeerConfiguration(role: role, pairing: pairing, kinds: .product)
            peer.reopenBackoff = .milliseconds(10)
            session = try DriverSession(
                DriverSessionOptions(peer, at: .unixStream(path: directory.file("s"))),
                security: NullSecurity(role), journal: try file.journal(for: pairing),
                delegate: Counter())
            try session.activate()
        }

        func kill() {
            session.abandon()
            file.abandon()
        }

        func close() {
            session.close()
            file.close()
        }

        func seen() throws -> [Int64: Int64] {
            let rows = try file.read { store in
                try store.query("SELECT payload, times FROM seen") {
                    (row: borrowing SQLRow) throws(StoreFailure) in
                    let number = row.blob(0).reduce(Int64(0)) { $0 << 8 | Int64($1) }
                    return [number, row.integer(1)]
                }
            }
            return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
        }
    }

    private func payload(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }

    @Test func nothing_is_lost_and_nothing_twice() async throws {
        let directory = TemporaryDirectory()
        var phone = try Device(.phone, in: directory)
        var watch = try Device(.watch, in: directory)
        var sent: [DeviceRole: Set<Int64>] = [.phone: [], .watch: []]
        var number = 0
        for round in 0..<6 {
            for _ in 0..<40 {
                number += 1
                let draft = RecordDraft(
                    channel: .background, kind: .opaque, payload: payload(number))
                _ = try phone.session.transfer(draft)
                sent[.phone]?.insert(Int64(number))
                _ = try watch.session.transfer(draft)
                sent[.watch]?.insert(Int64(number))
            }
            // A record not yet reported durable may be lost with the process, and its loss is
            // reported.
            try (round % 2 == 0 ? watch : phone).file.flush()
            if round % 2 == 0 {
                watch.kill()
                watch = try Device(.watch, in: directory)
            } else {
                phone.kill()
                phone = try Device(.phone, in: directory)
            }
        }
        let isDone = await eventually(within: .seconds(60)) {
            phone.session.outstandingTransfers.isEmpty && watch.session.outstandingTransfers.isEmpty
        }
        #expect(isDone, "\(phone.session.outstandingTransfers.count) left on the phone")
        try phone.file.flush()
        try watch.file.flush()
        for (device, sender) in [(watch, DeviceRole.phone), (phone, .watch)] {
            let seen = try device.seen()
            #expect(Set(seen.keys) == sent[sender])
            #expect(seen.values.allSatisfy { $0 == 1 }, "\(seen.filter { $0.value != 1 })")
        }
        phone.close()
        watch.close()
    }

    /// A watch that loses its log is refused; once it is told to go on, it is a side that was set
    /// back: values come again, what it had taken over for good does not, and nothing counts twice.
    @Test func a_side_that_lost_its_log_goes_on_with_what_it_has() async throws {
        let directory = TemporaryDirectory()
        let phone = try Device(.phone, in: directory)
        var watch = try Device(.watch, in: directory)
        let value = RecordDraft(
            channel: .context, kind: .opaque, key: RecordKey(rawValue: 5), payload: [9, 9])
        func settled() async -> Bool {
            await eventually(within: .seconds(30)) {
                phone.session.outstandingTransfers.isEmpty
                    && watch.session.outstandingTransfers.isEmpty
            }
        }
        func exchange(_ numbers: ClosedRange<Int>) async throws {
            for number in numbers {
                let draft = RecordDraft(
                    channel: .background, kind: .opaque, payload: payload(number))
                _ = try phone.session.transfer(draft)
                _ = try watch.session.transfer(draft)
            }
            if numbers.contains(21) { _ = try phone.session.transfer(value) }
            #expect(await settled())
            try phone.file.flush()
            try watch.file.flush()
        }
        try await exchange(1...20)
        watch.close()
        watch = try Device(.watch, in: directory)
        try await exchange(21...40)
        let number = Int64(9 << 8 | 9)
        #expect(try watch.seen()[number] == 1)
        watch.kill()
        directory.remove("watch-wal")
        let error = #expect(throws: JournalError.self) { try Device(.watch, in: directory) }
        #expect(error?.kind == .commitsMissing, "\(error as Any)")
        directory.remove("watch-lock")
        directory.write("watch-wal", [])
        watch = try Device(.watch, in: directory)
        // The value may be there again before this thread looks.
        #expect(try Set(watch.seen().keys).subtracting([number]) == Set(1...20))
        try await exchange(41...60)
        // The phone finds by comparing that the value is missing: nothing shows that it still will.
        let device = watch
        let isBack = await eventually(within: .seconds(30)) {
            (try? device.seen()[number]) == 1
        }
        #expect(isBack)
        try watch.file.flush()
        let onWatch = try watch.seen()
        #expect(Set(onWatch.keys) == Set(1...20).union(41...60).union([number]))
        #expect(onWatch.values.allSatisfy { $0 == 1 })
        // Nothing of the watch's own is lost, nor its numbers used again.
        let onPhone = try phone.seen()
        #expect(Set(onPhone.keys) == Set(1...60))
        #expect(onPhone.values.allSatisfy { $0 == 1 })
        phone.close()
        watch.close()
    }

    /// A disk that is full for a while: sends are refused meanwhile, and then go on by themselves.
    @Test func a_session_comes_back_when_space_returns() async throws {
        let directory = TemporaryDirectory()
        let isFull = Mutex(false)
        var options = JournalOptions(stores: [Self.counts])
        options.fault = JournalFault { call in
            guard case .commit = call else { return nil }
            return isFull.withLock { $0 } ? 13 : nil
        }
        let watch = try Device(.watch, in: directory)
        let phone = try Device(.phone, in: directory, options)
        func send(_ number: Int) -> SendRefusal? {
            let draft = RecordDraft(
                channel: .background, kind: .opaque, payload: payload(number))
            do throws(SendRefusal) {
                _ = try phone.session.transfer(draft)
                return nil
            } catch {
                return error
            }
        }
        var taken: Set<Int64> = []
        for number in 1...10 where send(number) == nil { taken.insert(Int64(number)) }
        #expect(await eventually { (try? watch.seen().count) == 10 })
        isFull.withLock { $0 = true }
        // Records are accepted until a commit has failed; they are promised to nobody.
        var unpromised: Set<Int64> = []
        for number in 11...1000 {
            guard send(number) == nil else { break }
            unpromised.insert(Int64(number))
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(!unpromised.isEmpty && send(1001) == .journalFailed)
        #expect(await eventually { phone.file.failure?.kind == .diskFull })
        // An attempt to open it again while the disk is full changes nothing.
        try await Task.sleep(for: .milliseconds(600))
        #expect(send(1002) == .journalFailed)
        isFull.withLock { $0 = false }
        var number = 1002
        let isBack = await eventually(within: .seconds(40)) {
            number += 1
            guard send(number) == nil else { return false }
            taken.insert(Int64(number))
            return true
        }
        #expect(isBack && phone.file.failure == nil)
        let arrived = await eventually(within: .seconds(30)) {
            phone.session.outstandingTransfers.isEmpty
        }
        #expect(arrived)
        try watch.file.flush()
        let seen = try watch.seen()
        #expect(Set(seen.keys).subtracting(unpromised) == taken)
        #expect(seen.values.allSatisfy { $0 == 1 })
        phone.close()
        watch.close()
    }
}
