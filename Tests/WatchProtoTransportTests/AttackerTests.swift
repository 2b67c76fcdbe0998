import CPosix
import Glibc
import Locks
import Testing
import WatchProtoCore

@testable import WatchProtoTransport

/// The known counterpart gets in within two seconds while attackers do what they can.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct AttackerTests {
    /// Calls `body` so many times a second on a thread of its own.
    final class Flood: Sendable {
        private let isOver = Atomic(false)
        let count = Atomic(0)
        private let thread = Mutex<SystemThread?>(nil)

        init(perSecond: Int, _ body: @escaping @Sendable (Int) -> Void) throws {
            let made = try SystemThread { [self] in
                let start = SystemClock.now
                while !isOver.load(ordering: .relaxed) {
                    let elapsed = start.duration(to: SystemClock.now).nanosecondsClamped
                    let due = Int(elapsed) / (1_000_000_000 / perSecond)
                    while count.load(ordering: .relaxed) < due {
                        body(count.wrappingAdd(1, ordering: .relaxed).newValue)
                    }
                    usleep(500)
                }
            }
            thread.withLock { $0 = made }
        }

        func close() {
            isOver.store(true, ordering: .relaxed)
            thread.withLock { $0 }?.join()
        }
    }

    /// The packets of an attacker: noise, packets of sessions that are none, and messages 1 that do
    /// not authenticate, framed as the carrier wants it.
    private static func packet(_ number: Int, stream: Bool) -> [UInt8] {
        var generator = SeededGenerator(seed: UInt64(number))
        func noise(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        }
        let kinds: [PacketKind] = [.initiation, .transport, .initiation, .early]
        let kind = kinds[number % kinds.count]
        let body = kind == .initiation ? [0] + noise(90) : noise(120)
        if number % 5 == 0 { return noise(200) }
        return stream
            ? StreamFraming.prefix(of: kind, length: body.count) + body : [kind.rawValue] + body
    }

    private func arrives(
        _ kind: LinkKind, delay: Duration, _ flood: (LinkAddress) throws -> Flood
    ) async throws {
        let directory = TemporaryDirectory()
        let other = TemporaryDirectory()
        let far = try kind.addresses(in: directory).watch
        var near = far
        var link: SlowLink?
        if delay > .zero {
            near = try kind.addresses(in: other).phone
            link = try SlowLink(near: near, far: far, delay: delay)
        }
        defer { link?.close() }
        let watch = try Side(.watch, at: far)
        try watch.session.activate()
        let begin = SystemClock.now
        let attackers = try flood(far)
        defer { attackers.close() }
        await pause(.seconds(1))
        let phone = try Side(.phone, at: near)
        let start = SystemClock.now
        try phone.session.activate()
        #expect(await eventually { ListenerTests.areLinked(phone, watch) })
        let took = start.duration(to: SystemClock.now)
        #expect(took < .seconds(2), "\(took)")
        // Nor do they disturb a session.
        let id = try phone.session.transfer(background([1]))
        #expect(await eventually { phone.session.status(of: id) == .settled(.applied) })
        await pause(.seconds(1))
        #expect(ListenerTests.areLinked(phone, watch))
        #expect(watch.session.counters.linksOpened == 1)
        let reports = watch.recorder.transport.filter { $0 != .linkOpened(kind.traits) }
        // At once, and then at intervals that double from a second on.
        let seconds = begin.duration(to: SystemClock.now) / .seconds(1)
        #expect(Double(reports.count) <= 2 + log2(1 + seconds), "\(reports)")
        for side in [phone, watch] { side.session.close() }
        withExtendedLifetime((directory, other)) {}
    }

    @Test(
        "in spite of 1,000 datagrams a second", arguments: [LinkKind.udp, .datagram],
        [Duration.zero, .milliseconds(250)])
    func datagrams(_ kind: LinkKind, delay: Duration) async throws {
        try await arrives(kind, delay: delay) { address in
            switch address {
            case .udp(let endpoint):
                let socket = try UDPSocket.open(UDPAddress(endpoint).anyPort).get()
                return try Flood(perSecond: 1000) { number in
                    let bytes = Self.packet(number, stream: false)
                    _ = socket.send(bytes.span, to: UDPAddress(endpoint))
                }
            default:
                guard case .unixDatagram(let path) = address else { fatalError("no datagrams") }
                let attacker = try SocketKind.datagram.make().get()
                _ = try SocketPath.connect(attacker, to: path).get()
                return try Flood(perSecond: 1000) { number in
                    let bytes = Self.packet(number, stream: false)
                    _ = DescriptorCall.send(attacker, bytes.span)
                }
            }
        }
    }

    @Test(
        "in spite of 100 connections a second", arguments: [LinkKind.stream, .seqpacket],
        [Duration.zero, .milliseconds(250)])
    func connections(_ kind: LinkKind, delay: Duration) async throws {
        try await arrives(kind, delay: delay) { address in
            let (path, socketKind): (String, SocketKind) =
                switch address {
                case .unixStream(let path): (path, .stream)
                case .unixSeqpacket(let path): (path, .seqpacket)
                default: fatalError("no connections")
                }
            let open = Mutex<[Int32]>([])
            return try Flood(perSecond: 100) { number in
                guard let descriptor = try? socketKind.make().get() else { return }
                _ = SocketPath.connect(descriptor, to: path)
                // Most say nothing; they stay until they are sent away.
                if number % 4 == 0 {
                    let bytes = Self.packet(number, stream: socketKind == .stream)
                    _ = DescriptorCall.send(descriptor, bytes.span)
                }
                open.withLock { open in
                    open.append(descriptor)
                    if open.count > 300 { DescriptorCall.close(open.removeFirst()) }
                }
            }
        }
    }
}

extension LinkKind {
    fileprivate var traits: CarrierTraits {
        switch self {
        case .stream, .pipes: .stream
        case .seqpacket: SocketKind.seqpacket.traits
        case .datagram: SocketKind.datagram.traits
        case .udp:
            CarrierTraits(
                framing: .datagram(largestBytes: UDPEndpoint.largestDatagramBytes), isLossy: true)
        }
    }
}
