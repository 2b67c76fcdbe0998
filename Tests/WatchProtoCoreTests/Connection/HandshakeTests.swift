import Testing

@testable import WatchProtoCore

/// The handshake of two sides over virtual links: the rules from C-10 on.
@Suite struct HandshakeTests {
    @Test("two sides on datagrams have one session after one round trip")
    func datagrams() throws {
        var pair = toyPair(seed: 1)
        pair.start()
        pair.join(within: .seconds(1))
        let took = try #require(pair.took)
        #expect(took <= .milliseconds(120))
        #expect(pair.sides[0].initiations == 1)
        #expect(pair.sides[1].initiations == 0)
        #expect(pair.sides[0].current?.isInitiator == true)
        #expect(pair.sides[1].current?.isInitiator == false)
        #expect(pair.sides[0].current?.counterpartEpoch == EpochID(rawValue: 200))
        #expect(pair.sides[1].current?.counterpartEpoch == EpochID(rawValue: 100))
        #expect(pair.sides[1].current?.counterpartCounter == 1)
        #expect(pair.sides[0].current?.hello == [1, 2, 3])
        #expect(pair.sides[1].current?.hello == [4, 5, 6])
    }

    @Test("the same machine opens a session on a stream, sealed or not")
    func streams() throws {
        var sealed = toyPair(seed: 2)
        sealed.useStream()
        sealed.start()
        sealed.join(within: .seconds(1))
        #expect(sealed.took != nil)
        var plain = nullPair(seed: 2)
        plain.useStream()
        plain.start()
        plain.join(within: .seconds(1))
        #expect(plain.took != nil)
        #expect(plain.sides[0].current?.ticket == plain.sides[1].current?.ticket)
    }

    @Test("packets that cannot be lost, in whole datagrams, have implied numbers")
    func seqpacket() throws {
        var pair = toyPair(seed: 3)
        pair.carrier = CarrierTraits(framing: .datagram(largestBytes: 1200))
        pair.start()
        pair.join(within: .seconds(1))
        #expect(pair.took != nil)
        let last = try #require(pair.capture.last)
        #expect(last.bytes[0] == PacketKind.transport.rawValue)
        #expect(last.bytes.count == 1 + 17 + 1 + 16)
    }

    @Test("the first handshake message of two sides in step takes at most 104 bytes")
    func sizeInStep() throws {
        var pair = toyPair(seed: 4)
        let side = pair.sides[0]
        pair.sides[0].connection.activate(at: pair.now)
        _ = pair.sides[0].connection.nextEvent(at: pair.now)
        pair.sides[0].connection.carrierUp(
            pair.carrier, address: TestPair.watchAddress, initiation: .atOnce,
            at: pair.now)
        // Thirteen bytes are the longest hello in step (IDENTITY, section 8).
        let hello = [UInt8](repeating: 0xFF, count: 13)
        pair.sides[0].connection.initiate(
            hello: hello, epoch: side.epoch, counter: 1 << 40, at: pair.now)
        let leaving = pair.sides[0].connection.nextOutgoing()
        let packet = try #require(leaving)
        #expect(packet.bytes.count == 91)
        // The room that the hello may take keeps both messages within the smallest datagram.
        #expect(pair.sides[0].connection.initiationHelloBytes == 244 - 78)
        #expect(pair.sides[0].connection.responseHelloBytes == 244 - 75)
    }

    @Test("where both sides open at once the phone's message 1 is answered, on every carrier")
    func crossing() throws {
        for isStream in [false, true] {
            var pair = toyPair(seed: 5)
            if isStream { pair.useStream() }
            pair.watchInitiates = .atOnce
            // The watch knows the address from before.
            pair.start()
            if !isStream {
                pair.sides[1].connection.withLink {
                    $0.path = PathValidation(proven: TestPair.phoneAddress)
                }
                pair.settle(.watch)
            }
            #expect(pair.sides[1].initiations == 1)
            #expect(pair.sides[0].initiations == 1)
            pair.join(within: .seconds(1))
            let took = try #require(pair.took)
            #expect(took <= .milliseconds(120))
            #expect(pair.sides[0].current?.isInitiator == true)
            #expect(pair.sides[0].sessions.count == 1)
            #expect(pair.sides[1].sessions.count == 1)
        }
    }

