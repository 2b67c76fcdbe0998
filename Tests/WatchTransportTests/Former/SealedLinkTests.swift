import Synchronization
import Testing
import WatchProto
import WatchProtoRecords
import WatchSecurity

@testable import WatchTransport

/// Sealed sessions over carriers of this machine.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SealedLinkTests {
    @Test(arguments: ["stream", "seqpacket", "datagram"])
    func a_sealed_pair_talks_over_a_socket(_ kind: String) async throws {
        let directory = TemporaryDirectory()
        let path = directory.file("s")
        let address: LinkAddress =
            switch kind {
            case "stream": .unixStream(path: path)
            case "seqpacket": .unixSeqpacket(path: path)
            default: .unixDatagram(path: path)
            }
        let devices = try SimulatedPair(seed: 3)
        func make(_ role: DeviceRole) throws -> CompanionSession<PairedSecurity> {
            let options = SessionOptions(
                PeerConfiguration(role: role, pairing: PairingID(rawValue: 7), kinds: .product),
                at: address)
            return try CompanionSession(
                options, security: devices.security(of: role, life: 1),
                delegate: SessionTests.Moody())
        }
        let watch = try make(.watch)
        let phone = try make(.phone)
        defer {
            phone.close()
            watch.close()
        }
        try watch.activate()
        try phone.activate()
        #expect(await eventually { phone.isReachable && watch.isReachable })
        for _ in 0..<50 {
            #expect(try await phone.sendMessage(Array("ask".utf8)) == Array("yes".utf8))
            #expect(try await watch.sendMessage(Array("ask".utf8)) == Array("yes".utf8))
        }
    }
}
