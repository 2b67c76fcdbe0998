import WatchProto

@testable import WatchSecurity

/// The packets of a pairing as they travel.
enum PairingWire {
    /// The packets of a pairing that nobody disturbs.
    static func count(on carrier: CarrierTraits) -> Int { PairingBench.count }

    /// The packet of a message.
    static func packet(_ message: [UInt8], on carrier: CarrierTraits) -> [UInt8] {
        PairingPacket.packet(message, on: carrier.framing)
    }
}

extension PairingLink {
    /// The packets that leave, as they go onto the carrier.
    mutating func takePackets() -> [[UInt8]] { takeOutgoing() }
}
