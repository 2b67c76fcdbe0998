import WatchProtoCore

@testable import WatchProtoSecurity

/// The packets of a pairing as they travel.
enum PairingWire {
    /// The packets of a pairing that nobody disturbs: where they may be lost an address is shown
    /// first.
    static func count(on carrier: CarrierTraits) -> Int {
        PairingBench.count + (carrier.isLossy ? 2 : 0)
    }

    /// The packet of a message that needs no cookie.
    static func packet(_ message: [UInt8], on carrier: CarrierTraits) -> [UInt8] {
        var writer = WireWriter()
        PairingPacket.message(message).write(version: Suite.version, to: &writer)
        return PacketFraming.plain(.pairing, writer.bytes, carrier: carrier)
    }
}

extension PairingLink {
    /// The packets that leave, as they go onto the carrier.
    mutating func takePackets() -> [[UInt8]] { takeOutgoing().map { $0.bytes } }
}