    /// Shows C-21, C-27.
    @Test("early data of both sides is taken where both open at once")
    func crossingEarly() throws {
        for isStream in [false, true] {
            var pair = toyPair(seed: 6)
            if isStream { pair.useStream() }
            pair.watchInitiates = .atOnce
            pair.start()
            if !isStream {
                pair.sides[1].connection.withLink {
                    $0.path = PathValidation(proven: TestPair.phoneAddress)
                }
                pair.settle(.watch)
            }
            for _ in 0..<3 {
                pair.sendEarly(.phone)
                pair.sendEarly(.watch)
            }
            pair.join(within: .seconds(1))
            #expect(pair.took != nil)
            #expect(pair.sides[0].early.count == 3)
            #expect(pair.sides[1].early.count == 3)
            // The early data of the side that was not answered counts by its counter.
            #expect(pair.sides[0].connection.highestCounter == pair.sides[1].ownCounter)
        }
    }

    /// Shows C-21.
    @Test("the crossed message 1 is answered where the own one fails")
    func crossedAnswered() throws {
        var pair = toyPair(seed: 7)
        pair.start()
        pair.inFlight = []
        // The phone's messages are lost from here on; the watch's message 1 comes through.
        pair.sides[1].connection.withLink {
            $0.path = PathValidation(proven: TestPair.phoneAddress)
        }
        pair.sides[1].connection.initiateNow()
        pair.settle(.watch)
        pair.join(within: .seconds(20))
        #expect(pair.took != nil)
        var blocked = toyPair(seed: 8)
        blocked.start()
        let message = try #require(blocked.capture.first)
        #expect(message.from == .phone)
        blocked.isCut = true
        blocked.inFlight = []
        var other = toyPair(seed: 8)
        other.sides[1].connection.activate(at: other.now)
        other.settle(.watch)
        other.sides[1].connection.withLink {
            $0.path = PathValidation(proven: TestPair.phoneAddress)
        }
        other.sides[1].connection.initiateNow()
        other.settle(.watch)
        let crossed = try #require(other.capture.last)
        blocked.inject(
            crossed.bytes, to: .phone, from: TestPair.watchAddress)
        #expect(blocked.sides[0].connection.request?.isCrossed == true)
        #expect(!blocked.sides[0].connection.mayRespond)
        #expect(blocked.sides[0].sessions.isEmpty)
        blocked.run(for: .seconds(5))
        #expect(blocked.sides[0].sessions.count == 1)
        #expect(blocked.sides[0].connection.phase == .responded)
    }

    /// Shows C-29.
    @Test("a message 2 from before a crossed message 1 opens nothing", arguments: [1, 0])
    func crossedBefore(_ counter: UInt64) throws {
        var pair = toyPair(seed: 7)
        pair.start()
        pair.sides[1].ownCounter = 1
        let message1 = try #require(pair.capture.first)
        pair.inject(message1.bytes, to: .watch, from: TestPair.phoneAddress)
        let message2 = try #require(pair.capture.last)
        #expect(pair.sides[1].connection.phase == .responded)
        // The watch's process begins anew, and makes a message 1 of its own.
        var later = toyPair(seed: 9)
        later.sides[1].ownCounter = counter
        later.start()
        later.sides[1].connection.withLink {
            $0.path = PathValidation(proven: TestPair.phoneAddress)
        }
        later.sides[1].connection.initiateNow()
        later.settle(.watch)
        let crossed = try #require(later.capture.last)
        let phone = TestPair.watchAddress
        pair.inject(crossed.bytes, to: .phone, from: phone)
        #expect(pair.sides[0].connection.request?.isCrossed == true)
        pair.inject(message2.bytes, to: .phone, from: phone)
        // With a counter of 2 it left after message 2, with 1 before it.
        #expect(pair.sides[0].connection.phase == (counter == 1 ? .responded : .established))
        #expect(pair.sides[0].connection.counters.packetsDropped == 0)
    }

