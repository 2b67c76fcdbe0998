import Glibc
import Synchronization
import Testing
import WatchProto
import WatchProtoRecords
import WatchSecurity

@testable import WatchTransport

/// Pairing over sockets of this machine.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PairingDriverTests {
    /// One side: what it heard and kept.
    final class Side: Sendable {
        private struct Heard {
            var events: [String] = []
            var codes: [PairingCode] = []
            var kept: PairedDevice?
            var isStoring = false
        }

        private let heard = Mutex(Heard())
        /// What stores waits while this is set.
        let isDiskBusy = Atomic<Bool>(false)
        let driver: Mutex<PairingDriver?> = Mutex(nil)

        init(_ role: DeviceRole, at address: LinkAddress) throws {
            let identity = PairingIdentity(role: role, device: .random())
            let made = try PairingDriver(
                identity,
                source: address.makeSource(
                    side: role == .watch ? .listening : .connecting, wireVersion: 1),
                store: { [weak self] device in
                    guard let self else { return }
                    heard.withLock { $0.isStoring = true }
                    while isDiskBusy.load(ordering: .sequentiallyConsistent) { usleep(2000) }
                    heard.withLock { $0.kept = device }
                },
                ear: { [weak self] event in self?.hear(event) })
            driver.withLock { $0 = made }
            try made.start()
        }

        private func hear(_ event: PairingLink.Event) {
            heard.withLock { heard in
                switch event {
                case .code(let code): heard.codes.append(code)
                case .confirm: heard.events.append("confirm")
                case .store: heard.events.append("store")
                case .failed(_, let left): heard.events.append("failed \(left)")
                case .expired: heard.events.append("expired")
                case .advice(let advice): heard.events.append("advice \(advice)")
                case .ended(let ending): heard.events.append("ended \(ending)")
                }
            }
        }

        var events: [String] { heard.withLock { $0.events } }
        var codes: [PairingCode] { heard.withLock { $0.codes } }
        var kept: PairedDevice? { heard.withLock { $0.kept } }
        var isStoring: Bool { heard.withLock { $0.isStoring } }

        func act<Value: Sendable>(
            _ body: (inout PairingLink, Instant) throws -> Value
        ) throws -> Value {
            try #require(driver.withLock { $0 }).act(body)
        }

        func close() { driver.withLock { $0 }?.close() }
    }

    private func address(_ kind: String, _ path: String) -> LinkAddress {
        switch kind {
        case "stream": .unixStream(path: path)
        case "seqpacket": .unixSeqpacket(path: path)
        default: .unixDatagram(path: path)
        }
    }

    @Test(arguments: ["stream", "seqpacket", "datagram"], [DeviceRole.watch, .phone])
    func two_devices_pair_whoever_shows_the_code(_ kind: String, shower: DeviceRole) async throws {
        let directory = TemporaryDirectory()
        let address = address(kind, directory.file("s"))
        let watch = try Side(.watch, at: address)
        let phone = try Side(.phone, at: address)
        defer {
            watch.close()
            phone.close()
        }
        let (shows, enters) = shower == .watch ? (watch, phone) : (phone, watch)
        let code = try shows.act { link, now in try link.showCode(at: now) }
        // A wrong one first: it is burnt, and a new one shown.
        let typed = code.text == "000000" ? "000001" : "000000"
        try enters.act { link, now in try link.enterCode(PairingCode(typed)!, at: now) }
        #expect(await eventually { shows.codes.count == 1 && enters.events == ["failed 2"] })
        let next = try #require(shows.codes.last)
        try enters.act { link, now in try link.enterCode(next, at: now) }
        #expect(await eventually { enters.events.last == "confirm" })
        #expect(shows.events == ["failed 2"])
        _ = try enters.act { link, now in link.confirm(at: now) }
        #expect(await eventually { shows.events.last == "confirm" })
        _ = try shows.act { link, now in link.confirm(at: now) }
        let ended = await eventually {
            shows.events.last == "ended paired" && enters.events.last == "ended paired"
        }
        #expect(ended, "\(shows.events) \(enters.events)")
        #expect(shows.kept?.pairing == enters.kept?.pairing && shows.kept != nil)
        #expect(shows.kept?.counterpartKey == enters.kept?.ownKey)
    }

    @Test func who_gives_up_while_the_keys_are_kept_is_told_that_it_is_too_late() async throws {
        let directory = TemporaryDirectory()
        let address = LinkAddress.unixStream(path: directory.file("s"))
        let watch = try Side(.watch, at: address)
        let phone = try Side(.phone, at: address)
        defer {
            watch.close()
            phone.close()
        }
        let code = try watch.act { link, now in try link.showCode(confirmsAhead: true, at: now) }
        try await holding(watch) {
            try phone.act { link, now in try link.enterCode(code, confirmsAhead: true, at: now) }
            #expect(await eventually { watch.isStoring })
            #expect(try watch.act { link, now in !link.cancel(at: now) })
            #expect(watch.events.isEmpty && phone.kept == nil)
        }
        #expect(
            await eventually { watch.events == ["ended paired"] && phone.events == watch.events })
        #expect(watch.kept?.pairing == phone.kept?.pairing && watch.kept != nil)
    }

    /// Lets nothing be stored on a side while `body` runs.
    private func holding(_ side: Side, _ body: () async throws -> Void) async throws {
        side.isDiskBusy.store(true, ordering: .sequentiallyConsistent)
        defer { side.isDiskBusy.store(false, ordering: .sequentiallyConsistent) }
        try await body()
    }

    @Test func the_side_that_comes_waits_for_the_one_that_listens() async throws {
        let directory = TemporaryDirectory()
        let address = LinkAddress.unixStream(path: directory.file("s"))
        let phone = try Side(.phone, at: address)
        let code = try phone.act { link, now in try link.showCode(confirmsAhead: true, at: now) }
        let watch = try Side(.watch, at: address)
        defer {
            watch.close()
            phone.close()
        }
        try watch.act { link, now in try link.enterCode(code, confirmsAhead: true, at: now) }
        #expect(
            await eventually { phone.kept != nil && watch.kept?.pairing == phone.kept?.pairing })
    }

    /// Each says hello under a code of its own and leaves; each that is answered costs two
    /// multiplications.
    @Test func of_a_crowd_of_guests_so_many_are_answered_and_the_honest_one_pairs() async throws {
        let directory = TemporaryDirectory()
        let path = directory.file("s")
        let watch = try Side(.watch, at: .unixStream(path: path))
        defer { watch.close() }
        let code = try watch.act { link, now in try link.showCode(confirmsAhead: true, at: now) }
        let begin = SystemClock.now
        let busy = NoticePacket(version: PairedSecurity.wireVersion, code: .busy)
            .packet(on: .stream)
        var answered = 0
        var turnedAway = 0
        for number in 0..<150 {
            let guest = try SocketKind.stream.make().get()
            _ = try SocketPath.connect(guest, to: path).get()
            let carrier = SocketCarrier(guest, kind: .stream)
            defer { carrier.close() }
            let hello = try #require(
                Pairing(
                    entering: PairingCode("\(100_000 + number)")!,
                    as: PairingIdentity(role: .phone, device: .random())
                ).opening)
            // One that was turned away may be gone already.
            _ = carrier.write(PairingPacket.packet(hello, on: .stream).span)
            var heard: [UInt8] = []
            #expect(
                await eventually {
                    guard let more = CarrierTests.read(carrier) else { return true }
                    heard += more
                    return !heard.isEmpty
                })
            if heard == busy {
                turnedAway += 1
            } else if heard.count > 60 {
                answered += 1
            }
        }
        let seconds = begin.duration(to: SystemClock.now).nanosecondsClamped / 1_000_000_000 + 1
        let budget = WorkBudget.pairingGuests
        #expect(answered >= budget.burst)
        #expect(answered <= budget.burst + seconds * budget.perSecond, "in \(seconds) s")
        #expect(answered + turnedAway == 150, "\(answered) and \(turnedAway)")
        #expect(turnedAway > 0)
        // None of them has spoilt the code.
        #expect(watch.events.isEmpty && watch.codes.isEmpty)
        let phone = try Side(.phone, at: .unixStream(path: path))
        defer { phone.close() }
        try phone.act { link, now in try link.enterCode(code, confirmsAhead: true, at: now) }
        #expect(
            await eventually { phone.kept != nil && watch.kept?.pairing == phone.kept?.pairing })
    }

    @Test func a_device_that_wants_a_session_is_told_from_one_that_pairs() async throws {
        let directory = TemporaryDirectory()
        let address = LinkAddress.unixStream(path: directory.file("s"))
        let devices = try SimulatedPair(seed: 3)
        let session = try CompanionSession(
            SessionOptions(
                PeerConfiguration(role: .watch, pairing: PairingID(rawValue: 7), kinds: .product),
                at: address),
            security: devices.security(of: .watch, life: 1), delegate: SessionTests.Moody())
        try session.activate()
        let phone = try Side(.phone, at: address)
        defer {
            phone.close()
            session.close()
        }
        try phone.act { link, now in try link.enterCode(PairingCode("123456")!, at: now) }
        #expect(await eventually { phone.events == ["advice notPairing"] })
        // The session's user pairs after all: the same code is still good.
        session.close()
        let watch = try Side(.watch, at: address)
        defer { watch.close() }
        _ = try watch.act { link, now in try link.showCode(at: now) }
        #expect(await eventually(within: .seconds(20)) { phone.events.contains("failed 2") })
    }
}
