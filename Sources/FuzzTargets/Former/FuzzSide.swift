import WatchProto
import WatchProtoRecords
import WatchSecurity

/// A host in memory whose journal confirms at once. It keeps what must be checked and counts what
/// must stay bounded.
struct FuzzHost: PeerHost {
    /// Packets (datagram) or chunks (stream) that have left, not yet carried over.
    var wire: [[UInt8]] = []
    var batches: [(JournalReceipt, [JournalEntry])] = []
    var image = JournalImage()
    var delivered: [RecordID] = []
    /// Why the link ended, when it did since this was last asked.
    var closed: LinkCloseReason?
    /// Entries were given that the next opening of the journal could not read.
    var hasUnreadableEntries = false
    private static let coding = JournalCoding(pairing: PairingID(rawValue: 0xABCD))
    /// Events, entries, deliveries and packets since the session of the fuzzer began.
    var outputs = 0
    var outputBytes = 0

    mutating func transmit(_ bytes: Span<UInt8>) -> Int {
        wire.append([UInt8](copying: bytes))
        outputs += 1
        outputBytes += bytes.count
        return bytes.count
    }

    mutating func persist(_ entries: [JournalEntry], receipt: JournalReceipt) {
        batches.append((receipt, entries))
        var body = JournalCoding.emptyBody
        Self.coding.append(entries, to: &body)
        if (try? Self.coding.entries(of: body.span)) != entries { hasUnreadableEntries = true }
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

/// A peer with its host.
final class FuzzSide {
    var peer: Peer<Unsealed>
    var host = FuzzHost()
    private let configuration: PeerConfiguration

    init(_ role: DeviceRole, epoch: UInt64) {
        configuration = PeerConfiguration(
            role: role, pairing: PairingID(rawValue: 0xABCD), kinds: .product)
        peer = Self.peer(configuration, epoch, JournalImage(), .zero)
    }

    private static func peer(
        _ configuration: PeerConfiguration, _ epoch: UInt64, _ image: JournalImage, _ now: Instant
    ) -> Peer<Unsealed> {
        Peer(
            configuration, restoring: image, freshEpoch: EpochID(rawValue: epoch),
            security: Unsealed(), clock: WallClock(time: WallTime(milliseconds: 0)), at: now)
    }

    /// Ends the process and starts it again on its journal.
    func restart(epoch: UInt64, at now: Instant) {
        peer = Self.peer(configuration, epoch, host.image, now)
    }

    func drain(at now: Instant) {
        peer.drain(into: &host)
        while !host.batches.isEmpty {
            let (receipt, entries) = host.batches.removeFirst()
            for entry in entries { host.image.apply(entry) }
            peer.committed(receipt, at: now)
            peer.drain(into: &host)
        }
    }

    func receive(_ bytes: [UInt8], at now: Instant) {
        peer.receive(bytes.span, at: now)
        drain(at: now)
    }

    /// The record's status when it says more than that the record waits or has left: something that
    /// only a counterpart can have told.
    func word(on id: RecordID) -> RecordStatus? {
        let status = peer.status(of: id)
        if case .underWay(let stage) = status, stage < .received { return nil }
        return status
    }
}
