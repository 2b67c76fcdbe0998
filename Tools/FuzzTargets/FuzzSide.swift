import WatchProtoCore
import WatchProtoRecords
import WatchProtoSecurity

extension FuzzTarget {
    static let pairingID = PairingID(rawValue: 0xABCD)

    /// A pairing takes longer than all else here: once.
    static let devices = try? SimulatedPair(seed: 5)

    /// A stream, or datagrams that can be lost, by the lowest bit of `options`.
    static func carrier(_ options: UInt8) -> CarrierTraits {
        options & 1 == 0
            ? .stream : CarrierTraits(framing: .datagram(largestBytes: 512), isLossy: true)
    }

    /// The victim's role, by the next bit.
    static func role(_ options: UInt8) -> DeviceRole { options & 2 == 0 ? .watch : .phone }

    /// The journal of a device that has just been paired.
    static var pairedImage: JournalImage {
        var image = JournalImage(kinds: .product)
        image.apply(TicketState.Image.paired(Ticket(rawValue: 0x7AC_0001)))
        return image
    }
}

/// An environment in memory whose journal confirms at once. It keeps what must be checked and
/// counts what must stay bounded.
struct FuzzEnvironment: PeerEnvironment {
    /// Packets (datagram) or chunks (stream) that have left, not yet carried over.
    var wire: [[UInt8]] = []
    var batches: [(receipt: JournalReceipt, entries: [JournalEntry])] = []
    var image: JournalImage
    var delivered: [RecordID] = []
    /// Why the link ended, when it did since this was last asked.
    var closed: ConnectionEnd?
    /// Entries were given that the next opening of the journal could not read.
    var hasUnreadableEntries = false
    /// Events, entries, deliveries and packets.
    var outputs = 0
    var outputBytes = 0

    init(image: JournalImage) { self.image = image }

    mutating func transmit(_ bytes: Span<UInt8>, to address: PathAddress?) -> Int {
        wire.append([UInt8](copying: bytes))
        outputs += 1
        outputBytes += bytes.count
        return bytes.count
    }

    mutating func persist(_ entries: [JournalEntry], receipt: JournalReceipt) {
        batches.append((receipt, entries))
        var body = JournalCoding.emptyBody
        JournalCoding.append(entries, to: &body)
        if (try? JournalCoding.entries(of: body.span)) != entries { hasUnreadableEntries = true }
        outputs += entries.count
    }

    mutating func deliver(_ record: InboundRecord) -> Disposition {
        delivered.append(record.id)
        outputs += 1
        outputBytes += record.payload.count
        return .applied
    }

    mutating func report(_ event: PeerEvent) {
        outputs += 1
        if case .linkClosed(let reason) = event { closed = reason }
    }
}

/// A peer with its environment.
final class FuzzSide {
    var peer: Peer
    var environment: FuzzEnvironment
    private let role: DeviceRole
    /// Packets handed to the peer.
    private(set) var received: [[UInt8]] = []
    /// A datagram left something to drain, although the peer said that it was dropped.
    private(set) var hasHiddenOutput = false
    /// The address of the counterpart, on a carrier that can lose.
    static var address: PathAddress { PathAddress(host: 1, port: 2) }

    init(
        _ role: DeviceRole, security: some PeerSecurity, image: JournalImage, epoch: UInt64 = 0x1111
    ) {
        self.role = role
        environment = FuzzEnvironment(image: image)
        peer = Self.peer(role, security, image, epoch, .zero)
    }

    private static func peer(
        _ role: DeviceRole, _ security: some PeerSecurity, _ image: JournalImage, _ epoch: UInt64,
        _ now: Instant
    ) -> Peer {
        Peer(
            PeerConfiguration(role: role, pairing: FuzzTarget.pairingID, kinds: .product),
            restoring: image, epoch: EpochID(rawValue: epoch), security: security.erased,
            clock: WallClock(time: WallTime(milliseconds: 0)), at: now)
    }

    /// Ends the process and starts it again on its journal.
    func restart(security: some PeerSecurity, epoch: UInt64, at now: Instant) {
        peer = Self.peer(role, security, environment.image, epoch, now)
        environment.wire = []
        drain(at: now)
    }

    func drain(at now: Instant) {
        peer.drain(into: &environment)
        while !environment.batches.isEmpty {
            let (receipt, entries) = environment.batches.removeFirst()
            environment.image.apply(entries)
            peer.committed(receipt, at: now)
            peer.drain(into: &environment)
        }
    }

    func linkUp(_ carrier: CarrierTraits, _ initiation: InitiationTime, at now: Instant) {
        environment.closed = nil
        environment.wire = []
        received = []
        peer.linkUp(
            carrier, address: carrier.isLossy && initiation == .atOnce ? Self.address : nil,
            initiation: initiation, at: now)
        drain(at: now)
    }

    func linkDown(at now: Instant) {
        peer.linkDown(CarrierFailure(call: "read", errorNumber: 104), at: now)
        drain(at: now)
        environment.wire = []
        environment.closed = nil
    }

    func receive(_ bytes: [UInt8], on carrier: CarrierTraits, at now: Instant) {
        if received.count < 64 { received.append(bytes) }
        let hasOutput = peer.receive(
            bytes.span, from: carrier.isLossy ? Self.address : nil, at: now)
        let before = environment.outputs
        drain(at: now)
        if !hasOutput, environment.outputs > before { hasHiddenOutput = true }
    }

    func wake(at now: Instant) {
        peer.wake(at: now)
        drain(at: now)
    }

    /// Accepts a record; nil where it is refused.
    func accept(_ channel: Channel, _ value: UInt8, at now: Instant) -> RecordID? {
        let isLatest = channel.traits.order == .latestValue
        let draft = RecordDraft(
            channel: channel, kind: isLatest ? .applicationContext : .userInfo,
            key: isLatest ? RecordKey(rawValue: UInt128(value % 3)) : nil,
            payload: Array(repeating: value, count: 40))
        let id = try? peer.send(draft, at: now)
        drain(at: now)
        return id
    }
}
