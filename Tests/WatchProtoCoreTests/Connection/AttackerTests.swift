import Testing

@testable import WatchProtoCore

/// Attackers can do nothing but cost a hash each (FOUND.md, attacks; the rules from C-30 on).
@Suite struct AttackerTests {
    static let attacker = PathAddress(host: 666, port: 6)

    @Test("a hundred thousand datagrams of garbage take no state, no answer and no key agreement")
    func garbage() throws {
        var pair = toyPair(seed: 20)
        pair.sides[1].connection.activate(at: pair.now)
        pair.settle(.watch)
        var random = SeededGenerator(seed: 5)
        for _ in 0..<100_000 {
            let count = Int(random.uniform(in: 0...120))
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            pair.sides[1].connection.receive(bytes.span, from: Self.attacker, at: pair.now)
            while let event = pair.sides[1].connection.nextEvent(at: pair.now) {
                guard case .advisory = event else {
                    Issue.record("garbage brought \(event)")
                    return
                }
            }
        }
        let connection = pair.sides[1].connection
        #expect(connection.counters.initiationsOpened == 0)
        #expect(connection.request == nil)
        // At most ten resets and advisories at one moment.
        #expect(connection.outgoing.count <= 10)
        #expect(connection.address == nil)
        guard case .handshaking(let handshake) = connection.state else {
            Issue.record("the listener left its state")
            return
        }
        #expect(handshake.value.earlyPackets.count <= ConnectionConfiguration.earlyPacketsStored)
    }

    @Test("the known counterpart gets in within two seconds while attackers send 1,000 a second")
    func flood() throws {
        for delay in [20, 250] {
            var pair = toyPair(seed: 21)
            pair.delay = .milliseconds(delay)
            pair.sides[1].connection.activate(at: pair.now)
            pair.settle(.watch)
            // Attackers know what the phone said in an earlier life of the watch.
            var earlier = toyPair(seed: 22)
            earlier.start()
            earlier.join(within: .seconds(2))
            let kept = earlier.capture.map { $0.bytes }
            pair.sides[0].connection.activate(at: pair.now)
            pair.settle(.phone)
            let begin = pair.now
            var random = SeededGenerator(seed: 6)
            while !pair.isJoined, begin.duration(to: pair.now) < .seconds(5) {
                let chosen = kept[Int(random.uniform(in: 0...UInt64(kept.count - 1)))]
                var bytes = chosen
                let place = Int(random.uniform(in: 0...UInt64(bytes.count - 1)))
                if random.chance(0.7) { bytes[place] ^= 1 << UInt8(random.uniform(in: 0...7)) }
                let from =
                    random.chance(0.5)
                    ? TestPair.phoneAddress : Self.attacker
                pair.inject(bytes, to: .watch, from: from)
                pair.inject(bytes, to: .phone, from: TestPair.watchAddress)
                pair.run(for: .milliseconds(1))
                pair.send(.phone)
            }
            #expect(pair.isJoined)
            let took = begin.duration(to: pair.now)
            #expect(took < .seconds(2), "\(took)")
        }
    }

    @Test("one spoofed datagram of any kind ends no session")
    func spoofed() throws {
        var pair = toyPair(seed: 23)
        pair.start()
        pair.join(within: .seconds(1))
        #expect(pair.took != nil)
        let ticket = pair.sides[0].current?.ticket
        var random = SeededGenerator(seed: 7)
        for kind in PacketKind.allCases {
            for _ in 0..<200 {
                let count = Int(random.uniform(in: 1...100))
                var bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                bytes[0] = kind.rawValue | (bytes[0] & 0x18)
                for role in DeviceRole.allCases {
                    pair.inject(bytes, to: role, from: pair.address(of: role.counterpart))
                }
            }
        }
        #expect(pair.isJoined)
        #expect(pair.sides[0].current?.ticket == ticket)
        #expect(pair.sides.allSatisfy { $0.ends.isEmpty })
    }

