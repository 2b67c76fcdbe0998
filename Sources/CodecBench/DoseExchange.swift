import WatchProto
import WatchProtoRecords
import WatchSecurity

/// A phone and a watch joined by nothing but this process, to see what a change costs on the wire:
/// the peers of the simulators, their sessions sealed, every packet read as it leaves.
final class DoseExchange {
    /// What one packet with a record's delta was made of, in bytes.
    struct Packet {
        var record: RecordFrame
        /// The record's frame, from its type to the last byte of the delta.
        var frameBytes: Int
        /// Receipts and whatever else left with it.
        var otherFrameBytes: Int
        /// What filled the packet up to its size class.
        var fillingBytes: Int
        /// All of it, the packet's prefix or header and the seal's tag included.
        var packetBytes: Int
    }

    private struct Host: PeerHost {
        var wire: [[UInt8]] = []
        var batches: [JournalReceipt] = []

        mutating func transmit(_ bytes: Span<UInt8>) -> Int {
            wire.append(bytes.indices.map { bytes[$0] })
            return bytes.count
        }

        mutating func persist(_ entries: [JournalEntry], receipt: JournalReceipt) {
            batches.append(receipt)
        }

        mutating func deliver(_ record: InboundRecord) -> Disposition { .applied }
        mutating func report(_ event: PeerEvent) {}
    }

    private final class Side {
        var peer: Peer<ReadableSecurity>
        var host = Host()
        let plaintexts = SealedPlaintexts()

        init(_ role: DeviceRole, of pair: SimulatedPair) {
            peer = Peer(
                PeerConfiguration(role: role, pairing: pair.phone.pairing, kinds: .product),
                restoring: JournalImage(), freshEpoch: EpochID(rawValue: 1 + UInt64(role.rawValue)),
                security: ReadableSecurity(
                    base: pair.security(of: role, life: 1), plaintexts: plaintexts),
                clock: WallClock(time: WallTime(milliseconds: 0)), at: .zero)
        }

        /// A journal that confirms at once.
        func drain() {
            peer.drain(into: &host)
            while !host.batches.isEmpty {
                peer.committed(host.batches.removeFirst(), at: .zero)
                peer.drain(into: &host)
            }
        }
    }

    private let phone: Side
    private let watch: Side
    private var packets: [Packet] = []

    init(_ carrier: CarrierTraits, between pair: SimulatedPair) {
        phone = Side(.phone, of: pair)
        watch = Side(.watch, of: pair)
        for side in [phone, watch] {
            side.peer.activate(at: .zero)
            side.drain()
            side.peer.linkUp(carrier, at: .zero)
            side.drain()
        }
        settle()
    }

    /// Sends a value to the watch; gives the packet it left in, nil when it went whole.
    func send(_ medication: LightweightMedication) -> Packet? {
        guard let payload = try? medication.encoded() else { return nil }
        let draft = RecordDraft(
            lane: .context, kind: .medication, key: RecordKey(rawValue: medication.id.rawValue),
            payload: payload)
        guard (try? phone.peer.send(draft, at: .zero)) != nil else { return nil }
        packets = []
        phone.drain()
        settle()
        return packets.first
    }

    private func settle() {
        while !phone.host.wire.isEmpty || !watch.host.wire.isEmpty {
            carry(from: phone, to: watch)
            carry(from: watch, to: phone)
        }
    }

    private func carry(from: Side, to: Side) {
        var packets: [[UInt8]] = []
        swap(&packets, &from.host.wire)
        for packet in packets {
            if let plaintext = from.plaintexts.take(of: packet), from === phone {
                note(plaintext, in: packet)
            }
            to.peer.receive(packet.span, at: .zero)
            to.drain()
        }
    }

    private func note(_ plaintext: SealedPlaintexts.Plaintext, in packet: [UInt8]) {
        var reader = WireReader(plaintext.frames.span)
        let count = reader.remaining
        while !reader.isAtEnd {
            let before = reader.offset
            guard let frame = try? Frame.read(&reader, limits: Limits()) else { return }
            guard case .record(let record) = frame, case .delta = record.head.form else { continue }
            let bytes = reader.offset - before
            packets.append(
                Packet(
                    record: record, frameBytes: bytes, otherFrameBytes: count - bytes,
                    fillingBytes: plaintext.fillingBytes, packetBytes: packet.count))
        }
    }
}
