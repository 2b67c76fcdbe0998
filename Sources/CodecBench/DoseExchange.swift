import WatchProto
import WatchSecurity

/// A phone and a watch joined by nothing but this process, to see what a change costs on the wire:
/// the peers of the simulators, every packet read as it leaves.
final class DoseExchange {
    /// What one packet with a record's delta was made of, in bytes.
    struct Packet {
        var record: RecordFrame
        /// The record's frame, from its type to the last byte of the delta.
        var frameBytes: Int
        /// Receipts and whatever else left with it.
        var otherFrameBytes: Int
        /// All of it, the packet's prefix or header included.
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
        var peer: Peer<Unsealed>
        var host = Host()

        init(_ role: DeviceRole) {
            peer = Peer(
                PeerConfiguration(role: role, pairing: PairingID(rawValue: 1)),
                restoring: JournalImage(), freshEpoch: EpochID(rawValue: 1 + UInt64(role.rawValue)),
                security: Unsealed(), clock: WallClock(time: WallTime(milliseconds: 0)), at: .zero)
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

    private let carrier: CarrierTraits
    private let phone = Side(.phone)
    private let watch = Side(.watch)
    private var packets: [Packet] = []

    init(_ carrier: CarrierTraits) {
        self.carrier = carrier
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
            if from === phone { note(packet) }
            to.peer.receive(packet.span, at: .zero)
            to.drain()
        }
    }

    private func note(_ packet: [UInt8]) {
        guard let start = bodyOfTransport(packet) else { return }
        var reader = WireReader(packet.span.extracting(start..<packet.count))
        let count = reader.remaining
        while !reader.isAtEnd {
            let before = reader.offset
            guard let frame = try? Frame.read(&reader, limits: Limits()) else { return }
            guard case .record(let record) = frame, case .delta = record.head.form else { continue }
            let bytes = reader.offset - before
            packets.append(
                Packet(
                    record: record, frameBytes: bytes, otherFrameBytes: count - bytes,
                    packetBytes: packet.count))
        }
    }

    /// Where the frames of a packet begin; nil for a handshake.
    private func bodyOfTransport(_ packet: [UInt8]) -> Int? {
        switch carrier.framing {
        case .stream:
            let framing = StreamFraming(limitBytes: Limits().streamPacketBytes)
            let found = try? framing.find(in: packet.span, from: 0)
            return found?.kind == .transport ? found?.body.lowerBound : nil
        case .datagram:
            var reader = WireReader(packet.span)
            let header = try? DatagramHeader.read(&reader)
            return header?.kind == .transport ? reader.offset : nil
        }
    }
}
