@testable import WatchProtoCore

/// Two sides joined by a virtual link with one clock: datagrams that are lost, repeated and
/// reordered, or a stream in chunks of any size.
struct TestPair {
    static var phoneAddress: PathAddress { PathAddress(host: 1, port: 1) }
    static var watchAddress: PathAddress { PathAddress(host: 2, port: 2) }

    struct PacketInFlight {
        var at: Instant
        var order: Int
        var to: DeviceRole
        var bytes: [UInt8]
        var from: PathAddress
    }

    var sides: [TestSide]
    var now = Instant(nanoseconds: 1_000_000_000)
    var generator: SeededGenerator
    var inFlight: [PacketInFlight] = []
    var order = 0
    var delay: Duration = .milliseconds(20)
    var loss = 0.0
    var duplication = 0.0
    var reordering = 0.0
    var isStream = false
    var isCut = false
    /// The side whose packets are all lost.
    var muted: DeviceRole?
    var carrier = CarrierTraits(framing: .datagram(largestBytes: 1200), isLossy: true)
    /// Every packet that was transmitted, with its sender: for whoever keeps and repeats them.
    var capture: [(from: DeviceRole, bytes: [UInt8])] = []
    var watchInitiates = InitiationTime.afterPatience
    /// Whether the watch knows the address of the phone from the beginning, too.
    var watchKnowsAddress = false
    /// How long the last ``join(within:)`` took; nil where nothing came of it.
    var took: Duration?

    init(_ phone: TestSide, _ watch: TestSide, seed: UInt64) {
        sides = [phone, watch]
        generator = SeededGenerator(seed: seed)
    }

    mutating func useStream() {
        isStream = true
        carrier = .stream
    }

    func address(of role: DeviceRole) -> PathAddress {
        role == .phone ? Self.phoneAddress : Self.watchAddress
    }

    mutating func transmit(_ packet: OutgoingPacket, from role: DeviceRole) {
        capture.append((role, packet.bytes))
        guard !isCut, role != muted else { return }
        // A datagram to anybody else is gone.
        if carrier.isLossy, packet.address != address(of: role.counterpart) { return }
        if carrier.isLossy, generator.chance(loss) { return }
        let copies = carrier.isLossy && generator.chance(duplication) ? 2 : 1
        for _ in 0..<copies { launch(packet.bytes, from: role) }
    }

    mutating func launch(_ bytes: [UInt8], from role: DeviceRole) {
        var wait = delay
        if carrier.isLossy, generator.chance(reordering) { wait = wait * 4 }
        order += 1
        inFlight.append(
            PacketInFlight(
                at: now.advanced(by: wait), order: order, to: role.counterpart, bytes: bytes,
                from: address(of: role)))
    }

    /// Gives bytes to a side as if they had come from `source`.
    mutating func inject(_ bytes: [UInt8], to role: DeviceRole, from source: PathAddress) {
        let place = Int(role.rawValue)
        if sides[place].connection.receive(bytes.span, from: source, at: now) { settle(role) }
    }

    /// Drains a side and opens its carrier where it wants one.
    mutating func settle(_ role: DeviceRole) {
        let place = Int(role.rawValue)
        for packet in sides[place].drain(at: now) { transmit(packet, from: role) }
        if sides[place].wantsCarrier, !isStream { open(role) }
    }

    mutating func open(_ role: DeviceRole) {
        let place = Int(role.rawValue)
        sides[place].wantsCarrier = false
        sides[place].connection.carrierUp(
            carrier,
            address: carrier.isLossy && (role == .phone || watchKnowsAddress)
                ? address(of: role.counterpart) : nil,
            initiation: role == .phone ? .atOnce : watchInitiates, at: now)
        for packet in sides[place].drain(at: now) { transmit(packet, from: role) }
    }

    mutating func start() {
        for role in [DeviceRole.watch, .phone] {
            sides[Int(role.rawValue)].connection.activate(at: now)
            settle(role)
        }
        if isStream { openStream() }
    }

    /// A stream exists for both sides or for none.
    mutating func openStream() {
        guard sides[0].wantsCarrier, sides[1].wantsCarrier else { return }
        inFlight = []
        open(.watch)
        open(.phone)
    }

