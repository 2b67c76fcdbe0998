import Simulation
import WatchProtoCore
import WatchProtoSecurity

/// The securities that the tests explore with.
enum SimulatedSecurity {
    static let pairing = PairingID(rawValue: 0x5EED)

    /// Peers without a seal.
    static let inClear = Explorer(makeSecurity: clear)

    @Sendable private static func clear(side: Int, life: Int) -> NullSecurity {
        let role: DeviceRole = side == 0 ? .phone : .watch
        return NullSecurity(
            PeerLabel(role: role, pairing: pairing), seed: UInt64(life * 2 + side) &* 0x9E37_79B9)
    }

    /// Runs a scenario whose peers have no seal.
    static func run(_ scenario: Scenario, trace: ((String) -> Void)? = nil) -> WorldResult {
        World(scenario, makeSecurity: clear, trace: trace).run()
    }

    /// Sealed peers; one pairing serves every seed.
    static func sealed() throws -> Explorer {
        Explorer(makeSecurity: try factory())
    }

    /// Makes the security of a process of one side, where sessions are sealed.
    static func factory() throws -> @Sendable (_ side: Int, _ life: Int) -> NoiseSecurity {
        let devices = try SimulatedPair(seed: 1)
        return { side, life in
            devices.security(of: side == 0 ? .phone : .watch, life: UInt64(life))
        }
    }
}
