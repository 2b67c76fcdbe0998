import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// A host that remembers everything and can be told to misbehave.
struct BoxHost: PeerHost {
    /// Packets (datagram) or chunks (stream) that have left, not yet carried over.
    var wire: [[UInt8]] = []
    static let coding = JournalCoding(pairing: boxPairing)
    var entries: [(JournalReceipt, [JournalEntry])] = []
    var image = JournalImage()
    var delivered: [InboundRecord] = []
    /// Records that left before the journal held them.
    var departures: [RecordID] = []
    var events: [PeerEvent] = []
    var disposition: (InboundRecord) -> Disposition = { _ in .applied }
    /// The most bytes one transmit takes.
    var transmitLimit = Int.max

    mutating func transmit(_ bytes: Span<UInt8>) -> Int {
        let count = min(bytes.count, transmitLimit)
        if count > 0 { wire.append([UInt8](copying: bytes.extracting(0..<count))) }
        return count
    }

    mutating func persist(_ entries: [JournalEntry], receipt: JournalReceipt) {
        // Whatever a peer writes, the next opening of its journal can read.
        var body = JournalCoding.emptyBody
        Self.coding.append(entries, to: &body)
        let read = try? Self.coding.entries(of: body.span)
        #expect(read == entries)
        self.entries.append((receipt, entries))
    }

    mutating func deliver(_ record: InboundRecord) -> Disposition {
        delivered.append(record)
        return disposition(record)
    }

    mutating func report(_ event: PeerEvent) { events.append(event) }

    mutating func departed(_ id: RecordID) { departures.append(id) }
}

/// One side of the box without security.
typealias BoxSide = SideInABox<Unsealed>

/// A pair without security.
typealias PairInABox = Pair<Unsealed>

extension EpochID {
    /// What a test named an epoch, without the count of openings before it.
    var randomPart: UInt64 { rawValue & (1 << Self.randomBits - 1) }
}

let boxPairing = PairingID(rawValue: 0xABCD)

/// One side of the box.
final class SideInABox<Security: PeerSecurity> {
    var peer: Peer<Security>
    var host = BoxHost()
    let configuration: PeerConfiguration
    /// Whether the journal confirms batches by itself after each drain.
    var commitsAtOnce = true

    init(
        _ configuration: PeerConfiguration, epoch: UInt64, image: JournalImage = JournalImage(),
        clock: WallTime = WallTime(milliseconds: 0), security: Security, at now: Instant = .zero
    ) {
        self.configuration = configuration
        host.image = image
        peer = Peer(
            configuration, restoring: image, freshEpoch: EpochID(rawValue: epoch),
            security: security, clock: WallClock(time: clock), at: now)
    }

    // Expectations cannot look into a noncopyable value themselves.
    var isReachable: Bool { peer.isReachable }
    var activationState: ActivationState { peer.activationState }
    var nextDeadline: Instant? { peer.nextDeadline }
    var outstanding: [RecordID] { peer.outstandingTransfers }
    func status(of id: RecordID) -> RecordStatus { peer.status(of: id) }

    var remaining: Int { peer.remainingComplicationTransfers }
    var counters: PeerCounters { peer.counters }
    func send(_ draft: RecordDraft, at now: Instant) throws(SendRefusal) -> RecordID {
        try peer.send(draft, at: now)
    }

    func drain(at now: Instant) {
        peer.drain(into: &host)
        while commitsAtOnce, !host.entries.isEmpty {
            let (receipt, entries) = host.entries.removeFirst()
            for entry in entries { host.image.apply(entry) }
            peer.committed(receipt, at: now)
            peer.drain(into: &host)
        }
    }
}

/// Two peers, a clock and a wire between them that delivers at once unless told otherwise.
final class Pair<Security: PeerSecurity> {
    var now = Instant.zero
    var phone: SideInABox<Security>
    var watch: SideInABox<Security>
    let carrier: CarrierTraits
    static var pairing: PairingID { boxPairing }
    /// Makes the security of a side's next life.
    let makeSecurity: (DeviceRole) -> Security
    /// What arrives of what a side sends, in this order.
    var arrivals: (DeviceRole, [UInt8]) -> [[UInt8]] = { [$1] }
    /// Decides the fate of each datagram, or chunk, by its place in the run: true loses it.
    var loses: (Int) -> Bool = { _ in false }
    var carried = 0