    /// Closes a stream for the side whose counterpart has closed it.
    mutating func followStream() {
        guard isStream else { return }
        for role in DeviceRole.allCases {
            let own = sides[Int(role.rawValue)]
            guard own.connection.carrier == nil else { continue }
            let other = role.counterpart
            if sides[Int(other.rawValue)].connection.carrier != nil {
                sides[Int(other.rawValue)].connection.carrierDown(
                    CarrierFailure(call: "end of stream", errorNumber: 0), at: now)
                settle(other)
            }
        }
        openStream()
    }

    /// Moves to the next thing that happens, at most to `limit`; false where nothing does.
    mutating func step(until limit: Instant) -> Bool {
        let packet = inFlight.indices.min {
            (inFlight[$0].at, inFlight[$0].order) < (inFlight[$1].at, inFlight[$1].order)
        }
        let deadline = sides.compactMap { $0.connection.nextDeadline }.min()
        let next = min(packet.map { inFlight[$0].at } ?? limit, deadline ?? limit)
        guard next < limit else {
            now = max(now, limit)
            return false
        }
        now = max(now, next)
        if let packet, inFlight[packet].at <= now {
            let arrived = inFlight.remove(at: packet)
            deliver(arrived)
        }
        for role in DeviceRole.allCases {
            let place = Int(role.rawValue)
            if let deadline = sides[place].connection.nextDeadline, deadline <= now {
                sides[place].connection.expire(at: now)
            }
            settle(role)
        }
        followStream()
        return true
    }

    private mutating func deliver(_ packet: PacketInFlight) {
        let place = Int(packet.to.rawValue)
        guard isStream else {
            if sides[place].connection.receive(packet.bytes.span, from: packet.from, at: now) {
                settle(packet.to)
            }
            return
        }
        var rest = packet.bytes[...]
        while !rest.isEmpty {
            let count = Int(generator.uniform(in: 1...UInt64(rest.count)))
            let chunk = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            if sides[place].connection.receive(chunk.span, at: now) { settle(packet.to) }
        }
    }

    mutating func run(for duration: Duration) {
        let limit = now.advanced(by: duration)
        while step(until: limit) {}
    }

    /// Runs until both sides have the same session; ``took`` says how long that was.
    mutating func join(within limit: Duration) { took = runUntilJoined(within: limit) }

    private mutating func runUntilJoined(within limit: Duration) -> Duration? {
        let begin = now
        let end = now.advanced(by: limit)
        while !isJoined {
            // The initiator's first packet confirms the session.
            for role in DeviceRole.allCases { send(role) }
            if !step(until: min(end, now.advanced(by: .milliseconds(50)))), now >= end {
                return nil
            }
        }
        return begin.duration(to: now)
    }

    /// Both sides have one session, and each knows that the other has it.
    var isJoined: Bool {
        sides[0].connection.phase == .established && sides[1].connection.phase == .established
            && sides[0].current?.ticket == sides[1].current?.ticket
    }

    /// Sends one message of the session of a side.
    mutating func send(_ role: DeviceRole) {
        if let packet = sides[Int(role.rawValue)].message(at: now) { transmit(packet, from: role) }
    }

    mutating func sendEarly(_ role: DeviceRole) {
        if let packet = sides[Int(role.rawValue)].earlyMessage() { transmit(packet, from: role) }
    }
}

/// A pair with the toy keyed security.
func toyPair(
    seed: UInt64, configuration: ConnectionConfiguration = ConnectionConfiguration()
) -> TestPair {
    TestPair(
        TestSide(
            .phone, security: ToySecurity(.phone, psk: 77, seed: seed &* 2).erased, epoch: 100,
            configuration: configuration),
        TestSide(
            .watch, security: ToySecurity(.watch, psk: 77, seed: seed &* 2 + 1).erased, epoch: 200,
            configuration: configuration),
        seed: seed)
}

/// A pair without security.
func nullPair(seed: UInt64) -> TestPair {
    let label = PeerLabel(role: .phone, pairing: PairingID(rawValue: 9))
    return TestPair(
        TestSide(.phone, security: NullSecurity(label, seed: seed &* 2).erased, epoch: 100),
        TestSide(
            .watch, security: NullSecurity(label.counterpart, seed: seed &* 2 + 1).erased,
            epoch: 200),
        seed: seed)
}
