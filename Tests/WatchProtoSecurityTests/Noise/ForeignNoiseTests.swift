import Testing
import WatchProtoCore

@testable import WatchProtoSecurity

/// Pairing's Noise part and a session from fixed keys, byte for byte as another implementation
/// gives them: the Python package noiseprotocol 0.3.1.
@Suite struct ForeignNoiseTests {
    static func secret(_ first: UInt8) throws -> Secret {
        try Secret((0..<32).map { first + $0 })
    }

    static let statics: [UInt8] = [0x10, 0x40]
    static let ephemerals: [UInt8] = [0x70, 0xA0]

    static func random(_ side: Int) -> RandomSource {
        Script([(0..<32).map { ephemerals[side] + $0 }]).source
    }

    /// One side's view of the pairing that the reconnection is of.
    static func device(_ side: Int) throws -> PairedDevice {
        let pairs = try statics.map { KeyPair(try secret($0)) }
        let identities = [PairingBench.phone, PairingBench.watch]
        let name = (0..<16).map { UInt8($0) }
        return PairedDevice(
            pairing: PairingID(rawValue: LittleEndian.value(name)), own: identities[side],
            counterpart: identities[1 - side], keyPair: pairs[side],
            counterpartKey: pairs[1 - side].publicKey, psk: try secret(0xD0))
    }

    static func packet(
        _ sealer: SessionSealer, _ number: UInt64
    ) -> [UInt8] {
        var sealer = sealer
        var packet = [0x45] + Array("Testamin 5 mg".utf8)
        sealer.seal(&packet, from: 1, number: number)
        return packet
    }

    @Test func pairing_meets_another_implementation() throws {
        let prologue = BLAKE2b.hash(Array("all that was said before".utf8))
        var sides = try [0, 1].map { side in
            try NoiseHandshake(
                .pairing, side == 0 ? .initiator : .responder, prologue: prologue,
                ownStatic: KeyPair(Self.secret(Self.statics[side])), psk: Self.secret(0xD0),
                random: Self.random(side), arena: .shared)
        }
        for (turn, wanted) in Self.pairingMessages.enumerated() {
            let message = try sides[turn % 2].write(payload: [])
            #expect(message == wanted, "message \(turn + 1)")
            let payload = try sides[1 - turn % 2].read(wanted)
            #expect(payload == [])
        }
        for (side, noise) in sides.enumerated() {
            let identities = [PairingBench.phone, PairingBench.watch]
            let device = try PairedDevice(
                noise.symmetric, own: identities[side], counterpart: identities[1 - side],
                keyPair: noise.ownStatic!, counterpartKey: noise.remoteStatic!)
            #expect(noise.symmetric.hash == Self.pairingHash)
            #expect(LittleEndian.bytes(device.pairing.rawValue) == Self.pairingName)
            #expect(device.psk.exposed == Self.pairingKey)
            let confirmation = ChaCha20Poly1305.seal(
                [], associatedData: noise.symmetric.hash,
                key: try noise.symmetric.split().second, number: 0)
            #expect(confirmation == Self.confirmation)
        }
    }
}

/// The messages and keys of the other implementation.
extension ForeignNoiseTests {
    static let pairingMessages = [
        bytes(
            """
            23b7bb8c91ae008711fb12846780bcdf1e065f821bdfec49f57e7c7dcd4c4823b7e13b6b52d1608d
            dd263eda4d488473
            """),
        bytes(
            """
            605a725d2a4adfeeb1a29e17edd621c1b7593ee8cdbc44ac6c4ab6e2f805d23caeab392261f24d86
            5b160028d35d2ecb9d197eaab2e0d76adb0a84e4ed7454b9da4825ef9223c65034c072e6c02f597c
            d0d2f1506cf703793f557ec934322743
            """),
        bytes(
            """
            f8c78c347cd2a060ea2050b911f18078dd2f14b09a51d1cc9534e316a7ec6957d08fcfd8c0a432c4
            d682669e18639ef657fe55a39425188a6d46404fa24dc4d3
            """),
    ]
    static let pairingHash = bytes(
        """
        67d68624257fd4dec562ef512f12309671c666349a0e4a91eb6bc97d16b46ebc2cd2a5dee93069a1
        f87e0390768c82d50310fd35f38d1792767987fc31d02e3e
        """)
    static let pairingName = bytes("4133f0ad05cf6907959d476f34ba55e5")
    static let pairingKey =
        bytes("c1170d334a735ce8bed6c82935662cae20b362d07437251dc9b082d6e080fdf8")
    static let confirmation = bytes("38e9e5b6b708ddad02bd8169781bb661")
}
