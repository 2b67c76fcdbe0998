import Testing

@testable import WatchProtoCore

/// The small values of the connection room.
@Suite struct ConnectionPartsTests {
    @Test("the first reopening is immediate and the next waits double (C-25)")
    func backoff() {
        var generator = SeededGenerator(seed: 1)
        var backoff = ReopenBackoff(first: .seconds(1), longest: .seconds(60))
        var waits: [Duration] = []
        for _ in 0..<9 { waits.append(backoff.nextWait(random: generator.next())) }
        #expect(waits[0] == .zero)
        var full = Duration.seconds(1)
        for wait in waits.dropFirst() {
            #expect(wait <= full && wait >= full * 3 / 4, "\(wait) of \(full)")
            full = min(full * 2, .seconds(60))
        }
        backoff.succeeded()
        let result1 = backoff.nextWait(random: generator.next()) == .zero
        #expect(result1)
        backoff.succeeded()
        backoff.openingFailed()
        let result2 = backoff.nextWait(random: generator.next()) >= .milliseconds(750)
        #expect(result2)
    }

    @Test("in the background each wait before a reopening is four times as long")
    func backoffInBackground() {
        var backoff = ReopenBackoff(first: .seconds(1), longest: .seconds(60))
        backoff.isForeground = false
        var waits: [Duration] = []
        for _ in 0..<9 { waits.append(backoff.nextWait(random: 0)) }
        #expect(waits == [0, 4, 8, 16, 32, 64, 128, 240, 240].map { .seconds($0) })
        backoff.isForeground = true
        #expect(backoff.nextWait(random: 0) == .seconds(60))
    }

    @Test("a packet number is accepted once, and none too far below the largest (C-6)")
    func replayWindow() {
        var window = ReplayWindow()
        var model: Set<UInt64> = []
        var random = SeededGenerator(seed: 2)
        var largest: UInt64 = 0
        for _ in 0..<20_000 {
            let low = largest > 5000 ? largest - 5000 : 0
            let number = random.uniform(in: low...largest + (random.chance(0.01) ? 9000 : 3))
            let isOld = largest >= number && largest - number >= ReplayWindow.width
            #expect(window.accepts(number) == (!model.contains(number) && !isOld))
            guard window.accepts(number) else { continue }
            window.insert(number)
            model.insert(number)
            largest = max(largest, number)
        }
    }

    @Test("a message 1 alone proves no address; the highest-numbered packet moves the path (C-31)")
    func paths() {
        let home = PathAddress(host: 1, port: 1)
        let other = PathAddress(host: 2, port: 2)
        var path = PathValidation(proven: nil)
        path.initiated(from: other, bytes: 100)
        #expect(path.allowance == 300)
        path.sent(250)
        #expect(path.allowance == 50)
        path.initiated(from: other, bytes: 100)
        #expect(path.allowance == 350)
        path.abandonCandidate()
        #expect(path.address == nil)
        path.initiated(from: home, bytes: 10)
        path.opened(0, from: home)
        #expect(path.allowance == .max && path.address == home)
        path.initiated(from: other, bytes: 10)
        #expect(path.address == other && path.allowance == 30)
        path.abandonCandidate()
        #expect(path.address == home)
        path.opened(5, from: other)
        path.opened(4, from: home)
        #expect(path.address == other)
    }

    @Test("an advisory is reported once a minute, and eight different ones at most (C-36)")
    func advisories() {
        var gate = AdvisoryGate()
        var now = Instant.zero
        let reported = (0..<20).count {
            gate.admits(AdvisoryPacket(version: UInt8($0), code: .busy), at: now)
        }
        #expect(reported == 8)
        let result3 = !gate.admits(AdvisoryPacket(version: 0, code: .busy), at: now)
        #expect(result3)
        now = now.advanced(by: .seconds(60))
        let result4 = gate.admits(AdvisoryPacket(version: 0, code: .busy), at: now)
        #expect(result4)
    }

