import Glibc
import Synchronization
import Testing
import WatchProto
import WatchSecurity

@testable import WatchTransport

/// Who may come in, who may not, and what they can do to those inside.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ListenerTests {
    private static let connected: [SocketKind] = [.stream, .seqpacket]

    private func address(_ kind: SocketKind, _ directory: TemporaryDirectory) -> LinkAddress {
        let path = directory.file("s")
        return kind == .stream ? .unixStream(path: path) : .unixSeqpacket(path: path)
    }

    private func connect(
        _ kind: SocketKind, _ directory: TemporaryDirectory
    ) async throws -> SocketCarrier {
        let descriptor = try kind.make().get()
        var result = SocketPath.connect(descriptor, to: directory.file("s"))
        // The queue at the door may be full for a moment.
        _ = await eventually {
            guard case .failure(let number) = result, number.isWouldBlock else { return true }
            result = SocketPath.connect(descriptor, to: directory.file("s"))
            return false
        }
        _ = try result.get()
        return SocketCarrier(descriptor, kind: kind)
    }

    @Test(
        "a second peer is turned away with a notice, and the first is not disturbed",
        arguments: connected)
    func second(_ kind: SocketKind) async throws {
        let directory = TemporaryDirectory()
        let address = address(kind, directory)
        let (phone, watch) = try await linkedSides(at: address)
        for count in 1...3 {
            let newcomer = try await connect(kind, directory)
            var heard: [UInt8] = []
            #expect(
                await eventually {
                    guard let more = CarrierTests.read(newcomer) else { return true }
                    heard += more
                    return false
                })
            let notice = NoticePacket(version: 0, code: .busy).packet(on: kind.traits.framing)
            #expect(heard == notice)
            newcomer.close()
            #expect(await eventually { watch.session.counters.refusedConnections == UInt64(count) })
        }
        #expect(watch.recorder.transport.contains(.connectionRefused(count: 1)))
        let id = try phone.session.transfer(background([1]))
        #expect(await eventually { phone.session.status(of: id) == .settled(.applied) })
        #expect(watch.session.counters.linksOpened == 1)
        phone.session.close()
        watch.session.close()
    }

    @Test("a peer that is turned away hears why")
    func busyPeer() async throws {
        let directory = TemporaryDirectory()
        let address = address(.stream, directory)
        let watch = try Side(.watch, at: address)
        let phone = try Side(.phone, at: address)
        let other = try Side(.phone, at: address)
        try watch.session.activate()
        try phone.session.activate()
        #expect(await eventually { phone.isReachable })
        try other.session.activate()
        #expect(await eventually { other.recorder.events.contains(.notice(version: 0, .busy)) })
        #expect(!other.isReachable)
        for side in [other, phone, watch] { side.session.close() }
    }

    @Test("when the linked peer is dead, the next one takes over at once", arguments: connected)
    func takeover(_ kind: SocketKind) async throws {
        let directory = TemporaryDirectory()
        let address = address(kind, directory)
        let watch = try Side(.watch, at: address)
        try watch.session.activate()
        for round in 1...3 {
            let phone = try Side(.phone, at: address)
            try phone.session.activate()
            #expect(await eventually { phone.session.activationState == .activated })
            phone.session.abandon()
            #expect(await eventually { watch.session.counters.linksOpened == UInt64(round) })
        }
        #expect(watch.session.counters.refusedConnections == 0)
        watch.session.close()
    }

    @Test(
        "who comes back at once is not kept out by what his former link has left unread",
        arguments: connected)
    func successor(_ kind: SocketKind) async throws {
        let directory = TemporaryDirectory()
        let address = address(kind, directory)
        let (phone, watch) = try await linkedSides(at: address)
        // The phone's last bytes are a receipt, which nobody answers: it is held back until the
        // watch's thread waits for the lock, and sees them, the end and the knock all at once.
        let mayApply = Atomic(false)
        phone.recorder.whenDelivering.withLock { first in
            first = { _ = Self.spin { mayApply.load(ordering: .acquiring) } }
        }
        let id = try watch.session.transfer(background([1]))
        let loop = watch.session.driver.loop
        let hasComeBack = loop.locked { _ in
            loop.wake.signal()
            guard Self.spin(until: { !Self.isReadable(loop.wake.number) }) else { return false }
            mayApply.store(true, ordering: .releasing)
            guard Self.spin(until: { phone.recorder.recordCount == 1 }) else { return false }
            phone.session.cutLink()
            return Self.spin { phone.session.counters.linksOpened == 2 }
        }
        #expect(hasComeBack)
        // Were it turned away, it would come again after a minute.
        #expect(await eventually { Self.areLinked(phone, watch) })
        #expect(watch.session.counters.refusedConnections == 0)
        #expect(await eventually { watch.session.status(of: id) == .settled(.applied) })
        for side in [phone, watch] { side.session.close() }
    }

    /// Waits without giving up the thread; false after ten seconds.
    private static func spin(until condition: () -> Bool) -> Bool {
        let end = SystemClock.now.advanced(by: .seconds(10))
        while !condition() {
            guard SystemClock.now < end else { return false }
            sched_yield()
        }
        return true
    }

    private static func isReadable(_ descriptor: Int32) -> Bool {
        var one = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&one, 1, 0) > 0
    }

    @Test(
        "a stranger who says nothing makes room for a peer that knocks", arguments: connected)
    func silence(_ kind: SocketKind) async throws {
        let directory = TemporaryDirectory()
        let address = address(kind, directory)
        let watch = try Side(.watch, at: address) { $0.driver.peer.stallTime = .seconds(300) }
        try watch.session.activate()
        let stranger = try await connect(kind, directory)
        #expect(await eventually { watch.session.counters.linksOpened == 1 })
        let phone = try Side(.phone, at: address)
        try phone.session.activate()
        // Were it sent away, it would come again after a minute.
        #expect(await eventually { phone.isReachable && watch.isReachable })
        #expect(phone.session.counters.linksOpened == 1)
        #expect(watch.session.counters.refusedConnections == 0)
        #expect(watch.recorder.events.contains(.linkClosed(.carrier(.gaveWay))))
        #expect(await eventually { CarrierTests.read(stranger) == nil })
        stranger.close()
        for side in [phone, watch] { side.session.close() }
    }

    @Test("a stranger who says nothing keeps the link while nobody else comes")
    func quiet() async throws {
        let directory = TemporaryDirectory()
        let watch = try Side(.watch, at: address(.stream, directory)) {
            $0.driver.peer.stallTime = .seconds(3)
        }
        try watch.session.activate()
        let stranger = try await connect(.stream, directory)
        #expect(await eventually { CarrierTests.read(stranger) == nil })
        stranger.close()
        #expect(watch.recorder.events.contains(.linkClosed(.handshakeTimedOut)))
        watch.session.close()
    }

    @Test("a deactivated side is not there, and its return is noticed at once")
    func resting() async throws {
        for kind in LinkKind.sockets {
            let directory = TemporaryDirectory()
            let addresses = try kind.addresses(in: directory)
            let watch = try Side(.watch, at: addresses.watch)
            let phone = try Side(.phone, at: addresses.phone)
            try watch.session.activate()
            try phone.session.activate()
            for _ in 0..<3 {
                #expect(await eventually { Self.areLinked(phone, watch) }, "\(kind)")
                watch.session.deactivate()
                // It may try once; the next attempt of its own would be a minute later.
                #expect(
                    await eventually { phone.session.activationState == .inactive }, "\(kind)")
                if kind != .datagram { #expect(await eventually { directory.names == [] }) }
                try watch.session.activate()
            }
            #expect(await eventually { Self.areLinked(phone, watch) }, "\(kind)")
            for side in [phone, watch] { side.session.close() }
            #expect(directory.names == [], "\(kind)")
        }
    }

    /// Sooner than reachable, which after a flap takes its time.
    private static func areLinked(_ one: Side, _ other: Side) -> Bool {
        one.session.activationState == .activated && other.session.activationState == .activated
    }

    @Test("a deactivated side's address is free, and taken when it wants it back")
    func givenUp() async throws {
        let directory = TemporaryDirectory()
        let address = address(.stream, directory)
        let watch = try Side(.watch, at: address)
        try watch.session.activate()
        watch.session.deactivate()
        #expect(await eventually { directory.names == [] })
        let other = try Side(.watch, at: address)
        try other.session.activate()
        #expect(throws: LinkError.heldByAnotherProcess(path: directory.file("s"))) {
            try watch.session.activate()
        }
        #expect(watch.session.activationState == .notActivated)
        other.session.close()
        try watch.session.activate()
        let phone = try Side(.phone, at: address)
        try phone.session.activate()
        #expect(await eventually { phone.isReachable && watch.isReachable })
        for side in [phone, watch] { side.session.close() }
    }

    @Test("garbage costs its sender the link and nobody anything else", arguments: connected)
    func garbage(_ kind: SocketKind) async throws {
        let directory = TemporaryDirectory()
        let address = address(kind, directory)
        let watch = try Side(.watch, at: address)
        try watch.session.activate()
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<20 {
            let vandal = try await connect(kind, directory)
            let length = Int(generator.uniform(in: 1...4000))
            var noise = (0..<length).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            noise += [UInt8](repeating: 0xFF, count: 16)
            _ = vandal.write(noise.span)
            if kind == .seqpacket { _ = vandal.write([0xFF, 0xFF].span) }
            vandal.close()
        }
        let phone = try Side(.phone, at: address)
        try phone.session.activate()
        let id = try phone.session.transfer(background([1]))
        #expect(await eventually { phone.session.status(of: id) == .settled(.applied) })
        phone.session.close()
        watch.session.close()
    }

    @Test("strangers' datagrams are counted and change nothing")
    func strangers() async throws {
        let directory = TemporaryDirectory()
        let address = LinkAddress.unixDatagram(path: directory.file("s"))
        let watch = try Side(.watch, at: address)
        let phone = try Side(.phone, at: address)
        try watch.session.activate()
        let stranger = try SocketKind.datagram.make().get()
        defer { Descriptor.close(stranger) }
        _ = try SocketPath.connect(stranger, to: directory.file("s")).get()
        // Before a link and during one.
        #expect(Descriptor.send(stranger, [1, 0, 0, 0, 0].span) == .took(5))
        #expect(await eventually { watch.session.counters.strangers == 1 })
        try phone.session.activate()
        #expect(await eventually { phone.isReachable && watch.isReachable })
        for _ in 0..<3 { #expect(Descriptor.send(stranger, [1, 0, 0, 0, 0].span) == .took(5)) }
        #expect(await eventually { watch.session.counters.strangers == 4 })
        let id = try phone.session.transfer(background([1]))
        #expect(await eventually { phone.session.status(of: id) == .settled(.applied) })
        #expect(watch.session.counters.linksOpened == 1)
        phone.session.close()
        watch.session.close()
    }

    @Test("a second process at the same path is told who has it")
    func held() throws {
        let directory = TemporaryDirectory()
        let address = address(.stream, directory)
        let watch = try Side(.watch, at: address)
        try watch.session.activate()
        let second = try Side(.watch, at: address)
        #expect(throws: LinkError.heldByAnotherProcess(path: directory.file("s"))) {
            try second.session.activate()
        }
        second.session.close()
        #expect(directory.names == ["s"])
        watch.session.close()
    }
}