    /// Shows C-12.
    @Test("a crossed message 1 that was opened is not opened again, once it was left unanswered")
    func crossedAgain() throws {
        var pair = toyPair(seed: 7)
        var past = toyPair(seed: 7)
        past.sides[1].ownCounter = 5
        past.start()
        past.sides[1].connection.withLink {
            $0.path = PathValidation(proven: TestPair.phoneAddress)
        }
        past.sides[1].connection.initiateNow()
        past.settle(.watch)
        let old = try #require(past.capture.last { $0.from == .watch })
        pair.start()
        for _ in 0..<2 {
            pair.inject(old.bytes, to: .phone, from: TestPair.watchAddress)
            #expect(pair.sides[0].connection.counters.initiationsOpened == 1)
            pair.join(within: .seconds(1))
            #expect(pair.took != nil)
        }
        #expect(pair.sides[0].connection.counters.refusalsSent == 1)
    }

    @Test("a message 1 that answers a crossed one counts for the address of that (C-31)")
    func crossedAllowance() throws {
        var watch = toyPair(seed: 8)
        watch.sides[1].connection.activate(at: watch.now)
        watch.settle(.watch)
        watch.sides[1].connection.withLink {
            $0.path = PathValidation(proven: TestPair.phoneAddress)
        }
        watch.sides[1].connection.initiateNow()
        watch.settle(.watch)
        let crossed = try #require(watch.capture.last)
        var pair = toyPair(seed: 8)
        pair.sides[0].connection.activate(at: pair.now)
        _ = pair.sides[0].drain(at: pair.now)
        pair.sides[0].wantsCarrier = false
        pair.sides[0].connection.carrierUp(
            pair.carrier, address: PathAddress(host: 404, port: 4), initiation: .atOnce,
            at: pair.now)
        pair.settle(.phone)
        pair.isCut = true
        pair.capture = []
        pair.inject(crossed.bytes, to: .phone, from: TestPair.watchAddress)
        let own = try #require(pair.capture.first)
        pair.run(for: .seconds(5))
        #expect(pair.sides[0].connection.phase == .responded)
        let response = try #require(pair.capture.last)
        let sent = own.bytes.count + response.bytes.count
        #expect(pair.sides[0].connection.sendAllowance == 3 * crossed.bytes.count - sent)
    }

    @Test("a message 1 that went to an address of the past goes to where the crossed one came from")
    func crossedElsewhere() throws {
        var pair = toyPair(seed: 17)
        for role in DeviceRole.allCases {
            let place = Int(role.rawValue)
            pair.sides[place].connection.activate(at: pair.now)
            _ = pair.sides[place].drain(at: pair.now)
            pair.sides[place].wantsCarrier = false
            let gone = PathAddress(host: 404, port: 4)
            pair.sides[place].connection.carrierUp(
                pair.carrier, address: role == .phone ? gone : TestPair.phoneAddress,
                initiation: .atOnce, at: pair.now)
            pair.settle(role)
        }
        // The phone's message 1 is lost once; that of the watch comes again after 300 ms.
        pair.run(for: .milliseconds(30))
        #expect(pair.sides[0].crossed == 1 && pair.inFlight.count == 1)
        pair.inFlight = []
        pair.join(within: .seconds(5))
        #expect(try #require(pair.took) < .milliseconds(500))
        #expect(pair.sides.map { $0.initiations } == [1, 1])
        #expect(pair.sides[0].connection.address == TestPair.watchAddress)
    }

    @Test("a message 1 waits while an entry of the ticket layer is in flight")
    func quiescence() throws {
        var pair = toyPair(seed: 9)
        pair.sides[1].isStable = false
        pair.start()
        pair.run(for: .milliseconds(100))
        #expect(pair.sides[1].connection.request != nil)
        #expect(pair.sides[1].sessions.isEmpty)
        pair.sides[1].isStable = true
        pair.settle(.watch)
        #expect(pair.sides[1].sessions.count == 1)
        pair.join(within: .seconds(1))
        #expect(pair.took != nil)
    }

    /// Shows C-16.
    @Test("the identical message 1 gets the identical message 2 128 times, then nothing")
    func repetition() throws {
        var pair = toyPair(seed: 10)
        pair.start()
        let message = try #require(pair.capture.first).bytes
        pair.run(for: .milliseconds(25))
        let answer = try #require(pair.capture.last)
        #expect(answer.from == .watch)
        pair.isCut = true
        for count in 1...130 {
            pair.capture = []
            pair.inject(message, to: .watch, from: TestPair.phoneAddress)
            #expect(pair.capture.map { $0.bytes } == (count <= 128 ? [answer.bytes] : []))
        }
        #expect(pair.sides[1].sessions.count == 1)
        #expect(pair.sides[1].connection.counters.responsesRepeated == 128)
    }

