import Glibc
import Locks
import Testing
import WatchProtoCore
import WatchProtoRecords
import WatchProtoSecurity

@testable import WatchProtoTransport

/// Pairing over sockets of this machine.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PairingDriverTests {
    /// One side: what it heard and kept.
    final class Side: Sendable {
        private struct Heard {
            var events: [String] = []
            var codes: [PairingCode] = []
            var kept: PairedDevice?
        }

        private let heard = Mutex(Heard())
        let driver: Mutex<PairingDriver?> = Mutex(nil)

        init(_ role: DeviceRole, at address: LinkAddress, shows displaying: DeviceRole = .watch)
            throws
        {
            let made = try PairingDriver(
                PairingIdentity(role: role, device: .random()),
                source: address.makePairingSource(role: role, showsCode: role == displaying),
                store: { [weak self] device in self?.heard.withLock { $0.kept = device } },
                observer: { [weak self] event in self?.hear(event) })
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

        func act<Value: Sendable>(
            _ body: (inout PairingLink, Instant) throws -> Value
        ) throws -> Value {
            try #require(driver.withLock { $0 }).act(body)
        }

        func close() { driver.withLock { $0 }?.close() }
    }

    private func pair(
        _ address: LinkAddress, displaying: DeviceRole
    ) throws -> (watch: Side, phone: Side) {
        (
            try Side(.watch, at: address, shows: displaying),
            try Side(.phone, at: address, shows: displaying)
        )
    }

    private func havePaired(_ one: Side, _ other: Side) async -> Bool {
        await eventually(within: .seconds(20)) {
            one.kept != nil && one.kept?.pairing == other.kept?.pairing
        }
    }

    @Test(arguments: LinkKind.sockets, [DeviceRole.watch, .phone])
    func two_devices_pair_whoever_shows_the_code(
        _ kind: LinkKind, displaying: DeviceRole
    ) async throws {
        let directory = TemporaryDirectory()
        let (watch, phone) = try pair(
            try kind.addresses(in: directory).watch, displaying: displaying)
        defer {
            watch.close()
            phone.close()
        }
        let (shows, enters) = displaying == .watch ? (watch, phone) : (phone, watch)
        let code = try shows.act { link, now in try link.showCode(at: now) }
        // A wrong one first: it is burnt, and a new one shown.
        let typed = code.text == "000000" ? "000001" : "000000"
        try enters.act { link, now in try link.enterCode(PairingCode(typed)!, at: now) }
        // Where datagrams may be lost, the side that entered it learns of that by silence.
        let hasFailed = await eventually(within: .seconds(20)) {
            shows.codes.count == 1 && enters.events == ["failed 2"]
        }
        #expect(hasFailed, "\(shows.events) \(shows.codes.count) \(enters.events)")
        let next = try #require(shows.codes.last)
        try enters.act { link, now in try link.enterCode(next, at: now) }
        #expect(await eventually { enters.events.last == "confirm" })
        #expect(shows.events == ["failed 2"])
        _ = try enters.act { link, now in link.confirm(at: now) }
        #expect(await eventually { shows.events.last == "confirm" })
        _ = try shows.act { link, now in link.confirm(at: now) }
        let ended = await eventually(within: .seconds(20)) {
            shows.events.last == "ended paired" && enters.events.last == "ended paired"
        }
        #expect(ended, "\(shows.events) \(enters.events)")
        #expect(shows.kept?.pairing == enters.kept?.pairing && shows.kept != nil)
        #expect(shows.kept?.counterpartKey == enters.kept?.ownKey)
    }

    @Test func the_side_that_connects_waits_for_the_one_that_listens() async throws {
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
        #expect(await havePaired(phone, watch))
    }

    @Test(arguments: [DeviceRole.watch, .phone])
    func silent_connections_keep_nobody_out(displaying: DeviceRole) async throws {
        let directory = TemporaryDirectory()
        let path = directory.file("s")
        let watch = try Side(.watch, at: .unixStream(path: path))
        defer { watch.close() }
        var code: PairingCode?
        if displaying == .watch {
            code = try watch.act { link, now in try link.showCode(confirmsAhead: true, at: now) }
        }
        var idle: [SocketCarrier] = []
        defer { for carrier in idle { carrier.close() } }
        for _ in 0..<60 {
            let socket = try SocketKind.stream.make().get()
            _ = try SocketPath.connect(socket, to: path).get()
            idle.append(SocketCarrier(socket, kind: .stream))
        }
        let phone = try Side(.phone, at: .unixStream(path: path))
        defer { phone.close() }
        if let code {
            try phone.act { link, now in try link.enterCode(code, confirmsAhead: true, at: now) }
        } else {
            let shown = try phone.act { link, now in
                try link.showCode(confirmsAhead: true, at: now)
            }
            try watch.act { link, now in try link.enterCode(shown, confirmsAhead: true, at: now) }
        }
        #expect(await havePaired(phone, watch))
    }

    /// Each says hello under a code of its own and leaves.
    @Test func a_crowd_of_attackers_spoils_no_code() async throws {
        let directory = TemporaryDirectory()
        let path = directory.file("s")
        let watch = try Side(.watch, at: .unixStream(path: path))
        defer { watch.close() }
        let code = try watch.act { link, now in try link.showCode(confirmsAhead: true, at: now) }
        var answered = 0
        // The code is good for two minutes, which a busy host may take for a hundred of them.
        let end = ContinuousClock.now.advanced(by: .seconds(45))
        for number in 0..<100 where ContinuousClock.now < end {
            let socket = try SocketKind.stream.make().get()
            _ = try SocketPath.connect(socket, to: path).get()
            let carrier = SocketCarrier(socket, kind: .stream)
            defer { carrier.close() }
            _ = carrier.write(Self.hello(number).span)
            if await eventually(within: .milliseconds(50), { Self.read(carrier) > 0 }) {
                answered += 1
            }
        }
        #expect(answered > 0)
        #expect(watch.events.isEmpty && watch.codes.isEmpty)
        let phone = try Side(.phone, at: .unixStream(path: path))
        defer { phone.close() }
        try phone.act { link, now in try link.enterCode(code, confirmsAhead: true, at: now) }
        #expect(await havePaired(phone, watch), "\(watch.events) \(phone.events)")
    }

    /// One hello again and again from somebody who reads no answer: the answers wait in no memory.
    @Test func an_attacker_who_reads_nothing_makes_no_answers_pile_up() async throws {
        let directory = TemporaryDirectory()
        let path = directory.file("s")
        let watch = try Side(.watch, at: .unixStream(path: path))
        defer { watch.close() }
        _ = try watch.act { link, now in try link.showCode(confirmsAhead: true, at: now) }
        let socket = try SocketKind.stream.make().get()
        _ = try SocketPath.connect(socket, to: path).get()
        let carrier = SocketCarrier(socket, kind: .stream)
        defer { carrier.close() }
        let hellos = Array(repeatElement(Self.hello(1), count: 512).joined())
        var written = 0
        let end = SystemClock.now.advanced(by: .seconds(2))
        while SystemClock.now < end {
            guard case .took(let count) = carrier.write(hellos.span) else { break }
            written += count
            if count < hellos.count { usleep(500) }
        }
        #expect(written > 1 << 20)
        let unsent = try #require(watch.driver.withLock { $0 }).unsentPackets
        #expect(unsent <= PairingLink.outgoingLimit, "\(unsent) packets")
    }

    private static func hello(_ number: Int) -> [UInt8] {
        let pairing = Pairing(
            entering: PairingCode("\(100_000 + number)")!,
            as: PairingIdentity(role: .phone, device: .random()))
        var writer = WireWriter()
        PairingPacket.message(pairing.opening ?? [])
            .write(version: NoiseSecurity.wireVersion, to: &writer)
        return StreamFraming.prefix(of: .pairing, length: writer.count) + writer.bytes
    }

    private static func read(_ carrier: SocketCarrier) -> Int {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var span = buffer.mutableSpan
        if case .bytes(let count) = carrier.read(into: &span) { return count }
        return 0
    }

    @Test func a_device_that_wants_a_session_is_told_from_one_that_pairs() async throws {
        let directory = TemporaryDirectory()
        let address = LinkAddress.unixStream(path: directory.file("s"))
        let device = try SimulatedPair(seed: 3).watch
        let session = try DriverSession(
            DriverSessionOptions(
                PeerConfiguration(role: .watch, pairing: device.pairing, kinds: .product),
                at: address),
            security: NoiseSecurity(device), delegate: SessionTests.Moody())
        try session.activate()
        let phone = try Side(.phone, at: address)
        defer {
            phone.close()
            session.close()
        }
        try phone.act { link, now in try link.enterCode(PairingCode("123456")!, at: now) }
        #expect(await eventually { phone.events == ["advice notPairing"] }, "\(phone.events)")
        // The session's user pairs after all: the same code is still good.
        session.close()
        let watch = try Side(.watch, at: address)
        defer { watch.close() }
        _ = try watch.act { link, now in try link.showCode(at: now) }
        #expect(await eventually(within: .seconds(20)) { phone.events.contains("failed 2") })
    }
}
