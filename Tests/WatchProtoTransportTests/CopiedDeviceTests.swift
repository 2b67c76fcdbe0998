import Glibc
import Locks
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import WatchProtoTransport

/// A device whose journal was copied to another, and a counterpart that meets both.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct CopiedDeviceTests {
    /// A journal in memory that can begin as the copy of another.
    final class CopiedJournal: JournalBackend {
        private let image: Mutex<JournalImage>

        init(_ image: JournalImage = CopiedJournal.paired) { self.image = Mutex(image) }

        /// The content after a pairing.
        static var paired: JournalImage {
            MemoryJournal().restore(
                PeerConfiguration(
                    role: .phone, pairing: PairingID(rawValue: 7), kinds: .product))
        }

        var isDurable: Bool { false }
        var content: JournalImage { image.withLock { $0 } }
        func restore(_ configuration: PeerConfiguration) -> JournalImage { content }

        func persist(
            _ entries: [JournalEntry], writes: [any StoreWrite], receipt: JournalReceipt,
            notifier: CommitNotifier
        ) -> JournalAnswer {
            image.withLock { image in
                for entry in entries { image.apply(entry) }
            }
            return .committed
        }
    }

    private let directory = TemporaryDirectory()

    private func session(
        _ role: DeviceRole, _ journal: any JournalBackend, _ recorder: Recorder
    ) throws -> DriverSession {
        try DriverSession(
            DriverSessionOptions(
                PeerConfiguration(role: role, pairing: PairingID(rawValue: 7), kinds: .product),
                at: .unixStream(path: directory.file("s"))),
            security: testSecurity(role), journal: journal, delegate: recorder)
    }

    /// Runs the phone on a journal until the watch has its record.
    private func run(_ journal: CopiedJournal, until count: Int, _ recorder: Recorder) async throws
    {
        let phone = try session(.phone, journal, Recorder())
        try phone.transfer(background([UInt8(count)]))
        try phone.activate()
        #expect(await eventually { recorder.recordCount == count })
        #expect(await eventually { phone.outstandingTransfers.isEmpty })
        phone.close()
    }

    @Test func who_finds_a_copy_rests_until_it_is_activated_again() async throws {
        let recorder = Recorder()
        let watch = try session(.watch, CopiedJournal(), recorder)
        defer { watch.close() }
        try watch.activate()
        let original = CopiedJournal()
        try await run(original, until: 1, recorder)
        let copy = CopiedJournal(original.content)
        try await run(original, until: 2, recorder)
        try await run(copy, until: 3, recorder)
        #expect(recorder.events.contains(.counterpartChanged(.wentBack)))
        let returned = try session(.phone, original, Recorder())
        defer { returned.close() }
        try returned.transfer(background([4]))
        try returned.activate()
        #expect(await eventually { recorder.events.contains(.linkClosed(.cloned)) })
        #expect(recorder.events.contains(.counterpartChanged(.cloned)))
        // It is not there for anybody: the path is given up.
        #expect(await eventually { unsafe access(directory.file("s"), F_OK) != 0 })
        #expect(watch.activationState == .notActivated)
        // Both sides know. Their users ask for them again: they are there, and find the same.
        #expect(await eventually { returned.activationState == .notActivated })
        recorder.notes.withLock { $0.events = [] }
        try watch.activate()
        try returned.activate()
        #expect(await eventually { recorder.events.contains(.linkClosed(.cloned)) })
        #expect(recorder.recordCount == 3)
    }
}
