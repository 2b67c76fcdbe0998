import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// Every way packets of early data are framed.
let earlyCarriers: [CarrierTraits] = [
    CarrierTraits(framing: .stream), .seqpacket, .lossyDatagram, .bleDatagram,
]

struct NothingLeftEarly: Error {}

// Expectations cannot look into a noncopyable value themselves.
extension SideInABox where Security == PairedSecurity {
    var earlySending: EarlySending<SessionSealer>? { peer.earlySending }
    var earlyArrival: EarlyArrival<SessionSealer>? { peer.earlyArrival }
    var earlyFlight: UInt32? { peer.earlyFlight }
    func needsAudit(_ lane: Lane) -> Bool { peer.outbox.lanes[Int(lane.rawValue)].needsAudit }
    var attempt: HandshakeAttempt<ReconnectHandshake>? { peer.attempt }
    func turnedAway(_ lane: Lane) -> Int {
        peer.inbox.lanes[Int(lane.rawValue)].mustTryLater.count
    }
}

extension SideInABox {
    var texts: [String] { host.delivered.map { String(decoding: $0.payload, as: UTF8.self) } }
}

extension Pair where Security == PairedSecurity {
    /// A pair that has met, whose link is gone.
    static func apart(
        _ carrier: CarrierTraits, configure: (inout PeerConfiguration) -> Void = { _ in }
    ) throws -> SealedPair {
        let box = try SealedPair(sealed: carrier, configure: configure)
        box.connect()
        #expect(box.isActive)
        box.cut()
        return box
    }

    func send(_ draft: RecordDraft, from role: DeviceRole) throws -> RecordID {
        let id = try side(role).peer.send(draft, at: now)
        side(role).drain(at: now)
        return id
    }

    /// Opens the link; nothing crosses it yet.
    func open() {
        for side in [phone, watch] {
            side.peer.activate(at: now)
            side.drain(at: now)
            side.peer.linkUp(carrier, at: now)
            side.drain(at: now)
        }
    }

    /// Everything comes to its end in a session, and each early packet of the phone was either
    /// taken or returned.
    func goOn(for wait: Duration) {
        settle()
        advance(by: wait)
        #expect(isActive)
        #expect(phone.outstanding.isEmpty && watch.outstanding.isEmpty)
        let sent = phone.counters
        #expect(sent.earlyPacketsSent == sent.earlyPacketsTaken + sent.earlyPacketsReturned)
    }

    /// One side's process ends and begins again on what its journal holds, while the other side's
    /// link stays as it is, as a carrier that can lose has it; then it opens.
    func replaceProcess(of role: DeviceRole, epoch: UInt64) {
        let old = side(role)
        let fresh = SideInABox(
            old.configuration, epoch: epoch, image: old.host.image,
            clock: WallTime(milliseconds: Int64(now.nanoseconds / 1_000_000)),
            security: makeSecurity(role), at: now)
        fresh.host.delivered = old.host.delivered
        if role == .phone { phone = fresh } else { watch = fresh }
        fresh.peer.activate(at: now)
        fresh.drain(at: now)
        fresh.peer.linkUp(carrier, at: now)
        fresh.drain(at: now)
    }

    /// A packet behind the flight that the phone has out, with these frames, as only the phone can
    /// make it.
    func earlyPacket(
        _ number: UInt64, _ frames: [Frame], fill: Int = 4096
    ) throws -> [UInt8] {
        guard var early = phone.peer.earlySending else { throw NothingLeftEarly() }
        var writer = WireWriter()
        for frame in frames { frame.write(to: &writer, limits: Limits()) }
        var body = writer.bytes
        early.sealer.pad(&body, from: 0, atMost: fill)
        guard carrier.isLossy else {
            early.sealer.seal(&body, from: 0, number: number)
            return StreamFraming.prefix(of: .early, length: body.count) + body
        }
        var packet = WireWriter()
        DatagramHeader(
            kind: .early, hint: UInt16(truncatingIfNeeded: early.session), number: number,
            largestAcknowledged: nil
        ).write(to: &packet)
        let start = packet.count
        packet.append(body)
        early.sealer.seal(&packet.bytes, from: start, number: number)
        return packet.bytes
    }

    /// A record of the phone, by its number, as an early packet may hold it.
    func earlyRecord(
        _ number: UInt64, lane: Lane = .bulk, bytes: Int = 8,
        change: (inout RecordHead) -> Void = { _ in }
    ) -> Frame {
        let epoch = phone.peer.outbox.listedEpochs - 1
        var head = RecordHead(
            lane: lane, address: RecordAddress(epochIndex: epoch, number: number), kind: .userInfo)
        if lane.traits.order == .newestPerKey { head.key = RecordKey(rawValue: 1) }
        change(&head)
        return .record(RecordFrame(head: head, body: [UInt8](repeating: 7, count: bytes)))
    }

    /// Packets of early data that are under way from the phone.
    var earlyOnTheWire: Int { phone.host.wire.count { isEarly($0) } }
}

/// Whether a datagram is a packet of early data.
func isEarly(_ packet: [UInt8]) -> Bool {
    packet.first.map { $0 & 3 == PacketKind.early.rawValue } ?? false
}
