import Testing
import WatchSecurity

@testable import FormerCore

/// How sealed sessions begin where packets are lost, repeated, altered and replayed.
@Suite struct SealedHandshakeTests {
    @Test(arguments: [CarrierTraits.lossyDatagram, .bleDatagram])
    func fifty_of_fifty_handshakes_complete_under_bursts(_ carrier: CarrierTraits) throws {
        var slowest = Duration.zero
        for seed in 1...50 as ClosedRange<UInt64> {
            let box = try SealedPair(sealed: carrier, seed: seed)
            var weather = BurstLoss(share: 0.3, seed: seed)
            var lost = 0
            var sent = 0
            box.arrivals = { role, bytes in
                sent += 1
                guard weather.loses(from: role) else { return [bytes] }
                lost += 1
                return []
            }
            box.connect()
            let begin = box.now
            while !box.isActive, begin.duration(to: box.now) < .seconds(60) {
                box.advance(by: .milliseconds(100))
            }
            #expect(box.isActive, "seed \(seed): \(lost) of \(sent) packets lost")
            slowest = max(slowest, begin.duration(to: box.now))
        }
        // Ten flights of one side lost in a row are as long.
        #expect(slowest < .seconds(40), "\(slowest)")
    }

    /// The loss is what it claims to be.
    @Test func bursts_lose_a_third_or_so() {
        var weather = BurstLoss(share: 0.3, seed: 1)
        let lost = (0..<10_000).count { _ in weather.loses(from: .phone) }
        #expect((2_800...3_200).contains(lost))
    }

