import NetworkModel
import WatchProto
import WatchProtoRecords

/// What a pair asks of its peers.
extension PairSide {
    typealias Sighted = Peer<SightedSecurity<Security>>

    /// The image of a journal that a pairing has just begun.
    static func emptyImage() -> JournalImage { JournalImage() }

    static func makePeer(
        _ role: DeviceRole, restoring image: JournalImage, epoch: EpochID,
        security: SightedSecurity<Security>, clock: WallClock, at now: Instant
    ) -> Sighted {
        Peer(
            PeerConfiguration(role: role, pairing: PairingID(rawValue: 1), kinds: .product),
            restoring: image, freshEpoch: epoch, security: security, clock: clock, at: now)
    }

    /// The carrier is open.
    func linkUp(_ carrier: CarrierTraits, asCalled: Bool, at now: Instant) {
        peer.linkUp(carrier, isCalled: asCalled, at: now)
    }

    func receive(_ bytes: [UInt8], isLossy: Bool, at now: Instant) {
        peer.receive(bytes.span, at: now)
    }

    /// Gives the peer a record of its application.
    func send(_ draft: RecordDraft, at now: Instant) -> RecordID? {
        try? peer.send(draft, at: now)
    }

    /// Gives the peer the present content of a face.
    func updateComplication(_ key: RecordKey, _ payload: [UInt8], at now: Instant) {
        _ = try? peer.updateComplication(key, payload, at: now)
    }

    /// Records that are accepted and not settled, in all channels or in one.
    func outstanding(_ channel: Channel? = nil) -> Int {
        peer.outstandingTransfers.count { channel == nil || $0.channel == channel }
    }
}