    @Test("64 connections wait two seconds each, and a random older one is evicted (C-40)")
    func pendingConnections() {
        var pending = PendingConnections()
        var random = SeededGenerator(seed: 3)
        var evicted: Set<UInt64> = []
        for name in 0..<100 as Range<UInt64> {
            if let out = pending.accepted(name, at: .zero, random: random.next()) {
                #expect(evicted.insert(out).inserted)
            }
        }
        #expect(pending.count == 64 && evicted.count == 36)
        #expect(evicted.contains { $0 > 40 } && evicted.contains { $0 < 40 })
        let waiting = (0..<100 as Range<UInt64>).first { !evicted.contains($0) } ?? 0
        let result5 = pending.left(waiting)
        #expect(result5)
        let result6 = !pending.left(waiting)
        #expect(result6)
        let result7 = pending.expired(at: Instant.zero.advanced(by: .milliseconds(1999))).isEmpty
        #expect(result7)
        #expect(pending.nextDeadline == Instant.zero.advanced(by: .seconds(2)))
        let result8 = pending.expired(at: Instant.zero.advanced(by: .seconds(2))).count == 63
        #expect(result8)
        #expect(pending.count == 0 && pending.refused == 99)
    }

    @Test(
        "while 100 connections a second come, one whose message 1 takes 250 ms always survives",
        arguments: [(250, 200), (500, 100)])
    func survival(_ milliseconds: Int, _ least: Int) {
        var survived = 0
        for seed in 0..<200 as Range<UInt64> {
            var pending = PendingConnections()
            var random = SeededGenerator(seed: seed)
            var isAlive = true
            for name in 0..<UInt64(70 + milliseconds / 10) {
                let at = Instant.zero.advanced(by: .milliseconds(Int(name) * 10))
                _ = pending.expired(at: at)
                // The counterpart comes into a full table, and says message 1 later.
                if pending.accepted(name, at: at, random: random.next()) == 70 { isAlive = false }
            }
            survived += isAlive ? 1 : 0
        }
        #expect(survived >= least, "\(survived) of 200")
    }

    @Test("the first packet of a stream is collected within a bound, screened and skipped (C-41)")
    func firstPacket() throws {
        let limits = Limits()
        var pair = toyPair(seed: 50)
        pair.useStream()
        pair.start()
        let message = try #require(pair.capture.first { $0.from == .phone }).bytes
        var first = FirstPacket(limits: limits)
        for byte in message.dropLast() {
            first.receive([byte].span)
            #expect(first.find() == .incomplete)
        }
        first.receive([message[message.count - 1]].span)
        guard case .initiation(let packet) = first.find() else {
            Issue.record("no message 1 was found")
            return
        }
        var watch = pair.sides[1].connection
        var copy = first
        #expect(watch.screen(&copy, on: .stream, at: pair.now) == .admitted)
        #expect(first.received == message)
        watch.highestCounter = 100
        guard case .answer(let refusal) = watch.screen(&copy, on: .stream, at: pair.now) else {
            Issue.record("a stale message 1 was not refused")
            return
        }
        #expect(refusal.count == RefusalPacket.byteCount + 2)
        func screened(_ change: (inout InitiationPacket) -> Void) -> Admission {
            var forged = packet
            change(&forged)
            var writer = WireWriter()
            forged.write(to: &writer)
            var other = FirstPacket(limits: limits)
            let bytes = PacketFraming.plain(.initiation, writer.bytes, carrier: .stream)
            other.receive(bytes.span)
            return watch.screen(&other, on: .stream, at: pair.now)
        }
        #expect(screened { $0.body[50] ^= 1 } == .refused(answer: nil))
        guard case .refused(.some) = screened({ $0.version = 7 }) else {
            Issue.record("another version was not told so")
            return
        }
        // Early packets behind a refused message 1 are skipped up to the next message 1.
        let early = StreamFraming.prefix(of: .early, length: 20) + [UInt8](repeating: 1, count: 20)
        first.receive(early.span)
        first.receive(message.span)
        let result9 = first.skip()
        #expect(result9)
        guard case .initiation(let second) = first.find() else {
            Issue.record("the second message 1 was not found")
            return
        }
        #expect(second == packet)
        for kind in PacketKind.allCases where kind != .initiation {
            var other = FirstPacket(limits: limits)
            let bytes = StreamFraming.prefix(of: kind, length: 3) + [1, 2, 3]
            other.receive(bytes.span)
            #expect(other.find() == (kind == .pairing ? .pairing : .invalid))
        }
        var flood = FirstPacket(limits: limits)
        flood.receive([UInt8](repeating: 0xFF, count: 100_000).span)
        #expect(flood.received.count == FirstPacket.largestBytes)
        #expect(flood.find() == .invalid)
    }

