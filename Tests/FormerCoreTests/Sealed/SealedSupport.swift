import Testing
import WatchProto
import WatchSecurity

/// A pair whose sessions are sealed.
typealias SealedPair = Pair<PairedSecurity>

extension Pair where Security == PairedSecurity {
    convenience init(
        sealed carrier: CarrierTraits, seed: UInt64 = 7, padding: PaddingClasses = .standard,
        arena: KeyArena = .shared,
        configure: (inout PeerConfiguration) -> Void = { _ in }
    ) throws {
        let devices = try SimulatedPair(seed: seed, arena: arena)
        var lives: UInt64 = 0
        self.init(
            carrier,
            security: { role in
                lives += 1
                return devices.security(of: role, life: lives, padding: padding)
            }, configure: configure)
    }

    var isActive: Bool {
        phone.activationState == .activated && watch.activationState == .activated
    }

    /// One record each way, delivered and settled.
    func exchange(_ text: String = "Amoxicillin 500 mg, morning") throws {
        let given = (phone.host.delivered.count, watch.host.delivered.count)
        _ = try phone.send(userInfo(text), at: now)
        _ = try watch.send(userInfo(text), at: now)
        phone.drain(at: now)
        watch.drain(at: now)
        settle()
        for _ in 0..<120 where !(phone.outstanding + watch.outstanding).isEmpty {
            advance(by: .milliseconds(500))
        }
        #expect(phone.outstanding.isEmpty && watch.outstanding.isEmpty)
        #expect(phone.host.delivered.count == given.0 + 1)
        #expect(watch.host.delivered.count == given.1 + 1)
    }

    func side(_ role: DeviceRole) -> SideInABox<Security> { role == .phone ? phone : watch }

    /// The side whose static key is the lower, which is answered when both open.
    var winner: DeviceRole {
        get throws {
            let devices = try SimulatedPair(seed: 7)
            let isPhone = devices.phone.ownKey.bytes.lexicographicallyPrecedes(
                devices.watch.ownKey.bytes)
            return isPhone ? .phone : .watch
        }
    }
}

/// Loses packets in bursts of three, as many as `share` of all, each direction for itself.
struct BurstLoss {
    private var generator: SeededGenerator
    private var left: [DeviceRole: Int] = [:]
    private let beginning: Double

    init(share: Double, seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        // A burst of three after a run whose mean makes them this share of all.
        beginning = share / (3 - 2 * share)
    }

    mutating func loses(from role: DeviceRole) -> Bool {
        if let count = left[role], count > 0 {
            left[role] = count - 1
            return true
        }
        guard generator.unitInterval() < beginning else { return false }
        left[role] = 2
        return true
    }
}

/// Whether a datagram is a flight of a handshake.
func isFlight(_ packet: [UInt8]) -> Bool {
    packet.first.map { $0 & 3 == PacketKind.handshake.rawValue } ?? false
}

extension [UInt8] {
    func contains(sequence: [UInt8]) -> Bool {
        guard count >= sequence.count, let first = sequence.first else { return false }
        return indices.dropLast(sequence.count - 1).contains {
            self[$0] == first && Array(self[$0..<$0 + sequence.count]) == sequence
        }
    }
}