    @Test("replays of everything that was ever said end no session, and are answered with less")
    func replays() throws {
        var pair = toyPair(seed: 24)
        pair.start()
        for _ in 0..<4 {
            pair.join(within: .seconds(5))
            for _ in 0..<5 {
                pair.send(.phone)
                pair.send(.watch)
                pair.run(for: .milliseconds(50))
            }
            pair.sides[0].connection.close(.localRequest, at: pair.now)
            pair.settle(.phone)
        }
        pair.join(within: .seconds(5))
        #expect(pair.took != nil)
        // Nothing is on its way any more.
        pair.run(for: .milliseconds(100))
        let sessions = pair.sides.map { $0.sessions.count }
        let said = pair.capture
        pair.capture = []
        for (from, bytes) in said {
            let before = pair.capture.reduce(0) { $0 + $1.bytes.count }
            pair.inject(bytes, to: from.counterpart, from: Self.attacker)
            let sent = pair.capture.reduce(0) { $0 + $1.bytes.count } - before
            #expect(sent <= bytes.count)
        }
        #expect(pair.isJoined)
        #expect(pair.sides.map { $0.sessions.count } == sessions)
        #expect(
            pair.sides.map { $0.connection.address } == [
                TestPair.watchAddress, TestPair.phoneAddress,
            ])
    }

    @Test("to an address that no packet has shown at most three times the bytes received are sent")
    func amplification() throws {
        var pair = toyPair(seed: 25)
        pair.start()
        let message = try #require(pair.capture.first).bytes
        pair.inFlight = []
        pair.isCut = true
        pair.inject(message, to: .watch, from: Self.attacker)
        #expect(pair.sides[1].connection.phase == .responded)
        var sent = pair.capture.filter { $0.from == .watch }.reduce(0) { $0 + $1.bytes.count }
        while let packet = pair.sides[1].message(at: pair.now) {
            sent += packet.bytes.count
            #expect(packet.address == Self.attacker)
        }
        #expect(sent <= 3 * message.count)
        #expect(sent > message.count)
    }

    @Test("copies of message 1 from other addresses take no message 2 away (C-16, C-32)")
    func copies() throws {
        for isStable in [true, false] {
            var pair = toyPair(seed: 35)
            pair.sides[1].isStable = isStable
            pair.start()
            let message = try #require(pair.capture.first).bytes
            // Somebody is faster than the phone, from many addresses, and repeats each copy.
            for copy in 0..<400 {
                let address = PathAddress(host: 666, port: UInt64(copy % 40))
                pair.inject(message, to: .watch, from: address)
            }
            pair.run(for: .milliseconds(21))
            pair.sides[1].isStable = true
            pair.settle(.watch)
            let before = pair.sides[0].initiations
            pair.run(for: .milliseconds(25))
            #expect(pair.sides[0].connection.phase == .established)
            pair.join(within: .milliseconds(100))
            #expect(pair.took != nil)
            #expect(pair.sides[0].initiations == before && before == 1)
            #expect(pair.sides[1].connection.address == TestPair.phoneAddress)
        }
    }

    /// Shows C-32.
    @Test("a packet with a higher number moves the path, and a repeated one does not")
    func pathMoves() throws {
        var pair = toyPair(seed: 26)
        pair.start()
        pair.join(within: .seconds(1))
        #expect(pair.took != nil)
        let elsewhere = PathAddress(host: 5, port: 5)
        let message = pair.sides[0].message(at: pair.now)
        let packet = try #require(message)
        pair.inject(packet.bytes, to: .watch, from: elsewhere)
        #expect(pair.sides[1].connection.address == elsewhere)
        let next = pair.sides[0].message(at: pair.now)
        pair.inject(
            try #require(next).bytes, to: .watch, from: TestPair.phoneAddress)
        pair.inject(packet.bytes, to: .watch, from: Self.attacker)
        #expect(pair.sides[1].connection.address == TestPair.phoneAddress)
        #expect(pair.sides[1].connection.counters.packetsRepeated == 1)
    }

    @Test("a restarted side is noticed in one round trip by its reset, wherever it calls itself")
    func reset() throws {
        try reset(calling: nil)
        try reset(calling: PathAddress(host: 404, port: 4))
    }

    private func reset(calling gone: PathAddress?) throws {
        var pair = toyPair(seed: 27)
        pair.start()
        pair.join(within: .seconds(1))
        #expect(pair.took != nil)
        pair.run(for: .milliseconds(100))
        let old = pair.sides[1]
        var fresh = TestSide(
            .watch, security: ToySecurity(.watch, psk: 77, seed: 999).erased, epoch: 300,
            highest: old.connection.highestCounter)
        fresh.ownCounter = 64
        fresh.connection.knownAddress = gone
        pair.sides[1] = fresh
        pair.watchInitiates = gone == nil ? .whenCalled : .atOnce
        pair.sides[1].connection.activate(at: pair.now)
        pair.settle(.watch)
        let begin = pair.now
        pair.send(.phone)
        pair.run(for: .milliseconds(45))
        #expect(pair.sides[0].ends == [.reset])
        #expect(pair.sides[1].connection.counters.resetsSent == 1)
        let reset = try #require(pair.capture.last { $0.from == .watch && $0.bytes[0] == 5 })
        #expect(reset.bytes.count == ResetPacket.datagramBytes)
        pair.join(within: .seconds(1))
        #expect(pair.took != nil)
        #expect(begin.duration(to: pair.now) < .milliseconds(200))
    }

    @Test("only a valid token ends a session; resets are shorter than their cause, ten a second")
    func resetBounds() throws {
        var pair = toyPair(seed: 28)
        pair.start()
        pair.join(within: .seconds(1))
        #expect(pair.took != nil)
        let id = try #require(pair.sides[0].connection.currentSession?.counterpartID)
        var forged = WireWriter([PacketKind.reset.rawValue])
        ResetPacket(connectionID: id, token: 42).write(to: &forged)
        pair.inject(forged.bytes, to: .phone, from: TestPair.watchAddress)
        #expect(pair.isJoined)
        #expect(pair.sides[0].connection.counters.invalidResets == 1)
        // Packets of unknown connection IDs, too short and long enough.
        pair.capture = []
        pair.inject(
            [0, 9, 9, 9, 9] + [UInt8](repeating: 0, count: 16), to: .phone,
            from: Self.attacker)
        #expect(pair.capture.isEmpty)
        for count in 0..<100 {
            let id = UInt8(truncatingIfNeeded: count)
            pair.inject(
                [0, id, 8, 8, 8] + [UInt8](repeating: 0, count: 40), to: .phone,
                from: Self.attacker)
        }
        #expect(pair.capture.count == 10)
        #expect(pair.capture.allSatisfy { $0.bytes.count < 45 })
        #expect(pair.isJoined)
        // A reset is never answered.
        pair.capture = []
        pair.run(for: .seconds(2))
        pair.capture = []
        pair.inject(forged.bytes, to: .watch, from: Self.attacker)
        #expect(pair.capture.isEmpty)
    }

    @Test("a token obtained before a session, or for a packet long gone, ends nothing (C-34)")
    func resetsKept() throws {
        var pair = toyPair(seed: 34)
        pair.start()
        pair.join(within: .seconds(1))
        let id = try #require(pair.sides[0].connection.currentSession?.counterpartID)
        func reset(answering packet: [UInt8]) -> [UInt8] {
            var writer = WireWriter([PacketKind.reset.rawValue])
            let token = pair.sides[1].connection.security.resetToken(
                for: id, answering: SentTails.tail(of: packet), of: .own)
            ResetPacket(connectionID: id, token: token).write(to: &writer)
            return writer.bytes
        }
        // Somebody made the watch answer a packet of this ID before the session had it.
        var earlier = toyPair(seed: 34)
        earlier.sides[1].connection.activate(at: earlier.now)
        earlier.settle(.watch)
        var packet = WireWriter()
        DatagramHeader(
            kind: .transport, connectionID: id, number: 0, largestAcknowledged: nil
        ).write(to: &packet)
        packet.append([UInt8](repeating: 7, count: 40))
        earlier.inject(packet.bytes, to: .watch, from: Self.attacker)
        let kept = try #require(earlier.capture.last).bytes
        #expect(kept == reset(answering: packet.bytes))
        pair.inject(kept, to: .phone, from: TestPair.watchAddress)
        #expect(pair.isJoined)
        let first = pair.sides[0].message(at: pair.now)?.bytes ?? []
        for _ in 0..<SentTails.limit { _ = pair.sides[0].message(at: pair.now) }
        pair.inject(reset(answering: first), to: .phone, from: Self.attacker)
        #expect(pair.isJoined)
        #expect(pair.sides[0].connection.counters.invalidResets == 2)
        // The oldest of the packets that are remembered.
        let last = pair.sides[0].message(at: pair.now)?.bytes ?? []
        for _ in 1..<SentTails.limit { _ = pair.sides[0].message(at: pair.now) }
        pair.inject(reset(answering: last), to: .phone, from: Self.attacker)
        #expect(pair.sides[0].ends == [.reset])
    }

    /// Shows C-35.
    @Test("a refused port is a hint: a ping first, and a handshake only where nothing answers")
    func refusedPort() throws {
        var pair = toyPair(seed: 29)
        pair.start()
        pair.join(within: .seconds(1))
        #expect(pair.took != nil)
        pair.sides[0].connection.portRefused(at: pair.now)
        pair.settle(.phone)
        #expect(pair.sides[0].events.last == .probeWanted)
        pair.send(.watch)
        pair.run(for: .seconds(2))
        #expect(pair.isJoined)
        pair.isCut = true
        pair.sides[0].connection.portRefused(at: pair.now)
        pair.settle(.phone)
        pair.run(for: .milliseconds(950))
        #expect(pair.sides[0].ends == [.unreachable])
        #expect(pair.sides[0].connection.phase == .handshaking)
    }

    /// Shows C-2.
    @Test("on a stream a packet that does not authenticate ends the link")
    func damagedStream() throws {
        var pair = toyPair(seed: 30)
        pair.useStream()
        pair.start()
        pair.join(within: .seconds(1))
        #expect(pair.took != nil)
        let message = pair.sides[0].message(at: pair.now)
        var bytes = try #require(message).bytes
        bytes[bytes.count - 1] ^= 1
        pair.sides[1].connection.receive(bytes.span, at: pair.now)
        pair.settle(.watch)
        #expect(pair.sides[1].ends == [.notAuthentic])
    }

    /// Shows C-2. If it were the last packet, nothing behind it would show that it is missing.
    @Test(
        "a packet whose kind is damaged ends a link that cannot lose",
        arguments: [PacketKind.early, .response, .refusal])
    func damagedKind(kind: PacketKind) throws {
        for role in [DeviceRole.phone, .watch] {
            var pair = toyPair(seed: 32)
            pair.carrier = CarrierTraits(framing: .datagram(largestBytes: 1200), isLossy: false)
            pair.start()
            pair.join(within: .seconds(1))
            #expect(pair.took != nil)
            let place = Int(role.rawValue)
            let message = pair.sides[1 - place].message(at: pair.now)
            var bytes = try #require(message).bytes
            bytes[0] = kind.rawValue
            pair.sides[place].connection.receive(bytes.span, at: pair.now)
            pair.settle(role)
            #expect(pair.sides[place].ends == [.unexpected(code: kind.rawValue)])
        }
    }

    /// Shows C-3.
    @Test("a stream holds no more than one small packet before anything has authenticated")
    func streamMemory() throws {
        var pair = toyPair(seed: 31)
        pair.useStream()
        pair.sides[1].connection.activate(at: pair.now)
        pair.settle(.watch)
        pair.open(.watch)
        let prefix = StreamFraming.prefix(of: .initiation, length: 60_000)
        pair.sides[1].connection.receive(prefix.span, at: pair.now)
        pair.settle(.watch)
        guard case .violation(let error) = pair.sides[1].ends.first else {
            Issue.record("a long first packet was taken")
            return
        }
        #expect(error.rule == .outOfRange)
    }

    @Test("another version is told so; a watch of another pairing is told so without security")
    func advisories() throws {
        var pair = toyPair(seed: 32)
        pair.start()
        var message = try #require(pair.capture.first).bytes
        message[1] = 9
        pair.capture = []
        pair.inject(message, to: .watch, from: Self.attacker)
        let advice = try #require(pair.capture.first).bytes
        #expect(advice == [PacketKind.advisory.rawValue, 1, CloseCode.incompatible.rawValue])
        var plain = nullPair(seed: 33)
        let other = PeerLabel(role: .phone, pairing: PairingID(rawValue: 10))
        plain.sides[0].connection.security = NullSecurity(other, seed: 3).erased
        plain.useStream()
        plain.start()
        plain.run(for: .milliseconds(50))
        let expected = PeerLabel(role: .phone, pairing: PairingID(rawValue: 9))
        #expect(
            plain.sides[1].ends.first == .wrongPeer(expected: expected, found: other),
            "\(plain.sides[1].ends)")
    }
}
