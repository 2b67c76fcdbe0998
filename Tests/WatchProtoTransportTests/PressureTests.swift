import CPosix
import Glibc
import Locks
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import WatchProtoTransport

/// Counterparts that stop, flood, or call back at the wrong moment.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PressureTests {
    @Test(
        "a reader that stops holds the sender back, and all arrives when it goes on",
        arguments: LinkKind.allCases)
    func backPressure(_ kind: LinkKind) async throws {
        let directory = TemporaryDirectory()
        let (phoneAddress, watchAddress) = try kind.addresses(in: directory)
        let (phone, watch) = try await linkedSides(at: phoneAddress, watchAddress)
        watch.session.suspendLink()
        let before = phone.session.counters.bytesWritten
        let record = [UInt8](repeating: 7, count: 10_000)
        for _ in 0..<1000 { try phone.session.transfer(background(record)) }
        await pause(.milliseconds(200))
        // Ten megabytes wait here; what left is bounded by credit and the system's buffers.
        #expect(phone.session.counters.bytesWritten - before < 3 << 20)
        #expect(phone.session.outstandingTransfers.count == 1000)
        let wakeUps = phone.session.counters.wakeUps
        await pause(.milliseconds(200))
        #expect(phone.session.counters.wakeUps - wakeUps < 50, "it must sleep while it is blocked")
        watch.session.resumeLink()
        #expect(
            await eventually(within: .seconds(30)) { phone.session.outstandingTransfers.isEmpty },
            "\(phone.session.whatHappened), \(watch.session.whatHappened)")
        #expect(watch.recorder.recordCount == 1000)
        phone.session.close()
        watch.session.close()
    }

    @Test(
        "a link given up while the counterpart's queue was full is back as soon as it reads on",
        arguments: [DeviceRole.watch, .phone])
    func stallWithFullQueue(_ reader: DeviceRole) async throws {
        let directory = TemporaryDirectory()
        let (phoneAddress, watchAddress) = try LinkKind.datagram.addresses(in: directory)
        // Only the sender is impatient: it must be the one who gives the link up.
        let patience = { (role: DeviceRole) -> Duration in
            role == reader ? .seconds(60) : .milliseconds(300)
        }
        let phone = try Side(.phone, at: phoneAddress) {
            $0.driver.peer.stallTime = patience(.phone)
        }
        let watch = try Side(.watch, at: watchAddress) {
            $0.driver.peer.stallTime = patience(.watch)
        }
        try watch.session.activate()
        try phone.session.activate()
        #expect(await eventually { phone.isReachable && watch.isReachable })
        let (stopped, sender) = reader == .watch ? (watch, phone) : (phone, watch)
        stopped.session.suspendLink()
        let record = [UInt8](repeating: 7, count: 10_000)
        for _ in 0..<100 { try sender.session.transfer(background(record)) }
        #expect(await eventually { sender.recorder.events.contains(.linkClosed(.stalled)) })
        // The next one is asked for, and waits for room as the end of this one does: asleep.
        await pause(.milliseconds(100))
        let wakeUps = sender.session.counters.wakeUps
        await pause(.milliseconds(100))
        #expect(sender.session.counters.wakeUps - wakeUps < 5)
        #expect(!sender.session.isReachable)
        stopped.session.resumeLink()
        // The backoff would be a minute.
        #expect(await eventually { sender.session.outstandingTransfers.isEmpty })
        #expect(stopped.recorder.recordCount == 100)
        #expect(sender.session.counters.linkFailures == 0)
        phone.session.close()
        watch.session.close()
    }

    /// A carrier of a caller's own: it always has something to read, and takes whatever is written.
    final class Firehose: Carrier {
        let reads = Atomic(0)
        private let descriptor: Int32
        /// An advisory packet, which changes no state.
        private let notice = StreamFraming.prefix(of: .advisory, length: 2) + [0, 6]

        init() throws {
            descriptor = try retryOnInterrupt { eventfd(1, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
                .get()
        }

        var traits: CarrierTraits { .stream }
        var readDescriptor: Int32? { descriptor }
        var writeDescriptor: Int32? { descriptor }

        func read(into buffer: inout MutableSpan<UInt8>) -> CarrierRead {
            reads.add(1, ordering: .relaxed)
            let whole = buffer.count / notice.count * notice.count
            for index in 0..<whole { buffer[index] = notice[index % notice.count] }
            return .bytes(whole)
        }

        func write(_ bytes: Span<UInt8>) -> CarrierWrite { .took(bytes.count) }
        func suspend() {}
        func resume() {}
        func close() { DescriptorCall.close(descriptor) }
    }

    final class OneCarrier: CarrierSource {
        private let carrier: Mutex<(any Carrier)?>
        init(_ carrier: any Carrier) { self.carrier = Mutex(carrier) }
        var waitsForCounterpart: Bool { false }
        var readinessDescriptor: Int32? { nil }
        func prepare() throws(LinkError) {}
        func open(_ occasion: OpeningOccasion) -> CarrierOpening {
            let carrier = carrier.withLock { carrier in
                defer { carrier = nil }
                return carrier
            }
            return carrier.map { .opened($0) } ?? .exhausted
        }
        func close(leavingFiles: Bool) {}
    }

    @Test("a flood does not keep senders out, nor the close")
    func flood() async throws {
        let hose = try Firehose()
        let recorder = Recorder()
        var configuration = DriverConfiguration(
            PeerConfiguration(role: .phone, pairing: PairingID(rawValue: 7), kinds: .product))
        configuration.readBufferBytes = 1 << 12
        configuration.readBytesPerTurn = 1 << 14
        let session = try DriverSession(
            configuration, source: OneCarrier(hose), security: testSecurity(.phone),
            delegate: recorder)
        try session.activate()
        #expect(await eventually { hose.reads.load(ordering: .relaxed) > 10 })
        for number in 0..<200 {
            try session.transfer(background([UInt8(number)]))
        }
        #expect(session.outstandingTransfers.count == 200)
        let reads = hose.reads.load(ordering: .relaxed)
        #expect(await eventually { hose.reads.load(ordering: .relaxed) > reads })
        session.close()
    }

    @Test("bulk on a slow stream does not delay urgent records by the kernel's buffers")
    func bulk() async throws {
        let directory = TemporaryDirectory()
        let near = LinkAddress.unixStream(path: directory.file("n"))
        let far = LinkAddress.unixStream(path: directory.file("f"))
        let link = try SlowLink(
            near: near, far: far, delay: .milliseconds(10), bytesPerSecond: 200_000)
        defer { link.close() }
        let (phone, watch) = try await linkedSides(at: near, far)
        let file = try phone.session.transfer(
            RecordDraft(
                channel: .bulk, kind: .userInfo, payload: [UInt8](repeating: 7, count: 600_000)))
        await pause(.milliseconds(500))
        // The buffers of two sockets hold a second or two of this line.
        var slowest = Duration.zero
        for _ in 0..<10 {
            let start = SystemClock.now
            _ = try await phone.session.sendMessage([1])
            slowest = max(slowest, start.duration(to: SystemClock.now))
            await pause(.milliseconds(50))
        }
        #expect(phone.session.status(of: file) != .settled(.applied), "the line was not busy")
        #expect(slowest < .milliseconds(600), "\(slowest)")
        #expect(
            await eventually(within: .seconds(20)) {
                phone.session.status(of: file) == .settled(.applied)
            })
        for side in [phone, watch] { side.session.close() }
    }

    @Test("many threads may send at once; each record arrives once")
    func threads() async throws {
        let directory = TemporaryDirectory()
        let (phoneAddress, watchAddress) = try LinkKind.stream.addresses(in: directory)
        let phone = try Side(.phone, at: phoneAddress)
        let watch = try Side(.watch, at: watchAddress)
        try watch.session.activate()
        try phone.session.activate()
        let session = phone.session
        let senders = try (0..<4).map { sender in
            try SystemThread {
                for number in 0..<250 {
                    _ = try? session.transfer(
                        background([UInt8(sender), UInt8(truncatingIfNeeded: number)]))
                }
            }
        }
        for sender in senders { sender.join() }
        #expect(await eventually { watch.recorder.recordCount == 1000 })
        let records = watch.recorder.records
        #expect(Set(records.map(\.payload)).count == 1000)
        for sender in 0..<4 {
            let own = records.map(\.payload).filter { $0[0] == UInt8(sender) }.map { $0[1] }
            #expect(own == (0..<250).map { UInt8(truncatingIfNeeded: $0) })
        }
        phone.session.close()
        watch.session.close()
    }

    @Test("a delegate that calls its own session stops the process with the reason")
    func reentry() async {
        await #expect(processExitsWith: .failure) {
            final class Caller: SessionDelegate {
                let session = Mutex<DriverSession?>(nil)
                func deliver(
                    _ record: InboundRecord, at now: Instant, later: inout DeferredInputs
                ) -> Disposition { .applied }
                func event(_ event: PeerEvent, at now: Instant, later: inout DeferredInputs) {
                    _ = session.withLock { $0 }?.isReachable
                }
            }
            let caller = Caller()
            let session = try DriverSession(
                DriverSessionOptions(
                    PeerConfiguration(
                        role: .phone, pairing: PairingID(rawValue: 7), kinds: .product),
                    at: .unixStream(path: "/nonexistent-directory/s")),
                security: testSecurity(.phone), delegate: caller)
            caller.session.withLock { $0 = session }
            try session.activate()
        }
    }
}

extension DriverSession {
    /// The state that a failed test shows.
    fileprivate var whatHappened: String {
        "\(activationState), round trip \(roundTripTime as Duration?, default: "unknown"), "
            + "\(counters), \(peerCounters)"
    }
}