    /// Message 2 is on its way there. Shows C-16.
    @Test("where nothing is lost, the identical message 1 gets nothing")
    func repetitionOnAStream() throws {
        var pair = toyPair(seed: 10)
        pair.useStream()
        pair.start()
        let message = try #require(pair.capture.first).bytes
        pair.run(for: .milliseconds(25))
        #expect(try #require(pair.capture.last).from == .watch)
        pair.isCut = true
        pair.capture = []
        pair.inject(message, to: .watch, from: TestPair.phoneAddress)
        #expect(pair.capture.isEmpty)
        #expect(pair.sides[1].sessions.count == 1)
        #expect(pair.sides[1].connection.counters.responsesRepeated == 0)
    }

    @Test("a message 1 that made the session ends nothing when it comes again")
    func repeatedInSession() throws {
        var pair = toyPair(seed: 11)
        pair.start()
        let message = try #require(pair.capture.first).bytes
        pair.join(within: .seconds(1))
        #expect(pair.took != nil)
        pair.capture = []
        pair.inject(message, to: .watch, from: TestPair.phoneAddress)
        #expect(pair.capture.isEmpty)
        #expect(pair.isJoined)
        #expect(pair.sides[1].connection.request == nil)
    }

    /// Shows C-12, C-14.
    @Test("a stale message 1 is refused with the highest counter, and changes nothing")
    func stale() throws {
        var pair = toyPair(seed: 12)
        pair.start()
        let old = try #require(pair.capture.first).bytes
        pair.join(within: .seconds(1))
        #expect(pair.took != nil)
        // The phone opens anew, so that the kept message 1 is not the one of the session.
        pair.sides[0].connection.close(.localRequest, at: pair.now)
        pair.settle(.phone)
        pair.join(within: .seconds(3))
        #expect(pair.took != nil)
        let before = pair.sides[1].connection.phase
        pair.capture = []
        pair.inject(old, to: .watch, from: TestPair.phoneAddress)
        let refusal = try #require(pair.capture.first).bytes
        #expect(refusal.count == 1 + RefusalPacket.byteCount)
        #expect(refusal.count < old.count)
        #expect(refusal[0] == PacketKind.refusal.rawValue)
        #expect(pair.sides[1].connection.phase == before)
        #expect(pair.sides[1].connection.counters.initiationsOpened == 2)
        pair.run(for: .milliseconds(100))
        #expect(pair.isJoined)
        #expect(pair.sides[0].refusedHighest == nil)
    }

    /// Shows C-15.
    @Test("a side whose counter went back gets in with its second message 1, either side")
    func restoredCounter() throws {
        for role in DeviceRole.allCases {
            for isStream in [false, true] {
                var pair = toyPair(seed: 13)
                if isStream { pair.useStream() }
                let restored = Int(role.rawValue)
                pair.sides[1 - restored].connection.highestCounter = 1000
                pair.watchInitiates = role == .watch ? .atOnce : .whenCalled
                if role == .watch {
                    pair.sides[0].connection.firstTimeout = .seconds(100)
                    // Only the watch opens: the phone waits to be called.
                    pair.sides[1].connection.activate(at: pair.now)
                    pair.settle(.watch)
                    pair.sides[0].connection.activate(at: pair.now)
                    _ = pair.sides[0].connection.nextEvent(at: pair.now)
                    pair.sides[0].connection.carrierUp(
                        pair.carrier, address: nil, initiation: .whenCalled, at: pair.now)
                    if isStream { pair.open(.watch) }
                    pair.sides[1].connection.withLink {
                        $0.path = PathValidation(proven: TestPair.phoneAddress)
                    }
                    pair.settle(.watch)
                } else {
                    pair.start()
                }
                pair.join(within: .seconds(1))
                #expect(pair.took != nil, "\(role) \(isStream)")
                #expect(pair.sides[restored].initiations == 2)
                #expect(pair.sides[restored].ownCounter == 1001)
                #expect(pair.sides[1 - restored].connection.counters.refusalsSent == 1)
            }
        }
    }

