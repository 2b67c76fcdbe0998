import Simulation
import WatchProtoCore
import WatchProtoRecords

/// The calls that a pair makes of its peers.
extension PairSide {
    /// The image of a journal that a pairing has just begun.
    static func emptyImage(_ kinds: RecordKinds) -> JournalImage {
        var image = JournalImage(kinds: kinds)
        image.apply(TicketState.Image.paired(Ticket(rawValue: 0x7AC_0001)))
        return image
    }

    static func makePeer(
        _ role: DeviceRole, _ options: PairOptions, restoring image: JournalImage, epoch: EpochID,
        security: AnySecurity, at now: Instant
    ) -> Peer {
        Peer(
            PeerConfiguration(role: role, pairing: PairingID(rawValue: 1), kinds: options.kinds),
            restoring: image, epoch: epoch, security: security, clock: options.clock, at: now)
    }

    /// The address of either side of a link that can lose.
    private var counterpartAddress: PathAddress {
        PathAddress(host: 1, port: UInt64(2 - index))
    }

    /// The carrier is open; a side that was called knows no address yet.
    func linkUp(_ carrier: CarrierTraits, asCalled: Bool, at now: Instant) {
        peer.linkUp(
            carrier, address: carrier.isLossy && !asCalled ? counterpartAddress : nil,
            initiation: asCalled ? .afterPatience : .atOnce, at: now)
    }

    func receive(_ bytes: [UInt8], isLossy: Bool, at now: Instant) {
        peer.receive(bytes.span, from: isLossy ? counterpartAddress : nil, at: now)
    }

    /// Gives the peer a record of its application.
    func send(_ draft: RecordDraft, at now: Instant) -> RecordID? {
        guard let id = try? peer.send(draft, at: now) else { return nil }
        accepted.insert(id)
        return id
    }

    /// Gives the peer the present content of a face.
    func updateComplication(_ key: RecordKey, _ payload: [UInt8], at now: Instant) {
        let draft = RecordDraft(
            channel: .complication, kind: .complication, key: key, payload: payload)
        _ = send(draft, at: now)
    }

    /// Records that are accepted and not settled, in all channels or in one.
    func outstanding(_ channel: Channel? = nil) -> Int {
        accepted.count { channel == nil || $0.channel == channel }
    }
}
