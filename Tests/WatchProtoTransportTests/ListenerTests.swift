import Glibc
import Locks
import Testing
import WatchProtoCore

@testable import WatchProtoTransport

/// Connections that are let in, connections that are not, and their effects on those inside.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ListenerTests {
    static let connected: [SocketKind] = [.stream, .seqpacket]

    static func address(_ kind: SocketKind, _ directory: TemporaryDirectory) -> LinkAddress {
        let path = directory.file("s")
        return kind == .stream ? .unixStream(path: path) : .unixSeqpacket(path: path)
    }

    static func connect(
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
        "connections that say nothing end after two seconds, and disturb nobody (C-40)",
        arguments: connected)
    func silence(_ kind: SocketKind) async throws {
        let directory = TemporaryDirectory()
        let address = Self.address(kind, directory)
        let watch = try Side(.watch, at: address)
        try watch.session.activate()
        let early = try await Self.connect(kind, directory)
        let phone = try Side(.phone, at: address)
        try phone.session.activate()
        #expect(await eventually { phone.isReachable && watch.isReachable })
        let start = SystemClock.now
        let late = try await Self.connect(kind, directory)
        #expect(await eventually { CarrierTests.read(early) == nil })
        #expect(await eventually { CarrierTests.read(late) == nil })
        let silence = start.duration(to: SystemClock.now)
        #expect(silence > .milliseconds(1900) && silence < .seconds(5), "\(silence)")
        #expect(watch.session.counters.refusedConnections == 2)
        #expect(watch.session.counters.linksOpened == 1)
        let id = try phone.session.transfer(background([1]))
        #expect(await eventually { phone.session.status(of: id) == .settled(.applied) })
        early.close()
        late.close()
        for side in [phone, watch] { side.session.close() }
    }

    @Test("64 connections wait at most (C-40)", arguments: connected)
    func crowd(_ kind: SocketKind) async throws {
        let directory = TemporaryDirectory()
        let watch = try Side(.watch, at: Self.address(kind, directory))
        try watch.session.activate()
        var attackers: [SocketCarrier] = []
        for _ in 0..<80 { attackers.append(try await Self.connect(kind, directory)) }
        #expect(await eventually { watch.session.counters.refusedConnections >= 16 })
        #expect(
            await eventually { attackers.filter { CarrierTests.read($0) != nil }.count <= 64 })
        #expect(await eventually { watch.session.counters.refusedConnections == 80 })
        for attacker in attackers { attacker.close() }
        watch.session.close()
    }

    @Test("when the linked peer is dead, the next one takes over at once", arguments: connected)
    func takeover(_ kind: SocketKind) async throws {
        let directory = TemporaryDirectory()
        let address = Self.address(kind, directory)
        let watch = try Side(.watch, at: address)
        try watch.session.activate()
        let journal = MemoryJournal()
        for round in 1...3 {
            let phone = try Side(.phone, at: address, journal: journal)
            try phone.session.activate()
            #expect(await eventually { phone.session.activationState == .activated })
            phone.session.abandon()
            #expect(await eventually { watch.session.counters.linksOpened == UInt64(round) })
        }
        #expect(watch.session.counters.refusedConnections == 0)
        watch.session.close()
    }

    @Test("the counterpart's new connection takes the place of an open one (C-42)")
    func replaced() async throws {
        let directory = TemporaryDirectory()
        let address = Self.address(.stream, directory)
        let (phone, watch) = try await linkedSides(at: address)
        // The watch does not see the end of the former link before the next one is there.
        watch.session.suspendLink()
        phone.session.cutLink()
        #expect(await eventually { phone.session.counters.linksOpened == 2 })
        watch.session.resumeLink()
        #expect(await eventually { Self.areLinked(phone, watch) })
        #expect(watch.session.counters.refusedConnections == 0)
        let id = try watch.session.transfer(background([1]))
        #expect(await eventually { watch.session.status(of: id) == .settled(.applied) })
        for side in [phone, watch] { side.session.close() }
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
                #expect(watch.session.deactivate())
                #expect(!watch.session.deactivate())
                // It may try once; the next attempt of its own would be a minute later.
                #expect(
                    await eventually { phone.session.activationState == .inactive }, "\(kind)")
                let left = kind == .datagram ? ["s.peer"] : []
                #expect(await eventually { directory.names == left })
                try watch.session.activate()
            }
            #expect(await eventually { Self.areLinked(phone, watch) }, "\(kind)")
            for side in [phone, watch] { side.session.close() }
            #expect(directory.names == [], "\(kind)")
        }
    }

    /// Sooner than reachable, which after a flap takes its time.
    static func areLinked(_ one: Side, _ other: Side) -> Bool {
        one.session.activationState == .activated && other.session.activationState == .activated
    }

    @Test("a deactivated side's address is free, and taken when it wants it back")
    func givenUp() async throws {
        let directory = TemporaryDirectory()
        let address = Self.address(.stream, directory)
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
        let address = Self.address(kind, directory)
        let (phone, watch) = try await linkedSides(at: address)
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<20 {
            let vandal = try await Self.connect(kind, directory)
            let length = Int(generator.uniform(in: 1...4000))
            var noise = (0..<length).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            noise += [UInt8](repeating: 0xFF, count: 16)
            _ = vandal.write(noise.span)
            if kind == .seqpacket { _ = vandal.write([0xFF, 0xFF].span) }
            vandal.close()
        }
        #expect(await eventually { watch.session.counters.refusedConnections == 20 })
        let id = try phone.session.transfer(background([1]))
        #expect(await eventually { phone.session.status(of: id) == .settled(.applied) })
        #expect(watch.session.counters.linksOpened == 1)
        for side in [phone, watch] { side.session.close() }
    }

    @Test("datagrams of unknown senders are counted and change nothing")
    func attackers() async throws {
        let directory = TemporaryDirectory()
        let address = LinkAddress.unixDatagram(path: directory.file("s"))
        let watch = try Side(.watch, at: address)
        let phone = try Side(.phone, at: address)
        try watch.session.activate()
        let attacker = try SocketKind.datagram.make().get()
        defer { DescriptorCall.close(attacker) }
        _ = try SocketPath.connect(attacker, to: directory.file("s")).get()
        // Before a link and during one.
        #expect(DescriptorCall.send(attacker, [1, 0, 0, 0, 0].span) == .took(5))
        #expect(await eventually { watch.session.counters.unknownSenders == 1 })
        try phone.session.activate()
        #expect(await eventually { phone.isReachable && watch.isReachable })
        for _ in 0..<3 { #expect(DescriptorCall.send(attacker, [1, 0, 0, 0, 0].span) == .took(5)) }
        #expect(await eventually { watch.session.counters.unknownSenders == 4 })
        let id = try phone.session.transfer(background([1]))
        #expect(await eventually { phone.session.status(of: id) == .settled(.applied) })
        #expect(watch.session.counters.linksOpened == 1)
        for side in [phone, watch] { side.session.close() }
    }

    @Test("a second process at the same path is told who has it")
    func held() throws {
        let directory = TemporaryDirectory()
        let address = Self.address(.stream, directory)
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