    @Test("a forged refusal changes nothing")
    func forgedRefusal() throws {
        var pair = toyPair(seed: 14)
        pair.start()
        let id = try #require(pair.sides[0].connection.initiationID)
        var writer = WireWriter([PacketKind.refusal.rawValue])
        RefusalPacket(connectionID: id, highest: 1 << 50, mac: 12345).write(to: &writer)
        pair.inject(writer.bytes, to: .phone, from: TestPair.watchAddress)
        #expect(pair.sides[0].refusedHighest == nil)
        #expect(pair.sides[0].connection.initiationID == id)
        pair.join(within: .seconds(1))
        #expect(pair.took != nil)
    }

    /// Shows C-12.
    @Test("a counter that jumps by more than 2^32 is not taken, and the next one is (C-12)")
    func counterStep() throws {
        let step = HandshakeCounterLimit.largestStep
        for (counter, isTaken) in [(1 + step, false), (step, true), (.max >> 2, false)]
            as [(UInt64, Bool)]
        {
            var pair = toyPair(seed: 18)
            pair.sides[0].ownCounter = counter - 1
            pair.start()
            pair.run(for: .milliseconds(25))
            #expect((pair.sides[1].connection.phase == .responded) == isTaken)
            #expect(pair.sides[1].connection.highestCounter == (isTaken ? counter : 0))
            #expect(pair.sides[1].connection.counters.forgedInitiations == (isTaken ? 0 : 1))
        }
        // Message 2 and a refusal raise no counter further, either.
        var pair = toyPair(seed: 19)
        pair.sides[1].ownCounter = step + 1
        pair.start()
        pair.run(for: .milliseconds(100))
        #expect(pair.sides[0].connection.highestCounter == 0)
        #expect(pair.sides[0].sessions.isEmpty)
        var refused = toyPair(seed: 19)
        refused.sides[1].connection.highestCounter = step + 2
        refused.start()
        refused.run(for: .milliseconds(100))
        #expect(refused.sides[0].refusedHighest == nil)
    }

    /// Shows C-17.
    @Test("a newer message 1 takes the candidate's place, an older one does not")
    func newestCounter() throws {
        var pair = toyPair(seed: 15)
        pair.start()
        let first = try #require(pair.capture.first).bytes
        pair.inFlight = []
        pair.sides[0].connection.abandonInitiation()
        pair.capture = []
        pair.settle(.phone)
        let second = try #require(pair.capture.first).bytes
        pair.inFlight = []
        pair.isCut = true
        pair.inject(second, to: .watch, from: TestPair.phoneAddress)
        #expect(pair.sides[1].sessions.count == 1)
        pair.inject(first, to: .watch, from: TestPair.phoneAddress)
        #expect(pair.sides[1].sessions.count == 1)
        #expect(pair.sides[1].connection.counters.refusalsSent == 1)
        #expect(pair.sides[1].connection.counters.initiationsOpened == 1)
    }

    /// Shows C-23.
    @Test("a candidate that nobody goes on with is given up, and this side opens")
    func unconfirmed() throws {
        var pair = toyPair(seed: 16)
        pair.start()
        pair.run(for: .milliseconds(25))
        #expect(pair.sides[1].connection.phase == .responded)
        pair.isCut = true
        pair.inFlight = []
        pair.sides[0].connection.firstTimeout = .seconds(100)
        pair.run(for: .seconds(6))
        #expect(pair.sides[1].ends == [.handshakeTimedOut])
        // It knows no address that a session has shown: it waits to be called.
        #expect(pair.sides[1].connection.phase == .handshaking)
        #expect(pair.sides[1].initiations == 0)
    }

    /// Shows C-24.
    @Test("a handshake that is not complete in time gives the carrier up, with back-off")
    func timedOut() throws {
        for isStream in [false, true] {
            var pair = toyPair(seed: 17)
            if isStream { pair.useStream() }
            pair.isCut = true
            pair.start()
            pair.run(for: .seconds(31))
            #expect(pair.sides[0].ends.contains(.handshakeTimedOut))
        }
    }
}