    init(
        _ carrier: CarrierTraits, security: @escaping (DeviceRole) -> Security,
        configure: (inout PeerConfiguration) -> Void = { _ in }
    ) {
        self.carrier = carrier
        makeSecurity = security
        var phoneSide = PeerConfiguration(role: .phone, pairing: Self.pairing, kinds: .product)
        var watchSide = PeerConfiguration(role: .watch, pairing: Self.pairing, kinds: .product)
        configure(&phoneSide)
        configure(&watchSide)
        phone = SideInABox(phoneSide, epoch: 0x1111, security: security(.phone))
        watch = SideInABox(watchSide, epoch: 0x2222, security: security(.watch))
    }

    func connect() {
        for side in [phone, watch] {
            side.peer.activate(at: now)
            side.drain(at: now)
            side.peer.linkUp(carrier, at: now)
            side.drain(at: now)
        }
        settle()
    }

    /// Carries bytes to and fro until nothing moves.
    func settle(limit: Int = 10_000) {
        var rounds = 0
        while !phone.host.wire.isEmpty || !watch.host.wire.isEmpty {
            rounds += 1
            guard rounds < limit else {
                Issue.record("the pair does not come to rest")
                return
            }
            carry(from: phone, to: watch)
            carry(from: watch, to: phone)
        }
    }

    func carry(from: SideInABox<Security>, to: SideInABox<Security>) {
        var chunks: [[UInt8]] = []
        swap(&chunks, &from.host.wire)
        for chunk in chunks {
            carried += 1
            if loses(carried) { continue }
            for bytes in arrivals(from.configuration.role, chunk) {
                to.peer.receive(bytes.span, at: now)
                to.drain(at: now)
            }
        }
        // What was cut short by the host's limit goes on.
        from.drain(at: now)
    }

    /// Moves time to each deadline in turn until `wait` has passed.
    func advance(by wait: Duration) {
        let end = now.advanced(by: wait)
        for _ in 0..<100_000 {
            let deadlines = [phone.peer.nextDeadline, watch.peer.nextDeadline].compactMap { $0 }
            guard let next = deadlines.min(), next <= end else { break }
            now = max(now, next)
            for side in [phone, watch] {
                if let deadline = side.peer.nextDeadline, deadline <= now {
                    side.peer.wake(at: now)
                    side.drain(at: now)
                }
            }
            settle()
        }
        now = end
    }

    /// Ends the link on both sides.
    func cut() {
        for side in [phone, watch] {
            side.peer.linkDown(CarrierFailure(call: "end of stream", errorNumber: 0), at: now)
            side.drain(at: now)
            side.host.wire = []
        }
    }

    /// Opens the link again, whatever the backoff says.
    func reconnect() { connect() }

    /// Ends one side's process and starts it again on its journal, an empty one, or a backup.
    func restart(
        _ role: DeviceRole, epoch: UInt64, keepsJournal: Bool = true, on backup: JournalImage? = nil
    ) {
        let old = role == .phone ? phone : watch
        let fresh = SideInABox(
            old.configuration, epoch: epoch,
            image: backup ?? (keepsJournal ? old.host.image : JournalImage()),
            clock: WallTime(milliseconds: Int64(now.nanoseconds / 1_000_000)),
            security: makeSecurity(role), at: now)
        fresh.host.delivered = old.host.delivered
        if role == .phone { phone = fresh } else { watch = fresh }
        let other = role == .phone ? watch : phone
        other.peer.linkDown(CarrierFailure(call: "end of stream", errorNumber: 0), at: now)
        other.drain(at: now)
        other.host.wire = []
    }
}

extension SideInABox where Security == Unsealed {
    convenience init(
        _ configuration: PeerConfiguration, epoch: UInt64, image: JournalImage = JournalImage(),
        clock: WallTime = WallTime(milliseconds: 0), at now: Instant = .zero
    ) {
        self.init(
            configuration, epoch: epoch, image: image, clock: clock, security: Unsealed(), at: now)
    }
}

extension Pair where Security == Unsealed {
    convenience init(
        _ carrier: CarrierTraits = .stream,
        configure: (inout PeerConfiguration) -> Void = { _ in }
    ) {
        self.init(carrier, security: { _ in Unsealed() }, configure: configure)
    }
}

extension CarrierTraits {
    static let lossyDatagram = CarrierTraits(
        framing: .datagram(largestBytes: 1200), isLossy: true)
    static let bleDatagram = CarrierTraits(framing: .datagram(largestBytes: 244), isLossy: true)
    static let seqpacket = CarrierTraits(framing: .datagram(largestBytes: 65_000))
}
