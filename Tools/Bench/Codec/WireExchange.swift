import WatchProtoCore
import WatchProtoRecords
import WatchProtoSecurity

/// A phone and a watch joined by nothing but this process, to see what a change costs on the wire:
/// the peers of the simulators, their sessions sealed, every packet read as it leaves.
final class WireExchange {
    /// The parts of a packet with a value, in bytes.
    struct Packet {
        var value: Value
        /// The value's frame, from its type to the last byte of the body.
        var frameBytes: Int
        /// Receipts and whatever else left with it.
        var otherFrameBytes: Int
        /// The padding of the packet up to its size class.
        var paddingBytes: Int
        /// All of it, the packet's prefix or header and the seal's tag included.
        var packetBytes: Int
    }

    /// The parts of a value's frame that are evaluated.
    struct Value {
        /// The handle that stands for the key.
        var handle: UInt64?
        /// The key itself is in it.
        var hasKey: Bool
        /// The body is a change of a base, and the frame names the base.
        var isDelta: Bool
        /// Bytes of the value or of the change, coded.
        var bodyBytes: Int
    }

    private struct Host: PeerEnvironment {
        var wire: [[UInt8]] = []
        var batches: [JournalReceipt] = []
        var delivered = 0

        mutating func transmit(_ bytes: Span<UInt8>, to address: PathAddress?) -> Int {
            wire.append(bytes.indices.map { bytes[$0] })
            return bytes.count
        }

        mutating func persist(_ entries: [JournalEntry], receipt: JournalReceipt) {
            batches.append(receipt)
        }

        mutating func deliver(_ record: InboundRecord) -> Disposition {
            delivered += 1
            return .applied
        }

        mutating func report(_ event: PeerEvent) {}
    }

    private final class Side {
        var peer: Peer
        var host = Host()
        let plaintexts = SealedPlaintexts()

        init(_ role: DeviceRole, of pair: SimulatedPair, _ clock: WallClock) {
            peer = Self.makePeer(
                PeerConfiguration(role: role, pairing: pair.phone.pairing, kinds: .product),
                ReadableSecurity(
                    base: pair.security(of: role, life: 1), plaintexts: plaintexts), clock)
        }

        private static func makePeer(
            _ configuration: PeerConfiguration, _ security: ReadableSecurity, _ clock: WallClock
        ) -> Peer {
            let epoch = EpochID(rawValue: 1 + UInt64(configuration.role.rawValue))
            var image = JournalImage(kinds: configuration.kinds)
            image.apply(TicketState.Image.paired(Ticket(rawValue: 1)))
            return Peer(
                configuration, restoring: image, epoch: epoch, security: security.erased,
                clock: clock, at: .zero)
        }

        /// A journal that confirms at once.
        func drain(at now: Instant = .zero) {
            peer.drain(into: &host)
            while !host.batches.isEmpty {
                peer.committed(host.batches.removeFirst(), at: now)
                peer.drain(into: &host)
            }
        }
    }

    private let phone: Side
    private let watch: Side
    private var packets: [Packet] = []
    private var now: Instant = .zero
    /// The bytes of frames in each packet since the last look; those of the watch are negative.
    private var sizes: [Int] = []
    /// The bytes of all of each of these packets, sealed.
    private(set) var packetSizes: [Int] = []
    /// The bytes of all sealed packets of the phone since the last look.
    private var sentBytes = 0

    /// Opens a session. The clocks of both sides show the time that the hellos tell as the
    /// reference of codings.
    init(_ carrier: CarrierTraits, between pair: SimulatedPair, at reference: CodingReference) {
        let clock = WallClock(reference)
        phone = Side(.phone, of: pair, clock)
        watch = Side(.watch, of: pair, clock)
        for side in [phone, watch] {
            side.peer.activate(at: .zero)
            side.drain()
            Self.open(carrier, side)
            side.drain()
        }
        settle()
    }

    /// Sends a value to the watch.
    ///
    /// - Returns: the packet that it left in; nil if it was refused.
    func send(_ medication: LightweightMedication) -> Packet? {
        packets = []
        guard give(medication) else { return nil }
        phone.drain(at: now)
        settle()
        return packets.first
    }

    /// Sends values that the watch does not have, all at once, and lets a second pass.
    ///
    /// - Returns: the bytes of all packets of the phone meanwhile; nil if a value was refused or
    ///   did not arrive.
    func synchronize(_ medications: [LightweightMedication]) -> Int? {
        (sentBytes, watch.host.delivered) = (0, 0)
        for medication in medications where !give(medication) { return nil }
        phone.drain(at: now)
        letASecondPass()
        return watch.host.delivered == medications.count ? sentBytes : nil
    }

    /// Sends a record of either device, and lets a second pass.
    ///
    /// - Returns: the bytes of frames in each packet meanwhile; those of the watch are negative.
    func sizes(of draft: RecordDraft, from role: DeviceRole) -> [Int] {
        (sizes, packetSizes) = ([], [])
        let side = role == .phone ? phone : watch
        guard (try? side.peer.send(draft, at: now)) != nil else { return [] }
        side.drain(at: now)
        letASecondPass()
        return sizes
    }

    private func give(_ medication: LightweightMedication) -> Bool {
        guard let payload = try? medication.encoded() else { return false }
        let draft = RecordDraft(
            channel: .context, kind: .medication, key: RecordKey(rawValue: medication.id.rawValue),
            payload: payload)
        return (try? phone.peer.send(draft, at: now)) != nil
    }

    private func letASecondPass() {
        settle()
        let end = now.advanced(by: .seconds(1))
        while let next = [phone, watch].compactMap({ $0.peer.nextDeadline }).min(), next <= end {
            now = max(now, next)
            for side in [phone, watch] {
                side.peer.wake(at: now)
                side.drain(at: now)
            }
            settle()
        }
        now = end
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
            if let plaintext = from.plaintexts.take(of: packet) {
                let count = plaintext.frames.count
                sizes.append(from === phone ? count : -count)
                packetSizes.append(packet.count)
                if from === phone {
                    sentBytes += packet.count
                    note(plaintext, in: packet)
                }
            }
            to.peer.receive(packet.span, at: now)
            to.drain(at: now)
        }
    }

    private func note(_ plaintext: SealedPlaintexts.Plaintext, in packet: [UInt8]) {
        var reader = WireReader(plaintext.frames.span)
        let count = reader.remaining
        while !reader.isAtEnd {
            let before = reader.offset
            guard let frame = Self.read(&reader) else { return }
            guard let value = frame.value else { continue }
            let bytes = reader.offset - before
            packets.append(
                Packet(
                    value: value, frameBytes: bytes, otherFrameBytes: count - bytes,
                    paddingBytes: plaintext.paddingBytes, packetBytes: packet.count))
        }
    }

    /// Reads a frame, and the value in it; nil where no frame is found.
    private static func read(_ reader: inout WireReader) -> (isRead: Bool, value: Value?)? {
        guard let (_, frame) = try? Frame.read(&reader) else { return nil }
        guard case .value(let value) = frame else { return (true, nil) }
        return (
            true,
            Value(
                handle: value.handle, hasKey: value.key != nil, isDelta: value.isDelta,
                bodyBytes: value.body.count)
        )
    }

    private static func open(_ carrier: CarrierTraits, _ side: Side) {
        let address = carrier.isLossy ? PathAddress(host: 1, port: 1) : nil
        side.peer.linkUp(carrier, address: address, at: .zero)
    }
}
