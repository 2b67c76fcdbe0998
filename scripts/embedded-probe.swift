// Two concrete peers that exchange 100 records over a stream, and 100 over datagrams of which some
// are lost, in virtual time. scripts/embedded builds it together with Sources/WatchProtoCore, once
// as Embedded Swift and once as usual: both print the same digest.

/// The world around one peer: what its drain left to do.
struct ProbeWorld: PeerEnvironment {
    var packets: [[UInt8]] = []
    var image: JournalImage
    var receipts: [JournalReceipt] = []
    /// Of all that happened to this side, in order.
    var digest = ContentHash.start
    var applied = 0

    mutating func transmit(_ bytes: Span<UInt8>, to address: PathAddress?) -> Int {
        packets.append([UInt8](copying: bytes))
        return bytes.count
    }

    mutating func persist(_ entries: [JournalEntry], receipt: JournalReceipt) {
        image.apply(entries)
        receipts.append(receipt)
    }

    mutating func deliver(_ record: InboundRecord) -> Disposition {
        applied += 1
        digest = ContentHash.continued(digest, with: record.id.number.rawValue)
        digest = ContentHash.continued(digest, with: ContentHash.of(record.payload))
        return .applied
    }

    mutating func report(_ event: PeerEvent) {
        if case .settled(let id, _) = event {
            digest = ContentHash.continued(digest, with: id.number.rawValue << 3)
        }
    }
}

/// A peer with its world.
struct ProbeSide: ~Copyable {
    var peer: Peer
    var world: ProbeWorld
    /// Packets on their way to this side.
    var arriving: [(due: Instant, bytes: [UInt8])] = []

    init(_ role: DeviceRole, at now: Instant) {
        let pairing = PairingID(rawValue: 7)
        var image = JournalImage(kinds: RecordKinds())
        image.apply(TicketState.Image.paired(Ticket(rawValue: 99)))
        let label = PeerLabel(role: role, pairing: pairing)
        peer = Peer(
            PeerConfiguration(role: role, pairing: pairing), restoring: image,
            epoch: EpochID(rawValue: 5 + UInt64(role.rawValue)),
            security: NullSecurity(label, seed: UInt64(role.rawValue)).erased,
            clock: WallClock(time: WallTime(milliseconds: 1_700_000_000_000)), at: now)
        world = ProbeWorld(image: image)
    }

    /// Drains until nothing is left to do; every commit is done at once.
    mutating func drain(at now: Instant) {
        repeat {
            let receipts = world.receipts
            world.receipts = []
            for receipt in receipts { peer.committed(receipt, at: now) }
            peer.drain(into: &world)
        } while !world.receipts.isEmpty
    }

    /// Takes what has arrived, and wakes the peer where its deadline has come.
    mutating func step(from source: PathAddress?, at now: Instant) {
        while let first = arriving.first, first.due <= now {
            arriving.removeFirst()
            peer.receive(first.bytes.span, from: source, at: now)
            drain(at: now)
        }
        if let deadline = peer.nextDeadline, deadline <= now {
            peer.wake(at: now)
            drain(at: now)
        }
    }

    /// When something happens here next.
    var nextMoment: Instant {
        mutating get {
            let far = Instant(nanoseconds: .max)
            return min(arriving.first?.due ?? far, peer.nextDeadline ?? far)
        }
    }
}

@main struct Probe {
    static let records = 100

    static func main() {
        let datagrams = CarrierTraits(framing: .datagram(largestBytes: 244), isLossy: true)
        print(exchange(over: .stream))
        print(exchange(over: datagrams))
    }

    /// The digest of all that happened to both sides until every record was settled; 0 where that
    /// takes more than a minute.
    static func exchange(over carrier: CarrierTraits) -> UInt64 {
        var now = Instant(nanoseconds: 1_000_000_000)
        let end = now.advanced(by: .seconds(60))
        var phone = ProbeSide(.phone, at: now)
        var watch = ProbeSide(.watch, at: now)
        let isStream = carrier.framing == .stream
        let phoneAddress = isStream ? nil : PathAddress(host: 1, port: 1)
        let watchAddress = isStream ? nil : PathAddress(host: 2, port: 1)
        phone.peer.activate(at: now)
        watch.peer.activate(at: now)
        watch.peer.linkUp(carrier, initiation: .whenCalled, at: now)
        phone.peer.linkUp(carrier, address: watchAddress, initiation: .atOnce, at: now)
        for number in 0..<records / 2 {
            send(number, &phone, at: now)
            send(number, &watch, at: now)
        }
        var generator = SeededGenerator(seed: 3)
        while phone.world.applied + watch.world.applied < records
            || !phone.peer.outstandingTransfers.isEmpty
            || !watch.peer.outstandingTransfers.isEmpty
        {
            phone.drain(at: now)
            watch.drain(at: now)
            deliver(&phone.world.packets, to: &watch, carrier, &generator, at: now)
            deliver(&watch.world.packets, to: &phone, carrier, &generator, at: now)
            now = max(now, min(phone.nextMoment, watch.nextMoment))
            guard now < end else { return 0 }
            phone.step(from: watchAddress, at: now)
            watch.step(from: phoneAddress, at: now)
        }
        return ContentHash.continued(phone.world.digest, with: watch.world.digest)
    }

    /// A record of 20 to 219 bytes; every fifth is the value of a key.
    static func send(_ number: Int, _ side: inout ProbeSide, at now: Instant) {
        let isValue = number % 5 == 0
        let draft = RecordDraft(
            channel: isValue ? .context : .background, kind: .opaque,
            key: isValue ? RecordKey(rawValue: UInt128(number)) : nil,
            payload: [UInt8](repeating: UInt8(number), count: 20 + number * 4))
        do throws(SendRefusal) {
            _ = try side.peer.send(draft, at: now)
        } catch {
            fatalError("a record was refused")
        }
    }

    /// Every packet takes ten milliseconds; a carrier that loses loses one in ten.
    static func deliver(
        _ packets: inout [[UInt8]], to side: inout ProbeSide, _ carrier: CarrierTraits,
        _ generator: inout SeededGenerator, at now: Instant
    ) {
        for packet in packets where !(carrier.isLossy && generator.chance(0.1)) {
            side.arriving.append((now.advanced(by: .milliseconds(10)), packet))
        }
        packets = []
    }
}