    @Test func both_open_at_once_and_the_lower_key_is_answered() throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        var flights: [DeviceRole] = []
        box.arrivals = { role, bytes in
            if isFlight(bytes) { flights.append(role) }
            return [bytes]
        }
        box.connect()
        #expect(box.isActive)
        let winner = try box.winner
        #expect(flights.count { $0 == winner.counterpart } >= 2)
        for side in [box.phone, box.watch] {
            let activations = side.host.events.count { $0 == .activation(.activated) }
            #expect(activations == 1)
        }
    }

    @Test(arguments: [DeviceRole.phone, .watch])
    func one_that_opens_later_finds_the_other(_ late: DeviceRole) throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        for role in [late.counterpart, late] {
            let side = box.side(role)
            side.peer.activate(at: box.now)
            side.drain(at: box.now)
            side.peer.linkUp(box.carrier, at: box.now)
            side.drain(at: box.now)
            if role != late {
                side.host.wire = []
                box.now = box.now.advanced(by: .milliseconds(10))
            }
        }
        box.settle()
        box.advance(by: .seconds(1))
        #expect(box.isActive)
        try box.exchange()
    }

    /// One side starts over while the other still has its session.
    @Test(arguments: [DeviceRole.phone, .watch], [CarrierTraits.lossyDatagram, .bleDatagram])
    func one_that_starts_over_is_taken_up_again(
        _ role: DeviceRole, _ carrier: CarrierTraits
    ) throws {
        let box = try SealedPair(sealed: carrier)
        box.connect()
        try box.exchange()
        for _ in 0..<3 {
            let side = box.side(role)
            side.peer.linkDown(CarrierFailure(call: "read", errorNumber: 5), at: box.now)
            side.drain(at: box.now)
            side.host.wire = []
            side.peer.activate(at: box.now)
            side.peer.linkUp(carrier, at: box.now)
            side.drain(at: box.now)
            #expect(box.side(role.counterpart).activationState == .activated)
            box.settle()
            box.advance(by: .seconds(1))
            #expect(box.isActive)
            try box.exchange()
        }
    }

    /// Its answer is on a link that is gone; the other side repeats what was answered.
    @Test func what_was_answered_on_a_lost_link_is_opened_afresh() throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        let winner = try box.winner
        var isDeaf = true
        box.arrivals = { role, bytes in role == winner || !isDeaf ? [bytes] : [] }
        box.connect()
        let other = box.side(winner.counterpart)
        other.peer.linkDown(CarrierFailure(call: "read", errorNumber: 5), at: box.now)
        other.drain(at: box.now)
        other.host.wire = []
        isDeaf = false
        other.peer.activate(at: box.now)
        other.peer.linkUp(box.carrier, at: box.now)
        other.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(20))
        #expect(box.isActive)
        try box.exchange()
    }

    // MARK: Altered and replayed flights

    /// Every byte of every flight that one side sends: while it is altered there is no session, and
    /// afterwards there is.
    @Test(arguments: [DeviceRole.phone, .watch])
    func no_session_comes_of_an_altered_flight(_ role: DeviceRole) throws {
        for index in 0..<220 {
            let box = try SealedPair(sealed: .lossyDatagram)
            var isAltering = true
            var altered = 0
            // An answer is shorter than what opens.
            var intact = 0
            box.arrivals = { from, bytes in
                guard isAltering, from == role, isFlight(bytes) else { return [bytes] }
                guard index < bytes.count else {
                    intact += 1
                    return [bytes]
                }
                altered += 1
                var bad = bytes
                bad[index] ^= 0x40
                return [bad]
            }
            box.connect()
            box.advance(by: .seconds(1))
            if altered > 0, intact == 0 {
                let active = [box.phone, box.watch].filter { $0.activationState == .activated }
                #expect(active.isEmpty, "byte \(index)")
            }
            isAltering = false
            box.advance(by: .seconds(20))
            #expect(box.isActive, "byte \(index)")
            try box.exchange()
        }
    }

    /// A stranger's altered copy of a flight comes before the flight itself.
    @Test(arguments: [DeviceRole.phone, .watch])
    func an_altered_copy_spoils_nothing(_ role: DeviceRole) throws {
        for index in 0..<220 {
            let box = try SealedPair(sealed: .lossyDatagram)
            box.arrivals = { from, bytes in
                guard from == role, isFlight(bytes), index < bytes.count else { return [bytes] }
                var bad = bytes
                bad[index] ^= 0x01
                return [bad, bytes]
            }
            box.connect()
            #expect(box.isActive, "byte \(index)")
            try box.exchange()
        }
    }

    /// Every byte of every flight of a stream, two bits of each, whichever side sends it: the link
    /// ends without a session, and the next one has one.
    @Test(arguments: [DeviceRole.phone, .watch], [0x10, 0x81] as [UInt8])
    func an_altered_flight_closes_a_stream_without_a_session(
        _ role: DeviceRole, mask: UInt8
    ) throws {
        var longest = 0
        let honest = try SealedPair(sealed: .stream)
        honest.arrivals = { from, bytes in
            if from == role { longest = max(longest, bytes.count) }
            return [bytes]
        }
        honest.connect()
        #expect(longest > 100)
        for index in 0..<longest {
            let box = try SealedPair(sealed: .stream)
            var altered = 0
            box.arrivals = { from, bytes in
                guard from == role, index < bytes.count else { return [bytes] }
                altered += 1
                return [bytes.flipping(index, mask)]
            }
            box.connect()
            let other = box.side(role.counterpart)
            #expect(altered > 0 && other.activationState != .activated, "byte \(index)")
            // A length that promises more than comes is waited for.
            box.advance(by: .seconds(60))
            let isClosed = other.host.events.contains {
                if case .linkClosed = $0 { true } else { false }
            }
            #expect(isClosed, "byte \(index)")
            #expect(![box.phone, box.watch].contains { $0.sessions > 0 }, "byte \(index)")
            box.arrivals = { [$1] }
            box.cut()
            box.reconnect()
            #expect(box.isActive, "byte \(index)")
            if index.isMultiple(of: 8) { try box.exchange() }
        }
    }

    @Test func repeated_and_reordered_flights_make_one_session() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let box = try SealedPair(sealed: .lossyDatagram)
            var choice = SeededGenerator(seed: seed)
            var kept: [DeviceRole: [[UInt8]]] = [:]
            box.arrivals = { role, bytes in
                // Some come twice, some after later ones, and some long after.
                kept[role, default: []].append(bytes)
                let old = kept[role]!.randomElement(using: &choice)!
                switch choice.next() % 4 {
                case 0: return [bytes, bytes]
                case 1: return [old, bytes]
                case 2: return [bytes, old]
                default: return [bytes]
                }
            }
            box.connect()
            box.advance(by: .seconds(2))
            #expect(box.isActive)
            try box.exchange()
            try box.exchange()
        }
    }

    /// What a side sends comes back to it.
    @Test func reflected_packets_are_dropped() throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        for side in [box.phone, box.watch] {
            side.peer.activate(at: box.now)
            side.drain(at: box.now)
            side.peer.linkUp(box.carrier, at: box.now)
            side.drain(at: box.now)
            for packet in side.host.wire {
                side.peer.receive(packet.span, at: box.now)
                side.drain(at: box.now)
            }
            #expect(side.activationState != .activated)
            #expect(side.counters.packetsDropped > 0)
        }
        box.settle()
        #expect(box.isActive)
        try box.exchange()
    }

    /// All that was said in an earlier session is said again, to a side with a session and to one
    /// that waits for one.
    @Test func an_earlier_session_said_again_does_nothing() throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        var recording: [(DeviceRole, [UInt8])] = []
        var isRecording = true
        box.arrivals = { role, bytes in
            if isRecording { recording.append((role, bytes)) }
            return [bytes]
        }
        box.connect()
        try box.exchange()
        isRecording = false
        box.cut()
        box.reconnect()
        try box.exchange()
        func replay() {
            for (role, bytes) in recording {
                let to = box.side(role.counterpart)
                to.peer.receive(bytes.span, at: box.now)
                to.drain(at: box.now)
            }
        }
        let sessions = (box.phone.sessions, box.watch.sessions)
        let given = box.watch.host.delivered.count
        replay()
        box.settle()
        box.advance(by: .seconds(30))
        #expect(box.isActive)
        #expect((box.phone.sessions, box.watch.sessions) == sessions)
        #expect(box.watch.host.delivered.count == given)
        try box.exchange()
        // A side that is new, and has no memory of the flights.
        box.restart(.watch, epoch: 0x3333)
        box.watch.peer.activate(at: box.now)
        box.watch.peer.linkUp(box.carrier, at: box.now)
        box.watch.drain(at: box.now)
        for (role, bytes) in recording where role == .phone {
            box.watch.peer.receive(bytes.span, at: box.now)
            box.watch.drain(at: box.now)
        }
        #expect(box.watch.activationState != .activated)
        box.phone.peer.activate(at: box.now)
        box.phone.peer.linkUp(box.carrier, at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(20))
        #expect(box.isActive)
        try box.exchange()
    }

    /// More first flights of earlier sessions than answers are kept, before and after the honest
    /// one, to a side that remembers none of them.
    @Test(arguments: [DeviceRole.phone, .watch])
    func a_crowd_of_old_flights_keeps_nobody_out(_ role: DeviceRole) throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        var old: [[UInt8]] = []
        box.arrivals = { from, bytes in
            if from == role, isFlight(bytes) { old.append(bytes) }
            return [bytes]
        }
        for _ in 0..<12 {
            box.connect()
            box.cut()
        }
        box.restart(role.counterpart, epoch: 0x4444)
        var isFirst = true
        box.arrivals = { from, bytes in
            guard from == role, isFirst else { return [bytes] }
            isFirst = false
            return old + [bytes] + old
        }
        box.cut()
        box.connect()
        #expect(box.side(role).sessions <= 13)
        box.arrivals = { [$1] }
        box.advance(by: .seconds(20))
        #expect(box.isActive)
        try box.exchange()
    }

    /// Who is not paired gets nowhere, and does not end what is there.
    @Test func a_stranger_opens_nothing() throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        let other = try SealedPair(sealed: .lossyDatagram, seed: 99)
        box.connect()
        let stranger = other.phone
        stranger.peer.activate(at: box.now)
        stranger.peer.linkUp(other.carrier, at: box.now)
        stranger.drain(at: box.now)
        let sessions = box.watch.sessions
        for packet in stranger.host.wire {
            box.watch.peer.receive(packet.span, at: box.now)
            box.watch.drain(at: box.now)
        }
        #expect(box.watch.sessions == sessions && box.watch.host.wire.isEmpty)
        try box.exchange()
    }
}

extension SideInABox {
    /// How many sessions were opened.
    var sessions: Int { host.events.count { $0 == .activation(.activated) } }
}

extension [UInt8] {
    /// The bytes with some bits of one changed.
    fileprivate func flipping(_ index: Int, _ mask: UInt8) -> [UInt8] {
        var changed = self
        changed[index] ^= mask
        return changed
    }
}