    @Test("a new stream with a fresh message 1 takes the place of the one that is open (C-42)")
    func replacedCarrier() throws {
        var pair = toyPair(seed: 51)
        pair.useStream()
        pair.start()
        pair.join(within: .seconds(1))
        #expect(pair.took != nil)
        // The phone's process ends without a word, and its next one connects.
        var phone = TestSide(
            .phone, security: ToySecurity(.phone, psk: 77, seed: 1234).erased, epoch: 101)
        phone.ownCounter = 64
        pair.sides[0] = phone
        pair.inFlight = []
        pair.sides[0].connection.activate(at: pair.now)
        _ = pair.sides[0].connection.nextEvent(at: pair.now)
        pair.sides[1].connection.carrierReplaced(by: .stream, at: pair.now)
        pair.open(.phone)
        pair.join(within: .seconds(1))
        #expect(pair.took != nil)
        #expect(pair.sides[1].ends == [.replaced])
    }

    /// Shows C-44.
    @Test(
        "a cookie is good for its address and two periods, and never longer than a request (C-43)")
    func cookies() {
        let here = PathAddress(host: 1, port: 1)
        let there = PathAddress(host: 1, port: 2)
        var cookies = AddressCookies<ToyHash>(secret: [1, 2, 3], at: .zero)
        let cookie = cookies.cookie(of: here)
        #expect(cookies.accepts(cookie, from: here))
        #expect(!cookies.accepts(cookie, from: there))
        #expect(!cookies.accepts(0, from: here))
        cookies.rotate(to: [9], at: .zero)
        #expect(cookies.cookie(of: here) == cookie)
        cookies.rotate(to: [4], at: cookies.nextRotation)
        #expect(cookies.accepts(cookie, from: here))
        cookies.rotate(to: [5], at: cookies.nextRotation)
        #expect(!cookies.accepts(cookie, from: here))
        let asked = PairingPacket.messageWithCookie(0, [1])
        #expect(
            PairingAdmission.answer(asked, from: here, cookies: cookies)
                == .packet(.cookie(cookies.cookie(of: here))))
        let right = PairingPacket.messageWithCookie(cookies.cookie(of: here), [1])
        #expect(PairingAdmission.answer(right, from: here, cookies: cookies) == .proceed([1]))
        #expect(PairingAdmission.answer(right, from: there, cookies: cookies) != .proceed([1]))
        #expect(PairingAdmission.answer(.message([1]), from: here, cookies: cookies) == .drop)
        var question = WireWriter()
        asked.write(version: 1, to: &question)
        #expect(PairingPacket.cookiePacketBytes < question.count)
    }

    @Test("one exchange runs at a time, ten seconds at most and three of silence (C-45)")
    func pairingAdmission() {
        let one = PathAddress(host: 1, port: 1)
        let other = PathAddress(host: 2, port: 2)
        var admission = PairingAdmission()
        var now = Instant.zero
        let result10 = admission.admits(one, at: now)
        #expect(result10)
        let result11 = !admission.admits(other, at: now)
        #expect(result11)
        for _ in 0..<4 {
            now = now.advanced(by: .seconds(2))
            let result12 = admission.admits(one, at: now)
            #expect(result12)
        }
        #expect(admission.nextDeadline == Instant.zero.advanced(by: .seconds(10)))
        now = Instant.zero.advanced(by: .seconds(10))
        let result13 = admission.admits(other, at: now)
        #expect(result13)
        let result14 = !admission.admits(one, at: now)
        #expect(result14)
        let result15 = admission.admits(one, at: now.advanced(by: .seconds(3)))
        #expect(result15)
        // Silence ends the exchange before its time, and its end is due then.
        now = now.advanced(by: .seconds(3))
        #expect(admission.nextDeadline == now.advanced(by: .seconds(3)))
        let result17 = admission.expire(at: now.advanced(by: .milliseconds(2999)))
        #expect(!result17 && admission.source == one)
        let result18 = admission.expire(at: now.advanced(by: .seconds(3)))
        #expect(result18 && admission.source == nil && admission.nextDeadline == nil)
        // The side that has shown that it knows the code may be silent.
        let result19 = admission.admits(one, at: now)
        admission.authenticated()
        #expect(result19 && admission.nextDeadline == nil)
        let result20 = admission.expire(at: now.advanced(by: .seconds(3600)))
        #expect(!result20 && admission.source == one)
        admission.ended()
        let result16 = admission.admits(other, at: now.advanced(by: .seconds(3)))
        #expect(result16)
    }
}
